"""Jobs that are told of failures, with real workers: typed, linked, and once for each."""

from __future__ import annotations

from pathlib import Path

import pytest

from rota import App, Failure, State
from rota.errors import BadOption
from tests.integration.conftest import Serve
from tests.integration.test_stored_jobs import bring, submit
from tests.support.calls import eventually


def test_a_handler_is_told_of_a_run_that_failed_for_good(app: App, serve: Serve) -> None:
    heard: list[Failure] = []

    @app.job
    def tell(failure: Failure) -> None:
        heard.append(failure)

    @app.job(retries=1, retry_delay="1ms", on_failure=tell)
    def charge(order: int) -> None:
        raise ValueError(f"order {order} is not paid")

    serve()
    run = charge.submit(7)
    assert run.wait(timeout=30).state is State.FAILED
    told = run.on_failure_run()
    assert told is not None
    told.result(timeout=30)

    (failure,) = heard
    assert (failure.run_id, failure.job, failure.attempt) == (run.id, "charge", 2)
    assert (failure.error_type, failure.error_message) == ("ValueError", "order 7 is not paid")
    assert failure.reason == "retries used up (1)"
    assert failure.failed_at == run.show().finished_at
    assert told.show().failure_of == run.id
    assert told.on_failure_run() is None


def test_a_graph_tells_and_so_do_the_jobs_of_its_nodes(app: App, serve: Serve) -> None:
    heard: list[Failure] = []

    @app.job
    def tell(failure: Failure) -> None:
        heard.append(failure)

    @app.job(retries=0, on_failure=tell)
    def load(day: str) -> None:
        raise ValueError(day)

    @app.graph(on_failure=tell)
    def nightly(day: str) -> None:
        load(day)

    serve()
    run = nightly.submit("monday")
    run.wait(timeout=30)
    eventually(lambda: len(heard) == 2)

    by_job = {each.job: each for each in heard}
    assert by_job["nightly"].run_id == run.id
    assert by_job["nightly"].error_message == "node load failed: ValueError: monday"
    assert (by_job["load"].graph_run, by_job["load"].node) == (run.id, "load")


def test_a_submit_of_a_job_that_names_nobody_known_is_refused(app: App) -> None:
    @app.job(on_failure="tel")
    def charge() -> None: ...

    @app.job
    def tell(failure: Failure) -> None: ...

    app.define([tell])
    with pytest.raises(BadOption, match=r"on_failure: no job is named 'tel'.*Did you mean 'tell'"):
        charge.submit()


def test_an_app_may_name_a_job_of_a_file(app: App, serve: Serve, tmp_path: Path) -> None:
    out = tmp_path / "told"
    bring(
        app,
        tmp_path / "mail.yaml",
        f"""
jobs:
  mail:
    command: ["sh", "-c", "echo $1 $2 > {out}", "sh", "{{job}}", "{{error_message}}"]
""",
    )

    @app.job(retries=0, on_failure="mail")
    def charge() -> None:
        raise ValueError("broken")

    serve(stored=True)
    charge.submit().wait(timeout=30)

    eventually(lambda: out.exists() and out.read_text() == "charge broken\n")


def test_a_command_of_a_file_is_told_of_another(app: App, serve: Serve, tmp_path: Path) -> None:
    out = tmp_path / "told"
    bring(
        app,
        tmp_path / "jobs.yaml",
        f"""
jobs:
  mail:
    command: ["sh", "-c", "echo $1 > {out}", "sh", "{{job}}"]
  charge:
    command: ["false"]
    retries: 0
    on_failure: mail
""",
    )
    serve(stored=True)

    submit(app, "charge").wait(timeout=30)

    eventually(lambda: out.exists() and out.read_text() == "charge\n")
