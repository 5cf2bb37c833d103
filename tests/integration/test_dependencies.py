"""Jobs that depend on others, with real workers: after them, of the same time."""

from __future__ import annotations

from pathlib import Path
from threading import Event

from rota import App, State, current_run
from tests.integration.conftest import Serve
from tests.integration.test_stored_jobs import bring, submit
from tests.support.calls import eventually


def test_a_job_runs_after_the_one_it_depends_on(app: App, serve: Serve) -> None:
    gate, order = Event(), []

    @app.job
    def extract() -> None:
        gate.wait(20)
        order.append("extract")

    @app.job(dependencies=[extract])
    def report() -> None:
        order.append("report")

    serve()
    first, second = extract.submit(), report.submit()
    eventually(lambda: any(first.id in reason.says for reason in second.why()))
    assert second.state is State.PENDING
    gate.set()
    second.result(timeout=30)

    assert order == ["extract", "report"]
    assert first.state is State.SUCCESS


def test_schedules_with_the_same_instants_go_in_order(app: App, serve: Serve) -> None:
    seen: list[tuple[str, object]] = []

    @app.job(schedule={"every": "1s"}, overlap="allow")
    def a() -> None:
        seen.append(("a", current_run().scheduled_for))

    @app.job(schedule={"every": "1s"}, overlap="allow", dependencies=["a"])
    def b() -> None:
        seen.append(("b", current_run().scheduled_for))

    serve()
    eventually(lambda: sum(name == "b" for name, _ in seen) >= 2)

    told = list(seen)
    for at, (name, instant) in enumerate(told):
        if name == "b":
            assert ("a", instant) in told[:at]


def test_a_file_says_it_too_and_a_failure_skips(app: App, serve: Serve, tmp_path: Path) -> None:
    serve(stored=True)
    text = """
jobs:
  bad: {command: sh -c 'sleep 0.5; exit 1', retries: 0}
  after: {command: echo hello, dependencies: [bad]}
"""
    bring(app, tmp_path / "f.yaml", text)
    first, second = submit(app, "bad"), submit(app, "after")

    assert second.wait(timeout=30).state is State.SKIPPED
    assert second.show().reason == f"skipped: run {first.id} of job bad ended as failed"
