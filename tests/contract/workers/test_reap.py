"""Reap: runs of dead workers come back, a bounded number of times, and never by age."""

from __future__ import annotations

import pytest

from rota.engine.jobs.definitions import define
from rota.engine.runs.promote import promote
from rota.engine.workers.registry import retire, workers
from rota.ids import new_id
from rota.model.jobs.spec import JobSpec, PythonTarget
from rota.model.runs.run import Lease
from rota.model.states import State
from rota.rules.failures.retry import MAX_CRASHES, MAX_LOSSES
from rota.store.base import Store
from tests.contract.builders import (
    ERROR,
    HOME,
    LEASE_MS,
    Clock,
    attempts_of,
    cancel_run,
    claim_one,
    claim_some,
    finish_with,
    given_lease,
    given_run,
    given_worker,
    look,
    new_run,
    reap_some,
    state_of,
    submit_all,
)


def test_a_run_of_a_worker_whose_lease_ran_out_is_queued_again(
    store: Store, worker: str, clock: Clock
) -> None:
    lease = given_lease(store, worker_id=worker)

    clock.advance(LEASE_MS - 1)
    early = reap_some(store)
    clock.advance(1)
    late = reap_some(store)

    run = look(store, lease.run_id)
    (attempt,) = attempts_of(store, lease.run_id)
    assert (early, late) == (0, 1)
    assert (run.state, run.crashes, run.failures, run.worker_id) == ("queued", 1, 0, None)
    assert (attempt.number, attempt.kind, attempt.worker_id) == (1, "lost", worker)
    assert attempt.error is not None
    assert attempt.error.type == "WorkerLost"


def test_a_run_of_a_worker_without_a_row_is_queued_again(store: Store, worker: str) -> None:
    lease = given_lease(store, worker_id=worker)
    store.write(lambda tx: retire(tx, worker))

    assert reap_some(store) == 1
    assert state_of(store, lease.run_id) is State.QUEUED


def test_a_claim_by_a_worker_that_never_registered_is_taken_back(store: Store) -> None:
    lease = given_lease(store, worker_id=new_id())

    assert reap_some(store) == 1
    assert state_of(store, lease.run_id) is State.QUEUED


def test_a_run_is_not_reaped_for_its_age(store: Store, clock: Clock) -> None:
    patient = given_worker(store, lease_ms=10 * 86_400_000)
    lease = given_lease(store, worker_id=patient)
    clock.advance(9 * 86_400_000)

    assert reap_some(store) == 0
    assert finish_with(store, lease) == []


def test_the_reaped_worker_cannot_finish_the_run_of_its_successor(
    store: Store, worker: str, clock: Clock
) -> None:
    stale = given_lease(store, worker_id=worker)
    clock.advance(LEASE_MS)
    reap_some(store)
    fresh = claim_one(store, given_worker(store))

    lost = finish_with(store, stale, result='"stale"')

    assert lost == [stale.run_id]
    assert (fresh.fence, fresh.attempt, fresh.crashes) == (2, 2, 1)
    assert finish_with(store, fresh, result='"fresh"') == []
    assert look(store, stale.run_id).result == '"fresh"'


def test_a_run_is_not_given_up_for_workers_that_died_with_it(store: Store) -> None:
    run_id = given_run(store)
    for _ in range(3 * MAX_CRASHES):
        dead = given_worker(store)
        claim_one(store, dead)
        reap_some(store, worker_id=dead)

    run = look(store, run_id)
    assert (run.state, run.crashes, run.failures) == ("queued", 3 * MAX_CRASHES, 0)
    assert finish_with(store, claim_one(store, given_worker(store))) == []
    assert state_of(store, run_id) is State.SUCCESS


def test_a_run_whose_workers_die_while_it_alone_is_suspected_is_given_up(
    store: Store,
) -> None:
    """It was in a process of its own, and a program of it kills the worker."""
    run_id = given_run(store)
    for _ in range(MAX_LOSSES + 1):  # at the first loss it had been among others
        beside = given_run(store)
        dead = given_worker(store)
        claim_some(store, dead, limit=2)
        reap_some(store, worker_id=dead)
        finish_with(store, _leased(store, beside))

    run = look(store, run_id)
    assert (run.state, run.crashes) == ("failed", MAX_LOSSES + 1)
    assert (run.reason or "").startswith(f"quarantined: its worker died {MAX_LOSSES} times while")


