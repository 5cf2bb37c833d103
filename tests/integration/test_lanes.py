"""Runs that a worker cannot start do not keep it from the others: real workers, real chores."""

from __future__ import annotations

from rota import App, State
from rota.engine.jobs.definitions import define
from rota.engine.runs.submit import submit
from rota.ids import new_id
from rota.model.jobs.spec import JobSpec, PythonTarget
from rota.model.runs.run import NewRun
from tests.contract.builders import run_sql
from tests.integration.conftest import Serve
from tests.support.calls import eventually

MANY = 2_000


def given_strange_runs(app: App) -> list[str]:
    """Runs of a job that only another app knows."""
    spec = JobSpec(name="strange", target=PythonTarget(ref="elsewhere:strange"))
    app.store.write(lambda tx: define(tx, spec, namespace=app.namespace))
    runs = [NewRun(id=new_id(), job="strange", version=1) for _ in range(MANY)]
    app.store.write(lambda tx: submit(tx, runs, namespace=app.namespace))
    return [run.id for run in runs]


def in_front(app: App) -> int:
    """How many queued runs claims read before they know that they are not theirs."""
    ((count,),) = run_sql(
        app.url, "select count(*) from rota.run where state = 'queued' and rank < 17592186044416"
    )
    return int(count)


def test_what_nobody_knows_leaves_the_head_of_the_queue_and_is_done_when_somebody_does(
    app: App, serve: Serve
) -> None:
    @app.job
    def known(n: int) -> int:
        return n

    strange = given_strange_runs(app)
    serve()
    eventually(lambda: in_front(app) == 0)
    results = [run.result(timeout=60) for run in known.submit_many(range(20))]
    waiting = {app.run(run_id).state for run_id in strange[:20]}

    done: list[str] = []
    with App(app.url, namespace=app.namespace) as other:

        @other.job(name="strange")
        def strange_job() -> None:
            done.append("")

        worker = other.worker(slots=4)
        worker.start()
        eventually(lambda: app.run(strange[-1]).state is State.SUCCESS)
        eventually(lambda: all(app.run(run_id).state is State.SUCCESS for run_id in strange))
        worker.stop()

    assert results == list(range(20))
    assert waiting == {State.QUEUED}
    assert len(done) == MANY


def test_a_job_held_back_by_its_breaker_waits_in_its_lane_until_it_is_let_go(
    app: App, serve: Serve
) -> None:
    done: list[str] = []

    @app.job
    def held(n: int) -> None:
        done.append("held")

    @app.job
    def free() -> None:
        done.append("free")

    runs = [held.submit(0)]  # with that the job is on record
    app.breakers.open("held")
    runs += held.submit_many(range(1, MANY))
    serve()
    eventually(lambda: in_front(app) == 0)

    free.submit().wait(timeout=60)
    before = list(done)
    app.breakers.close("held")
    for run in runs:
        run.wait(timeout=60)

    assert before == ["free"]
    assert done.count("held") == MANY
