"""Prune: what is past its retention goes, in batches; what lives stays."""

from __future__ import annotations

import pytest

from rota.engine.prune import DAY_MS, Retention, prune
from rota.errors import UnknownRun
from rota.model.runs.run import Submitted
from rota.model.states import FINAL, LIVE, State
from rota.store.base import Store
from tests.contract.builders import (
    ERROR,
    Clock,
    attempts_of,
    claim_some,
    finish_all,
    finish_with,
    given_lease,
    given_state,
    look,
    new_run,
    run_sql,
    state_of,
    submit_all,
    verdict,
)

KEPT = Retention(success_ms=2 * DAY_MS, failure_ms=5 * DAY_MS)
GOOD = {State.SUCCESS, State.SKIPPED}


def prune_some(store: Store, *, limit: int = 1_000) -> int:
    return store.write(lambda tx: prune(tx, KEPT, limit=limit))


def is_there(store: Store, run_id: str) -> bool:
    try:
        look(store, run_id)
    except UnknownRun:
        return False
    return True


@pytest.mark.parametrize("state", sorted(FINAL))
def test_an_ended_run_is_kept_for_the_retention_of_its_kind(
    store: Store, clock: Clock, state: State
) -> None:
    run_id = given_state(store, state)
    keep_ms = KEPT.success_ms if state in GOOD else KEPT.failure_ms

    clock.advance(keep_ms)
    prune_some(store)
    on_the_day = is_there(store, run_id)
    clock.advance(1)
    prune_some(store)

    assert on_the_day
    assert not is_there(store, run_id)


@pytest.mark.parametrize("state", sorted(LIVE))
def test_a_live_run_is_never_pruned(store: Store, clock: Clock, state: State) -> None:
    run_id = given_state(store, state)
    clock.advance(365 * DAY_MS)

    prune_some(store)

    assert state_of(store, run_id) is state


def test_a_backlog_goes_in_bounded_batches(store: Store, worker: str, clock: Clock) -> None:
    submit_all(store, [new_run() for _ in range(7)])
    finish_all(store, [verdict(lease) for lease in claim_some(store, worker)])
    clock.advance(10 * DAY_MS)

    assert [prune_some(store, limit=3) for _ in range(4)] == [3, 3, 1, 0]


def test_attempts_go_when_they_are_past_the_longer_retention(store: Store, clock: Clock) -> None:
    lease = given_lease(store)
    finish_with(store, lease, "retry", kind="error", error=ERROR)

    clock.advance(KEPT.failure_ms)
    prune_some(store)
    before = attempts_of(store, lease.run_id)
    clock.advance(1)
    prune_some(store)

    assert len(before) == 1
    assert attempts_of(store, lease.run_id) == []


def test_keys_go_when_their_window_has_passed(store: Store, clock: Clock) -> None:
    first = new_run(key="k", key_window_ms=1_000)
    lasting = new_run(key="l", key_window_ms=DAY_MS)
    submit_all(store, [first, lasting])
    clock.advance(1_000)

    gone = prune_some(store)

    assert gone == 1
    assert run_sql(store.url, "select key from rota.run_key") == [("l",)]
    assert submit_all(store, [new_run(key="l")]) == [Submitted(id=lasting.id, is_new=False)]
