"""Backfills keep to the overlap policy of their schedule, and give way to its other starts."""

from __future__ import annotations

import pytest

from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import Clock, cancel_run, claim_some, finish_with, look, run_sql
from tests.contract.schedules.backfill_builders import (
    HOURS,
    ON,
    begin,
    fill_some,
    progress,
    work_off,
)
from tests.contract.schedules.builders import (
    HOUR,
    SECOND,
    end_one,
    fire_some,
    fired,
    given_schedule,
    show,
    trigger_now,
)

BOUND = ("skip", "queue_one", "queue_all", "cancel_old", "newest", "strict")


@pytest.fixture
def clock() -> Clock:
    return Clock(ON)


def live(store: Store) -> int:
    """Runs that may run."""
    rows = run_sql(store.url, "select count(*) from rota.run where state <> 'pending'")
    return int(rows[0][0])


@pytest.mark.parametrize("overlap", BOUND)
def test_one_at_a_time_means_the_backfill_too(
    store: Store, clock: Clock, worker: str, overlap: str
) -> None:
    given_schedule(store, "1h", overlap=overlap)
    trigger_now(store)
    begun = begin(store)

    fill_some(store)
    crowded = live(store)
    end_one(store, worker)
    clock.advance(SECOND)
    fill_some(store)

    assert (crowded, live(store)) == (1, 1)
    assert progress(store, begun.id).started == 1
    assert look(store, fired(store)[0].run_id or "").state is State.QUEUED


@pytest.mark.parametrize("overlap", BOUND)
def test_a_start_by_time_waits_for_a_run_of_a_backfill_and_goes_before_the_next(
    store: Store, clock: Clock, worker: str, overlap: str
) -> None:
    """A backfill of days leaves out none of the firings meanwhile, and stops nobody."""
    given_schedule(store, "1h", overlap=overlap)
    begun = begin(store)
    fill_some(store)
    (lease,) = claim_some(store, worker)

    clock.advance(HOUR)
    fire_some(store)
    fire = fired(store)[-1]
    assert (fire.decision, look(store, lease.run_id).cancel_requested) == ("waits", False)
    finish_with(store, lease, fired=True)
    fill_some(store)
    fire_some(store)

    assert (look(store, fire.run_id or "").state, live(store)) == (State.QUEUED, 1)
    assert progress(store, begun.id).started == 1
    assert show(store).skipped == 0


@pytest.mark.parametrize("overlap", ["allow", *BOUND])
def test_whatever_the_policy_all_instants_get_their_run(
    store: Store, clock: Clock, worker: str, overlap: str
) -> None:
    given_schedule(store, "1h", overlap=overlap)
    begin(store)

    assert work_off(store, worker) == HOURS


def test_several_places_are_shared(store: Store, clock: Clock) -> None:
    given_schedule(store, "1h", overlap="skip", parallel=3)
    trigger_now(store)
    begin(store, hours=10)

    fill_some(store)
    begin(store, hours=10, reprocess="all")
    fill_some(store)

    assert live(store) == 3


def test_more_starts_than_places_lent_are_skipped(store: Store, clock: Clock) -> None:
    given_schedule(store, "1h", overlap="skip")
    begin(store)
    fill_some(store)

    decisions = [trigger_now(store).decision for _ in range(2)]

    assert decisions == ["waits", "skipped"]


def test_in_strict_order_a_failure_holds_the_backfill_until_it_is_mended(
    store: Store, clock: Clock, worker: str
) -> None:
    given_schedule(store, "1h", overlap="strict")
    begun = begin(store)
    fill_some(store)
    failed = end_one(store, worker, "fail")
    clock.advance(SECOND)
    fill_some(store)

    assert show(store).blocked_by == failed
    assert (live(store), progress(store, begun.id).started) == (0, 1)


def test_one_with_a_number_of_its_own_stands_apart(store: Store, clock: Clock, worker: str) -> None:
    given_schedule(store, "1h", overlap="strict", pause_after=1)
    trigger_now(store)
    begun = begin(store, parallel=2)
    fill_some(store)
    assert live(store) == 3

    for run in [each.run_id or "" for each in fired(store) if each.kind == "backfill"]:
        cancel_run(store, run)
    view = show(store)

    assert (view.state, view.blocked_by, view.running) == ("active", None, 1)
    assert (begun.parallel, progress(store, begun.id).failed) == (2, 2)
