"""Alerts on schedules that missed a firing while they were active."""

from __future__ import annotations

from rota.engine.schedules import definitions as schedules
from rota.rules.alerts.plan import SETTLED_MS
from rota.store.base import Store
from tests.contract.alerts.builders import given_rule, open_incidents, titles, watch
from tests.contract.builders import HOME, Clock
from tests.contract.schedules.builders import (
    HOUR,
    MINUTE,
    NAME,
    fire_some,
    given_schedule,
    show,
)


def given_missed(store: Store, clock: Clock) -> None:
    """A schedule of each minute that nobody fired for an hour."""
    given_schedule(store, "1m", catchup="none")
    clock.advance(HOUR)
    fire_some(store)
    assert show(store).missed > 0


def test_a_missed_firing_is_told_once(store: Store, clock: Clock) -> None:
    given_rule(store, on=("schedule.missed",))
    given_missed(store, clock)

    assert [watch(store), watch(store)] == [1, 0]
    assert titles(store)[0].startswith(f"Schedule {NAME} missed a firing (5")
    (incident,) = open_incidents(store)
    assert (incident["kind"], incident["subject"]) == ("schedule.missed", NAME)


def test_nobody_is_told_that_a_missed_firing_is_over(store: Store, clock: Clock) -> None:
    given_rule(store, on=("schedule.missed",))
    given_missed(store, clock)
    watch(store)
    clock.advance(SETTLED_MS)

    assert watch(store) == 0
    assert open_incidents(store) == []
    assert watch(store, sweeps=True) == 0, "the same firing opens no second incident"


def test_more_missed_firings_are_one_incident(store: Store, clock: Clock) -> None:
    given_rule(store, on=("schedule.missed",))
    given_missed(store, clock)
    watch(store)
    clock.advance(3 * MINUTE)
    fire_some(store)

    assert watch(store) == 0
    assert len(open_incidents(store)) == 1


def test_a_schedule_that_fires_in_time_misses_nothing(store: Store, clock: Clock) -> None:
    given_rule(store, on=("schedule.missed",))
    given_schedule(store, "1m")
    for _ in range(3):
        clock.advance(MINUTE)
        fire_some(store)

    assert watch(store, sweeps=True) == 0


def test_what_a_schedule_missed_while_it_was_paused_is_not_told(store: Store, clock: Clock) -> None:
    given_rule(store, on=("schedule.missed",))
    given_schedule(store, "1m", catchup="none")
    store.write(lambda tx: schedules.pause(tx, NAME, namespace=HOME, who="ann"))
    clock.advance(HOUR)
    store.write(lambda tx: schedules.resume(tx, NAME, namespace=HOME, who="ann"))
    fire_some(store)

    assert show(store).missed > 0
    assert watch(store, sweeps=True) == 0
