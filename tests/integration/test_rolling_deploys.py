"""Two versions of an app at work beside each other, and one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from rota import App, RunFailed, State
from rota.runtime.dispatch.claim_gate import ClaimGate
from rota.runtime.worker import Worker
from tests.contract.builders import run_sql
from tests.integration import deployed_jobs
from tests.integration.conftest import FAST
from tests.integration.test_stored_jobs import bring, submit
from tests.support.calls import eventually

MANY = 20


def first(url: str) -> App:
    app = App(url, name="shop")

    @app.job(retries=0)
    def step(n: int) -> str:
        return f"first {n}"

    @app.job(retries=0)
    def becomes_graph(n: int) -> str:
        return f"job {n}"

    @app.graph
    def becomes_job(n: int) -> Any:
        return step(n)

    @app.job
    def changed(n: int) -> str:
        return f"first {n}"

    @app.graph
    def around(n: int) -> Any:
        return changed(n)

    return app


def second(url: str) -> App:
    app = App(url, name="shop")

    @app.job(retries=0)
    def step(n: int) -> str:
        return f"second {n}"

    @app.graph
    def becomes_graph(n: int) -> Any:
        return step(n)

    @app.job(retries=0)
    def becomes_job(n: int) -> str:
        return f"job {n}"

    @app.job
    def changed(n: int, m: int) -> str:
        return f"second {n} {m}"

    @app.graph
    def around(n: int) -> Any:
        return changed(n, 7)

    return app


class Deploys:
    """Apps on one store, with workers that end with the test."""

    def __init__(self, url: str, stack: ExitStack) -> None:
        self.old = stack.enter_context(first(url))
        self.old.define(self.old.everything.values())
        self.new = stack.enter_context(second(url))
        self._stack = stack

    def serve(self, app: App, **options: Any) -> Worker:
        worker = app.worker(**FAST | options)
        worker.start()
        self._stack.callback(worker.stop)
        return worker


@pytest.fixture
def deploys(store_url: str) -> Iterator[Deploys]:
    with ExitStack() as stack:
        yield Deploys(store_url, stack)


def test_a_graph_that_is_a_job_now_begins_as_the_graph_of_its_version(deploys: Deploys) -> None:
    run = deploys.old.graphs["becomes_job"].submit(1)

    deploys.serve(deploys.new)

    assert run.result(timeout=20) == "second 1"
    assert deploys.new.jobs["becomes_job"].submit(2).result(timeout=20) == "job 2"


def test_a_worker_without_graphs_begins_those_of_other_versions(store_url: str) -> None:
    with App(store_url) as old, App(store_url) as new:

        @old.job(name="step")
        def old_step() -> str:
            return "old"

        @old.graph(name="late")
        def old_late() -> Any:
            return old_step()

        run = old_late.submit()

        @new.job(name="step")
        def new_step() -> str:
            return "new"

        @new.job(name="late")
        def new_late() -> str:
            return "job"

        worker = new.worker(**FAST)
        worker.start()
        try:
            assert run.result(timeout=20) == "new"
            assert run.show().failures == 0
            assert new_late.submit().result(timeout=20) == "job"
        finally:
            worker.stop()


def test_a_job_that_is_a_graph_now_fails_in_words_when_nobody_has_its_function(
    deploys: Deploys,
) -> None:
    run = deploys.old.jobs["becomes_graph"].submit(1)

    deploys.serve(deploys.new)

    with pytest.raises(RunFailed, match="made for version 1 of job becomes_graph, a function"):
        run.result(timeout=20)
    ended = run.show()
    assert ended.error is not None
    assert "has version 2, where it is a graph" in ended.error.message
    assert "worker with code of that version" in ended.error.message


def test_a_run_is_carried_out_by_its_own_version_whatever_worker_claims_it(
    deploys: Deploys,
) -> None:
    deploys.serve(deploys.old)
    deploys.serve(deploys.new)
    old, new = deploys.old, deploys.new

    jobs = [old.jobs["becomes_graph"].submit(n) for n in range(MANY)]
    graphs = [old.graphs["becomes_job"].submit(n) for n in range(MANY)]
    later_jobs = [new.jobs["becomes_job"].submit(n) for n in range(MANY)]
    later_graphs = [new.graphs["becomes_graph"].submit(n) for n in range(MANY)]

    assert [run.result(timeout=60) for run in jobs] == [f"job {n}" for n in range(MANY)]
    assert [run.result(timeout=60) for run in later_jobs] == [f"job {n}" for n in range(MANY)]
    for run in (*graphs, *later_graphs):
        assert run.result(timeout=60).split()[0] in ("first", "second")


@pytest.mark.parametrize("isolation", ["thread", "process"])
def test_runs_whose_arguments_do_not_fit_go_to_a_worker_that_they_fit(
    store_url: str, isolation: str
) -> None:
    with ExitStack() as stack:
        apps = [stack.enter_context(App(store_url, name="shop")) for _ in range(2)]
        named = {"name": "changed", "isolation": isolation}
        old = apps[0].job(**named)(deployed_jobs.old_changed)
        new = apps[1].job(**named)(deployed_jobs.new_changed)
        for app in apps:
            worker = app.worker(**FAST)
            worker.start()
            stack.callback(worker.stop)

        old_runs, new_runs = [], []
        for n in range(MANY):
            old_runs.append(old.submit(n))
            new_runs.append(new.submit(n, n))

        assert [run.result(timeout=60) for run in old_runs] == [f"old {n}" for n in range(MANY)]
        assert [run.result(timeout=60) for run in new_runs] == [f"new {n} {n}" for n in range(MANY)]
        for run in (*old_runs, *new_runs):
            assert (run.show().attempt, run.show().failures) == (1, 0)


def test_nodes_whose_arguments_do_not_fit_go_to_a_worker_that_they_fit(deploys: Deploys) -> None:
    deploys.serve(deploys.old)
    deploys.serve(deploys.new)

    old = [deploys.old.graphs["around"].submit(n) for n in range(MANY)]
    new = [deploys.new.graphs["around"].submit(n) for n in range(MANY)]

    assert [run.result(timeout=60) for run in old] == [f"first {n}" for n in range(MANY)]
    assert [run.result(timeout=60) for run in new] == [f"second {n} 7" for n in range(MANY)]


def test_new_arguments_on_old_code_alone_fail_and_say_which_versions_those_are(
    deploys: Deploys,
) -> None:
    run = deploys.new.jobs["changed"].submit(1, 2)

    deploys.serve(deploys.old)

    with pytest.raises(RunFailed, match="made for version 2 of job changed and this worker has"):
        run.result(timeout=20)
    error = run.show().error
    assert error is not None
    assert "this worker has version 1" in error.message
    assert "any more" not in error.message


def test_a_run_whose_last_fitting_worker_leaves_fails_instead_of_waiting(
    deploys: Deploys, store_url: str
) -> None:
    gone = deploys.serve(deploys.old, slots=1, lease_ms=60_000)
    gone._courier.claim_on(claiming=False)  # alive, and takes nothing
    stays = deploys.serve(deploys.new)

    run = deploys.old.jobs["changed"].submit(1)
    eventually(lambda: _ranks(store_url) and run.show().state is State.QUEUED)
    says = " ".join(reason.says for reason in run.why())
    gone.stop()
    (claim_gate,) = (each for each in stays._services if isinstance(each, ClaimGate))
    claim_gate.wake()  # or within ten seconds by itself

    with pytest.raises(RunFailed, match="made for version 1 of job changed"):
        run.result(timeout=30)
    assert "worker whose code takes the arguments of version 1" in says


def _ranks(url: str) -> list[Any]:
    """Runs that wait in a lane."""
    return run_sql(url, "select id from rota.run where rank >= 17592186044416")


def test_a_graph_of_a_file_that_is_a_job_now_begins_as_the_graph_of_its_version(
    app: App, tmp_path: Path
) -> None:
    bring(app, tmp_path / "z.yaml", "graphs: {z: {nodes: {w: {command: echo graph}}}}")
    old = submit(app, "z")
    bring(app, tmp_path / "z.yaml", "jobs: {z: {command: echo job}}")
    new = submit(app, "z")
    worker = app.worker(**FAST, stored=True)
    worker.start()
    try:
        ended = old.wait(timeout=20)
        assert new.result(timeout=20)["stdout"] == "job\n"
    finally:
        worker.stop()

    assert ended.state is State.SUCCESS
    assert [(node.name, node.state) for node in old.nodes()] == [("w", "success")]


def test_a_program_that_a_file_put_in_the_place_of_a_graph_needs_a_worker_that_may(
    app: App, tmp_path: Path
) -> None:
    @app.job
    def step() -> None: ...

    @app.graph
    def taken() -> Any:
        return step()

    app.define(app.everything.values())
    bring(
        app, tmp_path / "t.yaml", "jobs: {taken: {command: echo job, retries: 0}}", take_over=True
    )
    run = submit(app, "taken")
    worker = app.worker(**FAST)
    worker.start()
    try:
        ended = run.wait(timeout=20)
    finally:
        worker.stop()

    assert ended.state is State.FAILED
    assert ended.error is not None
    assert "start one with --stored" in ended.error.message