@pytest.mark.parametrize(
    ("max_losses", "state", "losses", "says"),
    [
        (1, "failed", 2, "quarantined: its worker died once while"),
        (3, "failed", 4, "quarantined: its worker died 3 times while"),
        (0, "queued", MAX_LOSSES + 3, ""),
        (MAX_LOSSES + 5, "queued", MAX_LOSSES + 3, ""),
    ],
)
def test_the_limit_of_lone_losses_is_the_jobs_own(
    store: Store, max_losses: int, state: str, losses: int, says: str
) -> None:
    spec = JobSpec(name="noop", target=PythonTarget(ref="m:f"), max_losses=max_losses)
    version = store.write(lambda tx: define(tx, spec, namespace=HOME))
    run_id = given_run(store, version=version)
    for _ in range(losses):  # at the first loss it had been among others
        assert state_of(store, run_id) is State.QUEUED
        dead = given_worker(store)
        claim_one(store, dead)
        reap_some(store, worker_id=dead)

    run = look(store, run_id)
    assert (run.state, run.crashes) == (state, losses)
    assert (run.reason or "").startswith(says)


def test_none_of_several_suspects_is_given_up_for_its_worker(store: Store) -> None:
    ids = [given_run(store), given_run(store)]
    for _ in range(MAX_LOSSES + 3):
        dead = given_worker(store)
        claim_some(store, dead, limit=2)
        reap_some(store, worker_id=dead)

    assert {state_of(store, each) for each in ids} == {State.QUEUED}


def test_a_run_is_not_given_up_for_leases_that_ended(store: Store, clock: Clock) -> None:
    """A machine that vanished, a network, a deploy: nobody saw its worker die of anything."""
    run_id = given_run(store)
    for _ in range(MAX_LOSSES + 3):
        claim_one(store, given_worker(store))
        clock.advance(LEASE_MS)
        reap_some(store)

    assert state_of(store, run_id) is State.QUEUED


def _leased(store: Store, run_id: str) -> Lease:
    leases = claim_some(store, given_worker(store), limit=2)
    for lease in leases:
        if lease.run_id != run_id:
            finish_with(store, lease, "release")
    return next(lease for lease in leases if lease.run_id == run_id)


def test_a_run_that_was_alone_in_three_processes_that_died_is_given_up(
    store: Store, worker: str
) -> None:
    run_id = given_run(store)
    how = "the process of the handler was killed by SIGSEGV"
    for kind in ("lost", "crash", "crash"):
        limit = MAX_CRASHES if kind == "crash" else 0
        lease = claim_one(store, worker)
        finish_with(store, lease, "reap", kind=kind, error=ERROR, reason=how, max_crashes=limit)
    assert state_of(store, run_id) is State.QUEUED, "two of these were its own fault, and not three"

    lease = claim_one(store, worker)
    last = {"kind": "crash", "error": ERROR, "reason": how, "max_crashes": MAX_CRASHES}
    assert finish_with(store, lease, "reap", **last) == []
    assert finish_with(store, lease, "reap", **last) == [], "sent again, its answer was lost"

    run = look(store, run_id)
    assert (run.state, run.crashes, run.attempt) == ("failed", 4, 4)
    assert run.reason == (
        f"quarantined: {how} while it ran alone, 3 times; find out why before you redrive it"
    )
    assert [each.kind for each in attempts_of(store, run_id)].count("crash") == MAX_CRASHES


def test_the_limit_of_crashes_is_the_jobs_own(store: Store, worker: str) -> None:
    run_id = given_run(store)
    finish_with(store, claim_one(store, worker), "reap", kind="crash", error=ERROR, max_crashes=1)

    assert look(store, run_id).state is State.FAILED


