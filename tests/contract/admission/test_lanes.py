"""Lanes: runs that some worker cannot start leave the head of their queue, and lose no place."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import closing

import pytest

from rota.engine.admission.lanes import IN_THE_WAY, Obstacle, lanes_in_use, move_to_lane, obstacles
from rota.engine.admission.queues import pause
from rota.engine.admission.windows import put_blackout
from rota.engine.failures.breakers.control import close_breaker, open_breaker
from rota.engine.insight.why import why
from rota.engine.runs.promote import promote
from rota.engine.wakeup_keys import queue_key
from rota.engine.workers.registry import NewWorker, register
from rota.ids import new_id
from rota.model.runs.run import Lease
from rota.model.schedules.definitions import Blackout
from rota.model.states import State
from rota.rules.admission.lanes import Lanes, lane_of
from rota.rules.jobs.claim_facts import ClaimFacts
from rota.runtime.attempts.attempt import ResolvedJob
from rota.runtime.dispatch.claims import Claims
from rota.runtime.options import WorkerScope
from rota.store.base import Store
from tests.contract.builders import (
    HOME,
    LEASE_MS,
    Clock,
    cancel_run,
    claim_some,
    finish_with,
    given_run,
    new_run,
    run_sql,
    state_of,
    submit_all,
)
from tests.contract.failures.breaker_builders import given_job, given_open, tend_all
from tests.contract.graphs.builders import Flow, graph, node
from tests.support.calls import eventually

MANY = IN_THE_WAY
A_LOT = Obstacle(HOME, "default", "a")


def given_runs(store: Store, count: int, *, job: str, queue: str = "default") -> list[str]:
    runs = [new_run(job=job, queue=queue) for _ in range(count)]
    return [each.id for each in submit_all(store, runs)]


def given_worker_of(store: Store, *jobs: str, queues: Sequence[str] = ("default",)) -> str:
    worker = NewWorker(
        id=new_id(),
        name="w",
        host="h",
        pid=1,
        queues=tuple(queues),
        slots=8,
        version="0",
        jobs=jobs,
    )
    store.write(lambda tx: register(tx, worker, namespace=HOME, lease_ms=LEASE_MS))
    return worker.id


def lanes_for(store: Store, *jobs: str) -> Lanes:
    return store.read(
        lambda tx: lanes_in_use(tx, namespace=HOME, queues=["default", "slow"], jobs=jobs)
    )


def claim_with_lanes(store: Store, worker: str, *jobs: str, limit: int = 100) -> list[Lease]:
    return claim_some(store, worker, jobs=jobs, limit=limit, lanes=lanes_for(store, *jobs))


def move(store: Store, obstacle: Obstacle = A_LOT) -> int:
    return store.write(lambda tx: move_to_lane(tx, obstacle))


def seen(store: Store) -> list[Obstacle]:
    return store.read(obstacles)


def test_runs_of_a_job_that_a_worker_does_not_know_are_in_the_way(store: Store) -> None:
    given_worker_of(store, "b")
    given_runs(store, MANY, job="a")

    assert seen(store) == [A_LOT]


def test_runs_of_a_job_that_only_another_worker_knows_are_in_the_way(store: Store) -> None:
    given_worker_of(store, "a", "b")
    given_worker_of(store, "b")
    given_runs(store, MANY, job="a")

    assert seen(store) == [A_LOT]


def test_runs_that_every_worker_of_the_queue_can_start_are_not(store: Store) -> None:
    given_worker_of(store, "a", "b")
    given_worker_of(store, "b", queues=("slow",))
    given_runs(store, MANY, job="a")

    assert seen(store) == []


def test_a_few_are_quickly_passed(store: Store) -> None:
    given_worker_of(store, "b")
    given_runs(store, MANY - 1, job="a")
    given_runs(store, 1, job="b")

    assert seen(store) == []


def test_runs_behind_an_open_breaker_are_in_the_way(store: Store) -> None:
    given_worker_of(store, "a", "b")
    given_job(store, name="a")
    store.write(lambda tx: open_breaker(tx, "a", namespace=HOME))
    given_runs(store, MANY, job="a")

    assert seen(store) == [A_LOT]


def test_runs_that_a_window_of_their_job_holds_are_in_the_way(store: Store) -> None:
    given_worker_of(store, "a", "b")
    window = Blackout(kind="drain", start="2020-01-01T00:00Z", end="2099-01-01T00:00Z", job="a")
    store.write(lambda tx: put_blackout(tx, "w", window, namespace=HOME))
    given_runs(store, MANY, job="a")

    assert seen(store) == [A_LOT]


def test_in_a_paused_queue_nobody_waits_behind_them(store: Store) -> None:
    given_worker_of(store, "b")
    given_runs(store, MANY, job="a")
    store.write(lambda tx: pause(tx, "default", namespace=HOME))

    assert seen(store) == []


def test_without_workers_no_lane_is_in_the_way(store: Store, clock: Clock) -> None:
    given_worker_of(store, "b")
    given_runs(store, MANY, job="a")
    clock.advance(2 * LEASE_MS)

    assert seen(store) == []


def test_a_run_that_moved_to_a_lane_is_not_claimed_from_the_front(
    store: Store, worker: str
) -> None:
    given_runs(store, 3, job="a")
    other = given_run(store, job="b")

    assert move(store) == 3
    assert [lease.run_id for lease in claim_some(store, worker, jobs=["a", "b"])] == [other]


def test_a_worker_that_knows_the_job_finds_its_lane(store: Store, worker: str) -> None:
    moved = given_runs(store, 3, job="a")
    move(store)

    assert lanes_for(store, "a", "b") == {"default": {lane_of("a"): ["a"]}}
    assert [lease.run_id for lease in claim_with_lanes(store, worker, "a", "b")] == sorted(moved)


def test_a_worker_without_the_job_reads_no_lane(store: Store) -> None:
    given_runs(store, 3, job="a")
    move(store)

    assert lanes_for(store, "b") == {}


def test_a_lane_of_another_queue_or_namespace_is_not_ours(store: Store) -> None:
    given_runs(store, 1, job="a", queue="other")
    move(store, Obstacle(HOME, "other", "a"))
    submit_all(store, [new_run(job="a")], namespace="elsewhere")
    move(store, Obstacle("elsewhere", "default", "a"))

    assert lanes_for(store, "a") == {}


@pytest.mark.parametrize("seed", range(5))
def test_wherever_runs_wait_they_are_claimed_in_their_order(
    store: Store, worker: str, clock: Clock, seed: int
) -> None:
    dice = random.Random(seed)
    jobs = ["a", "b", "c", "d"]
    for _ in range(30):
        given_run(store, job=dice.choice(jobs), priority=dice.choice([0, 0, 0, 1, -1]))
        clock.advance(dice.choice([0, 0, 500, 70_000]))
        if dice.random() < 0.2:
            move(store, Obstacle(HOME, "default", dice.choice(jobs)))
    in_order = run_sql(
        store.url, "select id from rota.run order by ready_at - 60000 * priority, id"
    )

    taken: list[str] = []
    while leases := claim_with_lanes(store, worker, *jobs, limit=dice.randint(1, 7)):
        taken += [lease.run_id for lease in leases]

    assert taken == [str(row[0]) for row in in_order]


def test_a_run_that_is_given_back_keeps_its_place_in_the_lane(store: Store, worker: str) -> None:
    first, second = given_runs(store, 2, job="a")
    move(store)
    (lease,) = claim_with_lanes(store, worker, "a", limit=1)
    finish_with(store, lease, "release")

    again = claim_with_lanes(store, worker, "a")

    assert [each.run_id for each in again] == [first, second]


def test_a_retry_begins_in_front_again(store: Store, worker: str) -> None:
    (run,) = given_runs(store, 1, job="a")
    move(store)
    (lease,) = claim_with_lanes(store, worker, "a")
    finish_with(store, lease, "retry", kind="error", error="{}", delay_ms=0)
    store.write(lambda tx: promote(tx, limit=10))

    assert [each.run_id for each in claim_some(store, worker, jobs=["a"])] == [run]


def test_the_breaker_of_a_job_holds_its_lane(store: Store, worker: str) -> None:
    given_job(store, name="a")
    given_runs(store, 3, job="a")
    move(store)
    store.write(lambda tx: open_breaker(tx, "a", namespace=HOME))
    held = claim_with_lanes(store, worker, "a")

    store.write(lambda tx: close_breaker(tx, "a", namespace=HOME))

    assert held == []
    assert len(claim_with_lanes(store, worker, "a")) == 3


def test_the_probe_of_a_breaker_is_claimed_from_the_lane(
    store: Store, worker: str, clock: Clock
) -> None:
    given_open(store, worker)
    runs = given_runs(store, 3, job="noop")
    move(store, Obstacle(HOME, "default", "noop"))
    clock.advance(30_000)
    assert tend_all(store) == 1

    probes = claim_with_lanes(store, worker, "noop")

    assert len(probes) == 1
    assert probes[0].run_id in runs


def test_a_paused_queue_gives_nothing_from_its_lanes(store: Store, worker: str) -> None:
    given_runs(store, 3, job="a")
    move(store)
    store.write(lambda tx: pause(tx, "default", namespace=HOME))

    assert claim_with_lanes(store, worker, "a") == []


def test_an_expired_run_in_a_lane_is_not_claimed(store: Store, worker: str, clock: Clock) -> None:
    given_run(store, job="a", expires_ms=1_000)
    move(store)
    clock.advance(1_001)

    assert claim_with_lanes(store, worker, "a") == []


def test_jobs_that_share_a_lane_are_told_apart(store: Store, worker: str) -> None:
    first, second = twins()
    given_runs(store, 2, job=first)
    own = given_runs(store, 2, job=second)
    for job in (first, second):
        move(store, Obstacle(HOME, "default", job))

    assert [each.run_id for each in claim_with_lanes(store, worker, second)] == own


def test_a_run_in_a_lane_counts_the_runs_ahead_in_that_lane(store: Store) -> None:
    given_runs(store, 2, job="a")
    last = given_run(store, job="a")
    move(store)
    given_runs(store, 5, job="b")
    front = given_run(store, job="b")

    assert (ahead_of(store, last), ahead_of(store, front)) == (2, 5)


def test_a_run_in_a_lane_is_queued_and_can_be_cancelled(store: Store) -> None:
    (run,) = given_runs(store, 1, job="a")
    move(store)
    before = state_of(store, run)

    cancel_run(store, run)

    assert (before, state_of(store, run)) == (State.QUEUED, State.CANCELLED)


def ahead_of(store: Store, run_id: str) -> int | None:
    reasons = store.read(lambda tx: why(tx, run_id, namespace=HOME))
    return next((each.count for each in reasons if each.kind == "ahead"), None)


def twins() -> tuple[str, str]:
    """Two names of jobs that have the same lane."""
    known: dict[int, str] = {}
    for number in range(100_000):
        name = f"job{number}"
        if lane_of(name) in known:
            return known[lane_of(name)], name
        known[lane_of(name)] = name
    raise AssertionError("no two names have the same lane")


def test_runs_of_a_graph_that_has_as_many_as_it_may_are_in_the_way(
    store: Store, worker: str
) -> None:
    flow = Flow(store, worker, graph([node("a")], max_runs=1))
    flow.start()
    given_worker_of(store, "flow", "work")
    runs = [new_run(job="flow", version=flow.version) for _ in range(MANY)]
    submit_all(store, runs)

    assert seen(store) == [Obstacle(HOME, "default", "flow")]


def test_a_claim_leaves_runs_of_such_a_graph_where_they_are(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([node("a")], max_runs=1))
    flow.start()
    waiting = [given_run(store, job="flow", version=flow.version) for _ in range(3)]
    other = given_run(store)
    claims = Claims(
        WorkerScope(
            namespace=HOME,
            queues=("default",),
            jobs=("flow", "noop"),
            facts={"flow": ClaimFacts(is_graph=True, max_runs=1)},
            find_work=never,
        )
    )
    claims.worker_id = worker

    leases = store.write(lambda tx: claims.claim(tx, 10))

    assert [lease.run_id for lease in leases] == [other]
    assert {state_of(store, run) for run in waiting} == {State.QUEUED}


def never(lease: Lease) -> ResolvedJob:
    raise AssertionError(lease.job)


def test_the_end_of_a_run_of_a_full_graph_wakes_those_who_left_the_next_alone(
    store: Store, worker: str
) -> None:
    flow = Flow(store, worker, graph([node("a")], max_runs=1))
    first = flow.start()
    given_run(store, job="flow", version=flow.version)
    keys: list[str] = []

    with closing(store.watch(keys.append)):
        cancel_run(store, first)
        eventually(lambda: queue_key(HOME, "default") in keys)
