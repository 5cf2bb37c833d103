"""What is captured of a handler: secrets are masked, and whoever redirects hurts nobody."""

from __future__ import annotations

import logging
import sys

import pytest

from rota.app import App
from tests.integration.conftest import Serve
from tests.integration.run_logs import logs_of, only_sqlite, texts
from tests.support import talkers
from tests.support.calls import eventually

pytestmark = pytest.mark.usefixtures("log_load")


def test_secrets_of_the_environment_are_masked(
    app: App, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TALK_TOKEN", "sesame-open")
    jobs = [
        app.job(name=kind, isolation=kind)(talkers.tells_secrets) for kind in ("thread", "process")
    ]
    serve()
    for job in jobs:
        run = job.submit()
        run.result(timeout=20)

        assert sorted(texts(logs_of(run, 3))) == [
            "***",
            "talkers: connect to postgresql://me:***@db and password=***",
            "the token is ***",
        ]


@only_sqlite
def test_only_threads_that_know_their_run_write_to_its_log(
    app: App, serve: Serve, capfd: pytest.CaptureFixture[str]
) -> None:
    job = app.job(talkers.leaves_a_talking_thread)
    serve()
    run = job.submit()
    run.result(timeout=20)

    assert texts(logs_of(run, 1)) == ["from my own thread"]
    assert "from nowhere" in capfd.readouterr().out


@only_sqlite
def test_a_handler_can_redirect_what_it_prints(app: App, serve: Serve) -> None:
    job = app.job(talkers.redirects)
    serve()
    run = job.submit()

    assert run.result(timeout=20) == "mine alone\n"
    assert texts(logs_of(run, 1)) == ["everybody's"]


@only_sqlite
def test_a_record_whose_arguments_do_not_fit_is_told_and_hurts_nobody(
    app: App, serve: Serve
) -> None:
    job = app.job(isolation="process")(talkers.logs_nonsense)
    serve()
    run = job.submit()
    run.result(timeout=20)
    lines = list(run.follow_logs())

    assert "goes on" in texts(lines)
    assert "--- Logging error ---" in texts(lines)


@only_sqlite
def test_a_handler_that_replaces_stdout_does_not_silence_the_others_for_good(
    app: App, serve: Serve
) -> None:
    replace, talk = app.job(talkers.replaces_stdout), app.job(talkers.counts)
    serve()
    replace.submit().result(timeout=20)

    def is_heard() -> bool:
        run = talk.submit("me", 1)
        list(run.follow_logs())
        return bool(run.logs())

    eventually(is_heard)


@only_sqlite
def test_a_worker_puts_back_what_it_found_when_it_stops(app: App, serve: Serve) -> None:
    before = sys.stdout, sys.stderr, list(logging.root.handlers)
    first, second = serve(), serve()
    first.stop()
    during = sys.stdout
    second.stop()

    assert during is not before[0]
    assert (sys.stdout, sys.stderr, list(logging.root.handlers)) == before
