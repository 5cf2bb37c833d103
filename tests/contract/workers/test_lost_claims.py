"""Runs that a worker was given and never heard of, and runs that nobody holds."""

from __future__ import annotations

import pytest

from rota.engine.runs.promote import promote
from rota.engine.workers.heartbeat import HeartbeatReply, HeldLease, heartbeat
from rota.engine.workers.lost_claims import release
from rota.ids import new_id
from rota.model.states import LIVE, State
from rota.runtime.options import WorkerOptions, WorkerScope
from rota.runtime.store_source import StoreSource
from rota.runtime.worker import Worker
from rota.store.base import Store
from tests.contract.builders import (
    HOME,
    LEASE_MS,
    Clock,
    attempts_of,
    cancel_run,
    claim_one,
    claim_some,
    given_lease,
    given_run,
    given_state,
    look,
    new_run,
    reap_some,
    state_of,
    submit_all,
)
from tests.contract.schedules.builders import MINUTE, fire_some, given_schedule, show


def beat(store: Store, worker: str, *held: HeldLease) -> HeartbeatReply:
    return store.write(lambda tx: heartbeat(tx, worker, lease_ms=LEASE_MS, held=held))


def test_a_heartbeat_names_runs_the_worker_never_heard_of(
    store: Store, worker: str, clock: Clock
) -> None:
    submit_all(store, [new_run() for _ in range(3)])
    known, *unheard = claim_some(store, worker)
    clock.advance(LEASE_MS - 1)
    held = HeldLease(known.run_id, known.fence)

    beat(store, worker, held)
    clock.advance(1)
    early = beat(store, worker, held)
    clock.advance(1)
    late = beat(store, worker, held)

    assert early.strays == ()
    assert set(late.strays) == {HeldLease(lease.run_id, lease.fence) for lease in unheard}


def test_strays_of_another_worker_are_its_own(store: Store, worker: str, clock: Clock) -> None:
    given_lease(store, worker_id=new_id())
    clock.advance(2 * LEASE_MS)

    assert beat(store, worker).strays == ()


def unstarted_worker(store: Store) -> Worker:
    """Registered, with no service running: the test beats its heart by hand."""

    def find_nothing(_: object) -> None:
        raise LookupError

    scope = WorkerScope(namespace=HOME, queues=("default",), jobs=("noop",), find_work=find_nothing)  # type: ignore[arg-type]  # never asked
    options = WorkerOptions(chores=False)
    worker = Worker(StoreSource(store, scope, options=options, version="0"), options)
    worker._register(new_id())
    return worker


def test_a_worker_gives_back_what_it_never_heard_of(store: Store, clock: Clock) -> None:
    run_id = given_run(store)
    worker = unstarted_worker(store)
    claim_one(store, worker.id)
    clock.advance(WorkerOptions().lease_ms + 1)

    worker._heartbeat._beat()

    run = look(store, run_id)
    assert (run.state, run.attempt, run.fence, run.worker_id) == (State.QUEUED, 0, 1, None)
    assert attempts_of(store, run_id) == []


def test_the_schedule_of_a_stray_that_was_cancelled_hears_of_its_end(
    store: Store, worker: str, clock: Clock
) -> None:
    given_schedule(store, "1m")
    clock.advance(MINUTE)
    fire_some(store)
    run_id = claim_one(store, worker).run_id
    cancel_run(store, run_id)
    clock.advance(LEASE_MS + 1)

    strays = beat(store, worker).strays
    store.write(lambda tx: release(tx, strays, namespace=HOME))

    assert state_of(store, run_id) is State.CANCELLED
    assert show(store).last_state == State.CANCELLED


@pytest.mark.parametrize("state", sorted(LIVE - {State.RUNNING}))
def test_a_reaper_takes_nothing_that_no_worker_holds(
    store: Store, clock: Clock, state: State
) -> None:
    run_id = given_state(store, state)
    before = look(store, run_id)
    clock.advance(2 * LEASE_MS)

    assert reap_some(store) == 0
    assert look(store, run_id) == before


def test_a_run_that_waits_for_its_retry_is_nobodys_stray(
    store: Store, worker: str, clock: Clock
) -> None:
    run_id = given_run(store, delay_ms=5)
    clock.advance(2 * LEASE_MS)

    assert beat(store, worker).strays == ()
    store.write(lambda tx: promote(tx, limit=1))
    assert state_of(store, run_id) is State.QUEUED
