"""Cancel: a waiting run ends now, a running one is asked; no new attempt starts afterwards."""

from __future__ import annotations

import pytest

from rota.clock import moment
from rota.engine.runs.promote import promote
from rota.engine.workers.heartbeat import HeldLease, heartbeat
from rota.errors import NotAllowed, UnknownRun
from rota.ids import new_id
from rota.model.runs.run import FinishVerb
from rota.model.states import FINAL, LIVE, State
from rota.store.base import Store
from tests.contract.builders import (
    ERROR,
    LEASE_MS,
    Clock,
    attempts_of,
    cancel_run,
    claim_some,
    finish_with,
    given_lease,
    given_run,
    given_state,
    look,
    state_of,
)


@pytest.mark.parametrize("state", sorted(LIVE - {State.RUNNING}))
def test_a_waiting_run_ends_at_once(store: Store, worker: str, clock: Clock, state: State) -> None:
    run_id = given_state(store, state)

    answer = cancel_run(store, run_id, reason="not needed")

    run = look(store, run_id)
    assert (answer, run.state, run.reason) == (State.CANCELLED, State.CANCELLED, "not needed")
    assert run.finished_at == moment(clock.ms)
    assert claim_some(store, worker) == []


def test_a_running_run_is_asked_and_its_worker_is_told(store: Store, worker: str) -> None:
    lease = given_lease(store, worker_id=worker)

    answer = cancel_run(store, lease.run_id, reason="not needed")

    pulse = store.write(
        lambda tx: heartbeat(
            tx, worker, lease_ms=LEASE_MS, held=[HeldLease(lease.run_id, lease.fence)]
        )
    )
    assert answer is State.RUNNING
    assert look(store, lease.run_id).cancel_requested
    assert pulse.cancelled == (lease.run_id,)
    assert finish_with(store, lease, "abort", kind="cancelled") == []
    ended = look(store, lease.run_id)
    assert (ended.state, ended.reason) == (State.CANCELLED, "not needed")


@pytest.mark.parametrize("verb", ["retry", "release", "reap"])
def test_no_attempt_follows_an_acknowledged_cancel(
    store: Store, worker: str, clock: Clock, verb: FinishVerb
) -> None:
    lease = given_lease(store, worker_id=worker)
    cancel_run(store, lease.run_id)

    lost = finish_with(store, lease, verb, kind="error", error=ERROR)
    clock.advance(1)
    store.write(lambda tx: promote(tx, limit=10))

    assert lost == []
    assert state_of(store, lease.run_id) is State.CANCELLED
    assert claim_some(store, worker) == []


def test_an_attempt_that_is_given_back_after_a_cancel_is_on_record(
    store: Store, worker: str
) -> None:
    """It was the last: a run that says one attempt and shows none would be a riddle."""
    lease = given_lease(store, worker_id=worker)
    cancel_run(store, lease.run_id)

    finish_with(store, lease, "release")
    again = finish_with(store, lease, "release")

    (attempt,) = attempts_of(store, lease.run_id)
    assert again == []
    assert (attempt.number, attempt.fence, attempt.kind) == (1, lease.fence, "cancelled")
    assert look(store, lease.run_id).attempt == 1


@pytest.mark.parametrize(("verb", "state"), [("succeed", "success"), ("fail", "failed")])
def test_a_run_that_ends_before_it_hears_of_the_cancel_keeps_its_end(
    store: Store, verb: FinishVerb, state: str
) -> None:
    lease = given_lease(store)
    cancel_run(store, lease.run_id)

    finish_with(store, lease, verb)

    assert state_of(store, lease.run_id) == state


def test_cancelling_twice_is_no_error(store: Store) -> None:
    waiting, running = given_run(store), given_run(store, queue="slow")
    claim_some(store, new_id(), queues=["slow"])

    answers = [cancel_run(store, run_id) for run_id in (waiting, waiting, running, running)]

    assert answers == ["cancelled", "cancelled", "running", "running"]


@pytest.mark.parametrize("state", sorted(FINAL - {State.CANCELLED}))
def test_a_run_that_ended_otherwise_cannot_be_cancelled(store: Store, state: State) -> None:
    run_id = given_state(store, state)

    with pytest.raises(NotAllowed, match=f"ended as {state}"):
        cancel_run(store, run_id)

    assert state_of(store, run_id) is state


def test_an_unknown_run_cannot_be_cancelled(store: Store) -> None:
    for run_id in (new_id(), "nonsense"):
        with pytest.raises(UnknownRun):
            cancel_run(store, run_id)
