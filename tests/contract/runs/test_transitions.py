"""Every pair of state and verb: the store allows what the table allows, and nothing else."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from functools import partial
from typing import get_args

import pytest

from rota.engine.runs.promote import promote
from rota.engine.workers.heartbeat import HeldLease, heartbeat
from rota.model.runs.run import FinishVerb, Verdict
from rota.model.states import FINAL, TRANSITIONS, State
from rota.store.base import Store
from tests.contract.builders import (
    ERROR,
    HOME,
    LEASE_MS,
    Clock,
    attempts_of,
    claim_some,
    finish_all,
    given_state,
    given_worker,
    look,
)

NOT_BUILT = {"resume"}
"""Verbs of durable code, which have no statement yet."""

BUILT = sorted(set(TRANSITIONS) - NOT_BUILT)
Act = Callable[[Store, Clock, str, int], bool]


def act_finish(store: Store, _: Clock, run_id: str, fence: int, *, verb: FinishVerb) -> bool:
    # A reason of its own: what ended a run before, sent again, would not count as lost.
    asked = Verdict(
        run_id=run_id,
        fence=fence,
        verb=verb,
        kind="error" if verb in ("retry", "fail") else None,
        error=ERROR,
        reason="walked",
    )
    return finish_all(store, [asked]) == []


def act_claim(store: Store, _: Clock, run_id: str, fence: int) -> bool:
    return run_id in [lease.run_id for lease in claim_some(store, given_worker(store))]


def act_promote(store: Store, clock: Clock, run_id: str, fence: int) -> bool:
    clock.advance(3_600_000)
    return store.write(lambda tx: promote(tx, limit=10)).count == 1


def act_heartbeat(store: Store, _: Clock, run_id: str, fence: int) -> bool:
    worker = given_worker(store)
    pulse = store.write(
        lambda tx: heartbeat(tx, worker, lease_ms=LEASE_MS, held=[HeldLease(run_id, fence)])
    )
    return pulse.lost == ()


def act_unblock(store: Store, _: Clock, run_id: str, fence: int) -> bool:
    ids = json.dumps([run_id])
    return bool(store.write(lambda tx: tx.all("unblock_runs", ids=ids)))


def act_hold(store: Store, _: Clock, run_id: str, fence: int) -> bool:
    return store.write(lambda tx: tx.execute("hold_runs", ids=json.dumps([run_id]))) == 1


def act_defer(store: Store, _: Clock, run_id: str, fence: int) -> bool:
    return store.write(lambda tx: tx.execute("defer_run", id=run_id, fence=fence)) == 1


def act_suspend(store: Store, _: Clock, run_id: str, fence: int) -> bool:
    batch = json.dumps([{"run_id": run_id, "fence": fence, "timeout_ms": None}])
    return store.write(lambda tx: tx.execute("suspend_runs", batch=batch, namespace=HOME)) == 1


ACTS: dict[str, Act] = {
    "unblock": act_unblock,
    "hold": act_hold,
    "defer": act_defer,
    "suspend": act_suspend,
    "claim": act_claim,
    "promote": act_promote,
    "heartbeat": act_heartbeat,
    **{verb: partial(act_finish, verb=verb) for verb in get_args(FinishVerb)},
}


def test_every_verb_that_is_built_is_tried() -> None:
    assert set(ACTS) == set(BUILT)


@pytest.mark.parametrize(("state", "verb"), list(itertools.product(State, BUILT)))
def test_a_verb_acts_only_from_its_own_states(
    store: Store, clock: Clock, state: State, verb: str
) -> None:
    run_id = given_state(store, state)
    before = look(store, run_id)
    change = TRANSITIONS[verb]

    applied = ACTS[verb](store, clock, run_id, before.fence)

    is_allowed = state in change.allowed
    # The lease of this run ended as cancelled: told again, also as a retry, that is no loss.
    is_done_before = state is State.CANCELLED and verb in ("abort", "retry", "release", "reap")
    assert applied == (is_allowed or is_done_before)
    assert look(store, run_id).state == (change.to if is_allowed else state)
    if not is_allowed:
        assert look(store, run_id) == before
        assert attempts_of(store, run_id) == []


@pytest.mark.parametrize("off_by", [-1, 1])
@pytest.mark.parametrize("verb", [*get_args(FinishVerb), "heartbeat"])
def test_a_wrong_fence_changes_nothing_even_where_the_verb_is_allowed(
    store: Store, clock: Clock, verb: str, off_by: int
) -> None:
    state = min(TRANSITIONS[verb].allowed)
    run_id = given_state(store, state)
    before = look(store, run_id)

    applied = ACTS[verb](store, clock, run_id, before.fence + off_by)

    assert not applied
    assert look(store, run_id) == before
    assert attempts_of(store, run_id) == []


@pytest.mark.parametrize("state", sorted(FINAL))
def test_a_final_state_is_final_for_every_verb_in_turn(
    store: Store, clock: Clock, state: State
) -> None:
    run_id = given_state(store, state)
    before = look(store, run_id)

    for verb in BUILT:
        ACTS[verb](store, clock, run_id, before.fence)

    assert look(store, run_id) == before
