"""Two versions of a job at work beside each other, with workers that have no database."""

from __future__ import annotations

from typing import Any

import pytest

from rota.engine.insight.why import why
from rota.model.graphs.graph import Graph, Node
from rota.model.jobs.spec import GraphTarget, JobSpec, PythonTarget
from rota.model.states import State
from rota.rules.jobs.accepted_arguments import takes_of
from tests.api.serving import HOME, Served
from tests.api.workers.remote_worker import Far, given_run, seen

OLD = JobSpec(name="f", target=PythonTarget(ref="shop:f"), parameters={"n": "int"})
NEW = JobSpec(name="f", target=PythonTarget(ref="shop:f"), parameters={"n": "int", "m": "int"})
STEP = JobSpec(name="step", target=PythonTarget(ref="shop:step"))
FLOW = JobSpec(
    name="f", target=GraphTarget(graph=Graph(name="f", nodes=(Node(name="s", job="step"),)))
)
MISFIT = {
    "ending": "raised",
    "error": {"type": "rota.errors.BadArguments", "message": "made for version 2"},
    "givesUp": True,
    "misfit": True,
}


def far_with(served: Served, code: JobSpec) -> Far:
    """A worker that has said what its code takes."""
    far = Far(served, jobs=("f",))
    assert far.registered.json()["hearsTakes"]
    assert claim(far, code) == []
    return far


def claim(far: Far, code: JobSpec) -> list[dict[str, Any]]:
    runs: list[dict[str, Any]] = far.good("claim", {"limit": 5, "takes": {"f": takes_of(code)}})[
        "runs"
    ]
    return runs


def test_a_run_that_does_not_fit_goes_to_the_one_worker_that_it_fits(served: Served) -> None:
    served.define(OLD)
    served.define(NEW)
    old, new = far_with(served, OLD), far_with(served, NEW)
    run_id = given_run(served, job="f", version=2, args='{"n":1,"m":2}')

    (run,) = old.claim()
    assert old.finish(run, **MISFIT).json() == {"lost": []}

    back = seen(served.app, run_id)
    assert (back.state, back.attempt, back.failures, back.error) == (State.QUEUED, 0, 0, None)
    (reason,) = served.app.store.read(lambda tx: why(tx, run_id, namespace=HOME))
    assert "code takes the arguments of version 2 of job f: 1 alive" in reason.says
    assert old.claim() == []
    (again,) = new.claim()
    assert (again["runId"], again["attempt"]) == (run_id, 1)


@pytest.mark.parametrize("other", ["gone", "draining", "as old", "elsewhere"])
def test_a_run_that_fits_nobody_fails(served: Served, other: str) -> None:
    served.define(OLD)
    served.define(NEW)
    old = far_with(served, OLD)
    beside = far_with(served, OLD if other == "as old" else NEW)
    if other == "gone":
        beside.good("retire")
    elif other == "draining":
        beside.good("heartbeat", {"draining": True})
    queue = "slow" if other == "elsewhere" else "default"
    if other == "elsewhere":
        old = Far(served, jobs=("f",), queues=("slow",))
    run_id = given_run(served, job="f", version=2, args='{"n":1,"m":2}', queue=queue)

    (run,) = old.claim()
    old.finish(run, **MISFIT)

    ended = seen(served.app, run_id)
    assert (ended.state, ended.reason) == (State.FAILED, "another attempt cannot help")


def test_who_says_of_itself_that_a_run_fits_is_not_given_it_again(served: Served) -> None:
    served.define(OLD)
    alone = far_with(served, OLD)
    run_id = given_run(served, job="f", version=1, args='{"n":"x"}')

    (run,) = alone.claim()
    alone.finish(run, **MISFIT)

    assert seen(served.app, run_id).state is State.FAILED


def test_runs_that_wait_for_a_worker_which_left_come_to_the_others_and_fail(
    served: Served,
) -> None:
    served.define(OLD)
    served.define(NEW)
    old, new = far_with(served, OLD), far_with(served, NEW)
    run_id = given_run(served, job="f", version=2, args='{"n":1,"m":2}')
    (run,) = old.claim()
    old.finish(run, **MISFIT)
    assert old.claim() == []

    new.good("retire")
    (again,) = old.claim()
    old.finish(again, **MISFIT)

    assert seen(served.app, run_id).state is State.FAILED


def test_a_worker_gets_no_graph_to_carry_out_because_its_name_is_a_job_now(
    served: Served,
) -> None:
    served.define(STEP)
    served.define(FLOW)
    served.define(OLD)
    run_id = given_run(served, job="f", version=1, args="{}")
    far = Far(served, jobs=("f", "step"))

    claimed = [run["job"] for run in far.claim()]

    assert claimed == ["step"]
    assert seen(served.app, run_id).state is State.SUSPENDED


def test_a_worker_gets_the_job_that_its_name_was_before_it_became_a_graph(served: Served) -> None:
    served.define(STEP)
    served.define(OLD)
    served.define(FLOW)
    run_id = given_run(served, job="f", version=1, args='{"n":1}')
    far = Far(served, jobs=("f", "step"))

    (run,) = far.claim()

    assert (run["runId"], run["job"]) == (run_id, "f")
