"""Promote: what is due joins its queue, longest due first, and the next wait is told."""

from __future__ import annotations

from rota.engine.runs.promote import Promoted, promote
from rota.engine.wakeup_keys import queue_key
from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import (
    Clock,
    claim_one,
    finish_with,
    given_lease,
    given_run,
    new_run,
    state_of,
    submit_all,
)


def promote_some(store: Store, *, limit: int = 100) -> Promoted:
    return store.write(lambda tx: promote(tx, limit=limit))


def test_an_empty_store_has_nothing_to_promote(store: Store) -> None:
    given_run(store)

    assert promote_some(store) == Promoted(count=0, next_in_ms=None)


def test_a_run_is_promoted_when_its_time_has_come_and_not_before(
    store: Store, clock: Clock
) -> None:
    run_id = given_run(store, delay_ms=100)

    clock.advance(99)
    early = promote_some(store)
    clock.advance(1)
    on_time = promote_some(store)

    assert (early, on_time) == (Promoted(count=0, next_in_ms=1), Promoted(count=1, next_in_ms=None))
    assert state_of(store, run_id) is State.QUEUED


def test_the_next_wait_is_that_of_the_earliest_run_of_all_namespaces(
    store: Store, clock: Clock
) -> None:
    given_run(store, delay_ms=300)
    given_run(store, delay_ms=200, namespace="b")
    given_run(store, delay_ms=50)
    clock.advance(60)

    assert promote_some(store) == Promoted(count=1, next_in_ms=140)


def test_the_longest_due_go_first_and_the_rest_is_due_at_once(store: Store, clock: Clock) -> None:
    runs = [new_run(delay_ms=delay) for delay in (50, 10, 40, 20, 30)]
    submit_all(store, runs)
    clock.advance(100)

    promoted = promote_some(store, limit=3)

    queued = [n for n, run in enumerate(runs) if state_of(store, run.id) is State.QUEUED]
    assert queued == [1, 3, 4]
    assert promoted == Promoted(count=3, next_in_ms=-60)


def test_a_retry_is_promoted_after_its_backoff(store: Store, worker: str, clock: Clock) -> None:
    lease = given_lease(store, worker_id=worker)
    finish_with(store, lease, "retry", kind="error", delay_ms=1_000)
    clock.advance(1_000)

    promote_some(store)

    again = claim_one(store, worker)
    assert (again.run_id, again.attempt, again.failures) == (lease.run_id, 2, 1)


def test_the_queues_that_got_runs_are_woken_in_their_namespace(store: Store, clock: Clock) -> None:
    given_run(store, queue="slow", delay_ms=10)
    given_run(store, queue="fast", delay_ms=10, namespace="b")
    clock.advance(10)
    woken: set[str] = set()
    watch = store.watch(woken.add)

    promote_some(store)

    watch.close()
    assert woken >= {queue_key("default", "slow"), queue_key("b", "fast")}
