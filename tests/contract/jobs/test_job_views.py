"""What jobs do and did: counted from few statements, each job on its own."""

from __future__ import annotations

from typing import Any

import msgspec

from rota.engine.graphs.control import pause
from rota.engine.jobs.definitions import define
from rota.engine.jobs.views import RECENT, Activity, activity, versions
from rota.model.jobs.spec import JobSpec, PythonTarget
from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import HOME, Clock, claim_some, finish_with, given_run, given_worker
from tests.contract.graphs.builders import Flow, graph, node
from tests.contract.schedules.builders import every, given_job, next_ms, put


def look(store: Store, *names: str) -> dict[str, Activity]:
    return store.read(lambda tx: activity(tx, names, namespace=HOME))


def end(store: Store, clock: Clock, job: str, verb: Any, *, took_ms: int = 100) -> str:
    """A run of the job that has ended."""
    run_id = given_run(store, job=job)
    (lease,) = claim_some(store, given_worker(store), jobs=(job,))
    clock.advance(took_ms)
    assert finish_with(store, lease, verb, kind="error" if verb == "fail" else None) == []
    return run_id


def bring(store: Store, spec: JobSpec) -> None:
    store.write(lambda tx: define(tx, spec, namespace=HOME, origin="api"))


def test_a_job_without_runs_has_nothing_to_tell(store: Store) -> None:
    found = look(store, "a")["a"]

    assert (found.last, found.running, found.queued, found.schedules) == ((), 0, 0, 0)
    assert (found.success_rate, found.p95_ms, found.next_at) == (None, None, None)


def test_the_newest_runs_come_first_and_each_job_has_its_own(store: Store, clock: Clock) -> None:
    first, last = end(store, clock, "a", "succeed"), end(store, clock, "a", "fail")
    other = end(store, clock, "b", "succeed")
    given_run(store, job="a", namespace="elsewhere")

    found = look(store, "a", "b")

    assert [each.run_id for each in found["a"].last] == [last, first]
    assert [each.state for each in found["a"].last] == [State.FAILED, State.SUCCESS]
    assert [each.run_id for each in found["b"].last] == [other]
    assert (found["a"].success_rate, found["b"].success_rate) == (0.5, 1.0)


def test_no_more_than_thirty_runs_are_told_of(store: Store, clock: Clock) -> None:
    ids = [end(store, clock, "a", "succeed", took_ms=n) for n in range(RECENT + 5)]

    found = look(store, "a")["a"]

    assert [each.run_id for each in found.last] == ids[::-1][:RECENT]
    assert [each.duration_ms for each in found.last[:3]] == [34, 33, 32]
    assert found.p50_ms == 19, "15 of the last 30 took no longer than 19 ms"
    assert found.p95_ms == 33, "28 of the last 30 took no longer than 33 ms"


def test_running_and_waiting_runs_are_counted(store: Store) -> None:
    for job in ("a", "a", "a", "b"):
        given_run(store, job=job)
    given_run(store, job="a", delay_ms=60_000)
    claim_some(store, given_worker(store), jobs=("a",), limit=1)

    found = look(store, "a", "b")

    assert [(each.running, each.queued) for each in found.values()] == [(1, 2), (0, 1)]


def test_the_next_firing_is_that_of_the_schedule_that_comes_first(
    store: Store, clock: Clock
) -> None:
    given_job(store)
    put(store, every("1h"), name="slow")
    soon = put(store, every("1m"), name="fast")
    put(store, every("1s", is_paused=True), name="held")

    found = look(store, "noop")["noop"]

    assert (found.schedules, found.next_at) == (3, next_ms(soon))


def test_versions_are_told_newest_first_in_pages(store: Store) -> None:
    spec = JobSpec(name="a", target=PythonTarget(ref="m:f"))
    for priority in range(4):
        bring(store, msgspec.structs.replace(spec, priority=priority))

    first = store.read(lambda tx: versions(tx, "a", namespace=HOME, limit=3))
    rest = store.read(lambda tx: versions(tx, "a", namespace=HOME, before=2, limit=3))

    assert [(each.version, each.spec.priority) for each in first] == [(4, 3), (3, 2), (2, 1)]
    assert [each.version for each in rest] == [1]
    assert rest[0].origin == "api"


def test_a_graph_whose_nodes_go_on_runs_and_a_paused_one_does_not(
    store: Store, worker: str
) -> None:
    flow = Flow(store, worker, graph([node("a"), node("b", "a")]))
    begun = [flow.start() for _ in range(3)]
    store.write(lambda tx: pause(tx, begun[0], namespace=HOME))

    found = look(store, "flow", "other")

    assert (found["flow"].running, found["flow"].paused, found["flow"].last) == (2, 1, ())
    assert (found["other"].running, found["other"].paused) == (0, 0)
