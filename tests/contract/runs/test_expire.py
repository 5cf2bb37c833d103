"""Expire: a run that waited too long is given up; one that started once is not."""

from __future__ import annotations

from rota.clock import moment
from rota.engine.runs.expire import expire
from rota.engine.runs.promote import promote
from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import (
    START_MS,
    Clock,
    claim_one,
    claim_some,
    finish_with,
    given_lease,
    given_run,
    look,
    new_run,
    state_of,
    submit_all,
)


def expire_some(store: Store, *, limit: int = 100) -> int:
    return store.write(lambda tx: expire(tx, limit=limit))


def test_a_run_expires_when_its_time_in_the_queue_is_over(store: Store, clock: Clock) -> None:
    run_id = given_run(store, expires_ms=100)
    given_run(store)

    clock.advance(99)
    early = expire_some(store)
    clock.advance(1)
    late = expire_some(store)

    run = look(store, run_id)
    assert (early, late) == (0, 1)
    assert (run.state, run.attempt, run.finished_at) == ("failed", 0, moment(START_MS + 100))
    assert "expired" in (run.reason or "")


def test_the_time_counts_from_when_the_run_was_due(store: Store, clock: Clock) -> None:
    run_id = given_run(store, delay_ms=1_000, expires_ms=100)
    clock.advance(1_050)
    store.write(lambda tx: promote(tx, limit=1))

    assert expire_some(store) == 0
    clock.advance(50)
    assert expire_some(store) == 1
    assert state_of(store, run_id) is State.FAILED


def test_a_running_run_does_not_expire(store: Store, clock: Clock) -> None:
    lease = given_lease(store, expires_ms=100)
    clock.advance(1_000)

    assert expire_some(store) == 0
    assert finish_with(store, lease) == []


def test_a_run_that_started_once_does_not_expire_while_it_waits_for_its_retry(
    store: Store, worker: str, clock: Clock
) -> None:
    given_lease(store, worker_id=worker, expires_ms=100, queue="default")
    submit_all(store, [new_run(expires_ms=100)])
    reaped = claim_one(store, worker)
    finish_with(store, reaped, "reap", kind="lost")
    clock.advance(1_000)

    assert expire_some(store) == 0
    assert [lease.run_id for lease in claim_some(store, worker)] == [reaped.run_id]


def test_a_released_run_still_expires(store: Store, worker: str, clock: Clock) -> None:
    lease = given_lease(store, worker_id=worker, expires_ms=100)
    finish_with(store, lease, "release")
    clock.advance(100)

    assert claim_some(store, worker) == []
    assert expire_some(store) == 1
    assert state_of(store, lease.run_id) is State.FAILED


def test_expired_runs_of_all_namespaces_go_in_bounded_batches(store: Store, clock: Clock) -> None:
    submit_all(store, [new_run(expires_ms=n) for n in range(1, 4)])
    submit_all(store, [new_run(expires_ms=1) for _ in range(2)], namespace="b")
    clock.advance(10)

    assert [expire_some(store, limit=2) for _ in range(4)] == [2, 2, 1, 0]