def test_errors_in_between_do_not_count_as_crashes(store: Store, worker: str, clock: Clock) -> None:
    run_id = given_run(store)
    for _ in range(MAX_CRASHES - 1):
        finish_with(store, claim_one(store, worker), "reap", kind="lost")

    finish_with(store, claim_one(store, worker), "retry", kind="error", error=ERROR)
    clock.advance(1)
    store.write(lambda tx: promote(tx, limit=1))

    lease = claim_one(store, worker)
    assert (lease.crashes, lease.failures, lease.attempt) == (MAX_CRASHES - 1, 1, MAX_CRASHES + 1)
    assert state_of(store, run_id) is State.RUNNING


def test_an_at_most_once_run_is_lost_not_repeated(store: Store, worker: str, clock: Clock) -> None:
    lease = given_lease(store, worker_id=worker, at_most_once=True)
    clock.advance(LEASE_MS)

    reap_some(store)

    run = look(store, lease.run_id)
    assert run.state is State.FAILED
    assert "lost" in (run.reason or "")
    assert claim_some(store, worker) == []
    assert finish_with(store, lease) == [lease.run_id]


def test_a_worker_known_to_be_dead_is_reaped_before_its_lease_runs_out(
    store: Store, worker: str
) -> None:
    other = given_worker(store)
    mine = given_lease(store, worker_id=worker)
    others = given_lease(store, worker_id=other)

    assert reap_some(store, worker_id=worker) == 1

    assert state_of(store, mine.run_id) is State.QUEUED
    assert state_of(store, others.run_id) is State.RUNNING


def test_a_run_that_was_asked_to_stop_is_cancelled_not_repeated(
    store: Store, worker: str, clock: Clock
) -> None:
    lease = given_lease(store, worker_id=worker)
    cancel_run(store, lease.run_id)
    clock.advance(LEASE_MS)

    assert reap_some(store) == 1

    assert state_of(store, lease.run_id) is State.CANCELLED


def test_many_orphans_are_taken_back_in_bounded_batches(
    store: Store, worker: str, clock: Clock
) -> None:
    submit_all(store, [new_run() for _ in range(7)])
    claim_some(store, worker)
    clock.advance(LEASE_MS)

    assert [reap_some(store, limit=3) for _ in range(4)] == [3, 3, 1, 0]


def test_a_dead_worker_leaves_the_list_when_its_runs_are_taken_back(
    store: Store, worker: str, clock: Clock
) -> None:
    submit_all(store, [new_run() for _ in range(2)])
    claim_some(store, worker)
    clock.advance(LEASE_MS)

    reap_some(store, limit=1)
    halfway = store.read(lambda tx: workers(tx, namespace=HOME))
    reap_some(store, limit=10)

    assert [view.is_alive for view in halfway] == [False]
    assert store.read(lambda tx: workers(tx, namespace=HOME)) == []


def test_runs_of_several_namespaces_are_reaped_together(store: Store, clock: Clock) -> None:
    for namespace in ("a", "b"):
        given_run(store, namespace=namespace)
        claim_some(store, given_worker(store, namespace=namespace), namespace=namespace)
    clock.advance(LEASE_MS)

    assert reap_some(store) == 2


def test_runs_that_were_claimed_ahead_did_not_kill_the_worker(
    store: Store, worker: str, clock: Clock
) -> None:
    submitted = submit_all(store, [new_run() for _ in range(11)])
    claim_some(store, worker, limit=11)
    clock.advance(LEASE_MS)

    assert reap_some(store, limit=100) == 11

    views = [look(store, each.id) for each in submitted]
    assert [view.crashes for view in views] == [1] * 8 + [0] * 3
    assert [view.attempt for view in views] == [1] * 8 + [0] * 3
    assert {view.state for view in views} == {State.QUEUED}


def test_a_run_that_crashed_before_is_suspected_wherever_it_stands(
    store: Store, worker: str, clock: Clock
) -> None:
    (first,) = submit_all(store, [new_run()])
    claim_some(store, worker)
    clock.advance(LEASE_MS)
    reap_some(store)
    other = given_worker(store)
    submit_all(store, [new_run(priority=10) for _ in range(8)])
    claim_some(store, other, limit=9)
    clock.advance(LEASE_MS)

    reap_some(store, limit=100)

    assert look(store, first.id).crashes == 2
