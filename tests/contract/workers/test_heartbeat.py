"""Heartbeat: one row keeps all leases; the answer names what is lost and what must stop."""

from __future__ import annotations

from rota.engine.workers.heartbeat import HandlerProgress, HeartbeatReply, HeldLease, heartbeat
from rota.engine.workers.reap import reap
from rota.engine.workers.registry import retire, workers
from rota.ids import new_id
from rota.model.runs.run import Lease
from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import (
    HOME,
    LEASE_MS,
    Clock,
    cancel_run,
    claim_one,
    claim_some,
    finish_with,
    given_lease,
    given_worker,
    look,
    new_run,
    state_of,
    submit_all,
)


def beat(
    store: Store, worker: str, *leases: Lease, progress: tuple[HandlerProgress, ...] = ()
) -> HeartbeatReply:
    held = [HeldLease(lease.run_id, lease.fence) for lease in leases]
    return store.write(
        lambda tx: heartbeat(tx, worker, lease_ms=LEASE_MS, held=held, progress=progress)
    )


def test_a_heartbeat_keeps_all_runs_of_a_worker(store: Store, worker: str, clock: Clock) -> None:
    submit_all(store, [new_run() for _ in range(3)])
    leases = claim_some(store, worker)
    clock.advance(LEASE_MS - 1)

    pulse = beat(store, worker, *leases)

    clock.advance(LEASE_MS - 1)
    assert pulse == HeartbeatReply(is_known=True)
    assert store.write(lambda tx: reap(tx, limit=10)) == 0


def test_a_heartbeat_shows_in_the_list_of_workers(store: Store, worker: str, clock: Clock) -> None:
    lease = given_lease(store, worker_id=worker)
    clock.advance(7)

    store.write(
        lambda tx: heartbeat(
            tx,
            worker,
            lease_ms=LEASE_MS,
            held=[HeldLease(lease.run_id, lease.fence)],
            is_draining=True,
        )
    )

    (view,) = store.read(lambda tx: workers(tx, namespace=HOME))
    assert (view.running, view.is_draining, view.is_alive) == (1, True, True)
    assert view.seen_at == clock.ms


def test_the_answer_names_lost_and_cancelled_runs_and_no_others(store: Store, worker: str) -> None:
    submit_all(store, [new_run() for _ in range(4)])
    kept, ended, taken, unwanted = claim_some(store, worker)
    finish_with(store, ended)
    finish_with(store, taken, "release")
    claim_one(store, given_worker(store))
    cancel_run(store, unwanted.run_id)

    pulse = beat(store, worker, kept, ended, taken, unwanted)

    assert pulse.is_known
    assert set(pulse.lost) == {ended.run_id, taken.run_id}
    assert pulse.cancelled == (unwanted.run_id,)


def test_a_worker_that_was_given_up_has_lost_everything(
    store: Store, worker: str, clock: Clock
) -> None:
    lease = given_lease(store, worker_id=worker)
    clock.advance(LEASE_MS)
    store.write(lambda tx: reap(tx, limit=10))

    pulse = beat(store, worker, lease)

    assert pulse == HeartbeatReply(is_known=False, lost=(lease.run_id,))
    assert finish_with(store, lease) == [lease.run_id]


def test_a_worker_that_wakes_before_anybody_reaped_goes_on(
    store: Store, worker: str, clock: Clock
) -> None:
    lease = given_lease(store, worker_id=worker)
    clock.advance(10 * LEASE_MS)

    pulse = beat(store, worker, lease)

    assert pulse == HeartbeatReply(is_known=True)
    assert store.write(lambda tx: reap(tx, limit=10)) == 0
    assert finish_with(store, lease) == []


def test_a_retired_or_unknown_worker_is_told_so(store: Store, worker: str) -> None:
    store.write(lambda tx: retire(tx, worker))

    assert not beat(store, worker).is_known
    assert not beat(store, new_id()).is_known


def test_progress_is_noted_while_the_lease_holds(store: Store, worker: str) -> None:
    lease = given_lease(store, worker_id=worker)

    beat(
        store,
        worker,
        lease,
        progress=(HandlerProgress(lease.run_id, lease.fence, 0.25, "a quarter"),),
    )

    run = look(store, lease.run_id)
    assert (run.progress, run.progress_note) == (0.25, "a quarter")
    finish_with(store, lease)
    assert look(store, lease.run_id).progress == 1.0


def test_progress_of_a_lost_lease_is_dropped(store: Store, worker: str) -> None:
    stale = given_lease(store, worker_id=worker)
    finish_with(store, stale, "release")
    claim_one(store, given_worker(store))

    beat(store, worker, stale, progress=(HandlerProgress(stale.run_id, stale.fence, 0.9, "late"),))

    assert look(store, stale.run_id).progress is None
    assert state_of(store, stale.run_id) is State.RUNNING
