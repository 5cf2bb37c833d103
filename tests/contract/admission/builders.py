"""Builders for what holds runs back: a worker that claims as real ones do, and one run that waits.

`HELD` has a scene for each hold of the list: a run that this hold alone keeps from starting, and
what frees it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from rota.engine.admission import queues
from rota.engine.admission.clear_dependents import clear_waiting
from rota.engine.admission.windows import put_blackout, remove_blackout
from rota.engine.failures.breakers.control import close_breaker, open_breaker
from rota.engine.graphs import control
from rota.engine.identity.namespaces import put_namespace
from rota.engine.jobs.definitions import define
from rota.model.graphs.graph import Graph
from rota.model.identity.credentials import Quotas
from rota.model.jobs.spec import GraphTarget, JobSpec
from rota.model.runs.run import Lease, Verdict
from rota.model.schedules.definitions import Blackout
from rota.rules.jobs.claim_facts import ClaimFacts
from rota.runtime.attempts.attempt import ResolvedJob
from rota.runtime.dispatch.claim_gate import closings_now
from rota.runtime.dispatch.claims import Claims
from rota.runtime.options import WorkerScope
from rota.store.base import Store, Tx
from tests.contract.builders import HOME, Clock, finish_all, given_run, given_worker
from tests.contract.graphs.builders import JOB, graph, node
from tests.contract.schedules.builders import (
    MINUTE,
    TABLES,
    every,
    fire_some,
    given_job,
    put,
    runs_of,
)

ALWAYS = Blackout(kind="drain", start="2020-01-01T00:00Z", end="2099-01-01T00:00Z")


class ClaimingWorker:
    """A worker that obeys whatever is on record at each of its claims."""

    def __init__(self, store: Store, *jobs: str, **scope: Any) -> None:
        self.store = store
        self.id = given_worker(store)
        facts: dict[str, Any] = {"queues": ("default",)} | scope
        self.scope = WorkerScope(namespace=HOME, jobs=jobs, find_work=never, **facts)

    def claim(self, limit: int = 100) -> list[Lease]:
        def work(tx: Tx) -> list[Lease]:
            claims = Claims(self.scope)
            claims.worker_id = self.id
            claims.obey(closings_now(tx, self.scope))
            return claims.claim(tx, limit)

        return self.store.write(work)


def never(lease: Lease) -> ResolvedJob:
    raise AssertionError(lease.job)


def ended(lease: Lease, verb: str = "succeed") -> Verdict:
    """As its worker tells of it."""
    is_bad = verb in ("fail", "retry")
    return Verdict(
        run_id=lease.run_id,
        fence=lease.fence,
        verb=verb,  # type: ignore[arg-type]  # one that ends an attempt
        kind="error" if is_bad else None,
        error='{"type":"ValueError","message":"broken"}' if is_bad else None,
        result=None if is_bad else "1",
        parent_id=lease.parent_id,
        node=lease.node,
        item=lease.item,
        fired=lease.is_fired,
        watched=True,
    )


def given_graph(store: Store, flow: Graph) -> int:
    spec = JobSpec(name=flow.name, target=GraphTarget(graph=flow))
    return store.write(lambda tx: define(tx, spec, namespace=HOME))


def clear(store: Store) -> None:
    """Let go of runs whose dependencies are met."""
    store.write(lambda tx: clear_waiting(tx, compiled=TABLES, limit=1_000, after=None))


class Held(NamedTuple):
    """A run that may not start, who would claim it, and what lets it go."""

    run_id: str
    worker: ClaimingWorker
    free: Callable[[], object]
    job: str = "noop"


def _breaker(store: Store, clock: Clock) -> Held:
    given_job(store)
    run_id = given_run(store)
    store.write(lambda tx: open_breaker(tx, "noop", namespace=HOME))

    def free() -> object:
        return store.write(lambda tx: close_breaker(tx, "noop", namespace=HOME))

    return Held(run_id, ClaimingWorker(store, "noop"), free)


def _queue_pause(store: Store, clock: Clock) -> Held:
    run_id = given_run(store)
    store.write(lambda tx: queues.pause(tx, "default", namespace=HOME))

    def free() -> object:
        return store.write(lambda tx: queues.resume(tx, "default", namespace=HOME))

    return Held(run_id, ClaimingWorker(store, "noop"), free)


def _window(store: Store, clock: Clock) -> Held:
    run_id = given_run(store)
    store.write(lambda tx: put_blackout(tx, "w", ALWAYS, namespace=HOME))

    def free() -> object:
        return store.write(lambda tx: remove_blackout(tx, "w", namespace=HOME))

    return Held(run_id, ClaimingWorker(store, "noop"), free)


def _quota(store: Store, clock: Clock) -> Held:
    store.write(lambda tx: put_namespace(tx, HOME, Quotas(running=1)))
    worker = ClaimingWorker(store, "noop")
    given_run(store)
    (first,) = worker.claim()
    return Held(given_run(store), worker, lambda: finish_all(store, [ended(first)]))


def _graph_pause(store: Store, clock: Clock) -> Held:
    given_job(store, name=JOB)
    version = given_graph(store, graph([node("a")]))
    worker = ClaimingWorker(store, "flow", JOB, facts={"flow": ClaimFacts(is_graph=True)})
    graph_id = given_run(store, job="flow", version=version)
    (lease,) = worker.claim()
    finish_all(store, [ended(lease, "release")])
    store.write(lambda tx: control.pause(tx, graph_id, namespace=HOME))

    def free() -> object:
        return store.write(lambda tx: control.resume(tx, graph_id, namespace=HOME))

    return Held(lease.run_id, worker, free, job=JOB)


def _dependencies(store: Store, clock: Clock) -> Held:
    given_job(store, name="a")
    given_job(store, name="b", dependencies=("a",))
    worker = ClaimingWorker(store, "a", "b", facts={"b": ClaimFacts(is_dependent=True)})
    given_run(store, job="a")
    waiting = given_run(store, job="b")
    first, *_ = worker.claim()
    clear(store)

    def free() -> object:
        lost = finish_all(store, [ended(first)])
        clear(store)
        return lost

    return Held(waiting, worker, free, job="b")


def _graph_runs(store: Store, clock: Clock) -> Held:
    given_job(store, name=JOB)
    version = given_graph(store, graph([node("a")], max_runs=1))
    # This worker does not know of the limit: it claims the second run, which then has to wait.
    worker = ClaimingWorker(store, "flow", JOB, facts={"flow": ClaimFacts(is_graph=True)})
    given_run(store, job="flow", version=version)
    (first,) = worker.claim()
    second = given_run(store, job="flow", version=version)
    assert worker.claim() == []
    return Held(second, worker, lambda: finish_all(store, [ended(first)]), job="flow")


def _overlap(store: Store, clock: Clock) -> Held:
    given_job(store)
    put(store, every("1m", overlap="queue_all"))
    for _ in range(2):
        clock.advance(MINUTE)
        fire_some(store)
    worker = ClaimingWorker(store, "noop")
    (first,) = worker.claim()
    waiting = next(run.id for run in runs_of(store) if run.id != first.run_id)

    def free() -> object:
        finish_all(store, [ended(first)])
        return fire_some(store)

    return Held(waiting, worker, free)


HELD: dict[str, Callable[[Store, Clock], Held]] = {
    "breaker": _breaker,
    "queue pause": _queue_pause,
    "maintenance window": _window,
    "quota": _quota,
    "graph pause": _graph_pause,
    "dependencies": _dependencies,
    "graph runs": _graph_runs,
    "overlap": _overlap,
}
