"""What handlers must not tell is not in their errors either, however they ran and failed."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from rota import progress
from rota.app import App
from rota.model.states import State
from tests.integration.conftest import Serve
from tests.support.calls import eventually
from tests.support.webserver import WebServer

SECRET = "sesame-open"
SPLIT = "x" * 2_040


def fails() -> None:
    secret = os.environ["TALK_TOKEN"]
    cause = ValueError(f"the token {secret} is refused")
    cause.add_note(f"tried {secret}")
    raise RuntimeError(f"https://me:hunter22@shop and {secret}") from cause


async def fails_async() -> None:
    fails()


def says_how_far() -> None:
    progress(0.5, f"signing in with {os.environ['TALK_TOKEN']}")
    raise ValueError(SPLIT + os.environ["TALK_TOKEN"] + "y" * 5_000)


@pytest.fixture(scope="module")
def server() -> Iterator[WebServer]:
    with WebServer() as server:
        yield server


def test_errors_of_every_kind_of_job_are_masked(
    app: App, serve: Serve, server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TALK_TOKEN", SECRET)
    runs = {
        "thread": app.job(name="thread", retries=0)(fails).submit(),
        "loop": app.job(name="loop", retries=0)(fails_async).submit(),
        "process": app.job(name="process", isolation="process", retries=0)(fails).submit(),
        "command": app.command(
            *("command", ["sh", "-c", "echo no $MY_KEY >&2; echo $MY_KEY; exit 3"]),
            env={"MY_KEY": "tulip-{name}"},
            retries=0,
        ).submit(name="open"),
        "http": app.http(
            *("http", server.url("/status/401?location=/login/tulip-open")),
            headers={"Authorization": "Bearer tulip-{name}"},
            allow_private=True,
            retries=0,
        ).submit(name="open"),
        "cut": app.job(name="cut", retries=0)(says_how_far).submit(),
    }
    serve()

    for kind, run in runs.items():
        ended = run.wait(timeout=60)
        letter = app.dead_letters.show(run.id)
        told = f"{ended} {run.show()} {run.attempts()} {letter}"

        assert ended.state is State.FAILED, kind
        assert "***" in told, kind
        assert "sesame" not in told, kind
        assert "tulip" not in told, kind
        assert "hunter22" not in told, kind
    assert "sesame" not in str(app.dead_letters.groups())
    error = runs["loop"].show().error
    assert error is not None
    assert error.message == "https://me:***@shop and ***"


def test_notes_of_progress_are_masked(
    app: App, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TALK_TOKEN", SECRET)

    @app.job
    def slow() -> None:
        progress(0.5, f"signing in with {SECRET}")
        eventually(lambda: run.show().progress_note)

    run = slow.submit()
    serve()

    eventually(lambda: run.show().progress_note)
    assert run.show().progress_note == "signing in with ***"
    run.result(timeout=30)


def test_a_result_is_data_and_stays(
    app: App, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TALK_TOKEN", SECRET)
    job = app.job(name="gives")(_gives)
    run = job.submit()
    serve()

    assert run.result(timeout=30) == {"token": SECRET}


def _gives() -> dict[str, str]:
    return {"token": os.environ["TALK_TOKEN"]}
