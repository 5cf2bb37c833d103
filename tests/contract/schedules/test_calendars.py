"""Calendars and maintenance windows on record, and what they do to firings."""

from __future__ import annotations

from typing import Any

import pytest

from rota.clock import moment, to_datetime
from rota.engine.admission.draining_windows import draining_windows
from rota.engine.admission.windows import blackouts, put_blackout, remove_blackout
from rota.engine.insight.why import why
from rota.engine.schedules.calendars import calendars, put_calendar, remove_calendar
from rota.errors import BadInput
from rota.model.schedules.definitions import Blackout, Calendar, Cron, Every, Schedule
from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import HOME, START_MS, Clock
from tests.contract.schedules.builders import (
    DAY,
    HOUR,
    MINUTE,
    fire_some,
    fired,
    given_job,
    given_schedule,
    instants,
    next_ms,
    put,
    runs_of,
    show,
    trigger_now,
)

ON = START_MS // DAY * DAY


@pytest.fixture
def clock() -> Clock:
    return Clock(ON)


def day(offset: int) -> str:
    return to_datetime(ON + offset * DAY).date().isoformat()


def store_calendar(store: Store, *off: int) -> None:
    calendar = Calendar(weekend=(), off=tuple(day(each) for each in off))
    store.write(lambda tx: put_calendar(tx, "shop", calendar, namespace=HOME))


def store_window(store: Store, kind: str, *, begins: int, ends: int, **of: Any) -> None:
    window = Blackout(
        kind=kind,  # type: ignore[arg-type]
        start=to_datetime(begins).isoformat(),
        end=to_datetime(ends).isoformat(),
        **of,
    )
    store.write(lambda tx: put_blackout(tx, "w", window, namespace=HOME))


def test_a_named_calendar_leaves_out_its_days_off(store: Store, clock: Clock) -> None:
    given_job(store)
    store_calendar(store, 1)

    view = put(store, Schedule(trigger=Cron(expression="0 6 * * *"), calendar="shop"))

    assert next_ms(view) == ON + 6 * HOUR
    clock.advance(6 * HOUR)
    fire_some(store)
    assert next_ms(show(store)) == ON + 2 * DAY + 6 * HOUR


def test_a_changed_calendar_moves_the_next_instant(store: Store, clock: Clock) -> None:
    given_job(store)
    store_calendar(store, 1)
    put(store, Schedule(trigger=Cron(expression="0 6 * * *"), calendar="shop"))

    store_calendar(store, 0, 1)
    fire_some(store)

    assert (next_ms(show(store)), instants(store)) == (ON + 2 * DAY + 6 * HOUR, [])
    stored = store.read(lambda tx: calendars(tx, namespace=HOME))
    assert stored["shop"].version == 2


def test_the_same_calendar_again_is_no_change(store: Store) -> None:
    store_calendar(store, 1)
    store_calendar(store, 1)

    assert store.read(lambda tx: calendars(tx, namespace=HOME))["shop"].version == 1


def test_a_calendar_in_use_stays(store: Store, clock: Clock) -> None:
    store_calendar(store, 1)
    put(store, Schedule(trigger=Cron(expression="0 6 * * *"), calendar="shop"))

    with pytest.raises(BadInput, match="used by schedule 's'"):
        store.write(lambda tx: remove_calendar(tx, "shop", namespace=HOME))


def test_a_window_that_skips_leaves_firings_out_and_says_so(store: Store, clock: Clock) -> None:
    given_schedule(store, "1m")
    store_window(store, "skip", begins=ON, ends=ON + 2 * MINUTE)
    for _ in range(3):
        clock.advance(MINUTE)
        fire_some(store)

    assert [each.decision for each in fired(store)] == ["blackout", "started", "started"]
    assert show(store).skipped == 1


def test_what_counts_from_the_end_goes_on_after_the_window(store: Store, clock: Clock) -> None:
    given_job(store)
    put(store, Schedule(trigger=Every(every="1m", from_end=True)))
    store_window(store, "skip", begins=ON, ends=ON + 2 * MINUTE)
    for _ in range(3):
        clock.advance(MINUTE)
        fire_some(store)

    assert [each.decision for each in fired(store)] == ["blackout", "started"]


def test_firings_due_in_a_skip_window_are_not_caught_up(store: Store, clock: Clock) -> None:
    given_schedule(store, "1h", catchup="all")
    store_window(store, "skip", begins=ON, ends=ON + 2 * HOUR)
    clock.advance(3 * HOUR)

    fire_some(store)

    assert instants(store) == [ON + 2 * HOUR, ON + 3 * HOUR]


def test_a_window_that_defers_starts_them_when_it_ends(store: Store, clock: Clock) -> None:
    given_schedule(store, "1m", start_within="10s")
    store_window(store, "defer", begins=ON, ends=ON + HOUR, job="noop")
    clock.advance(MINUTE)

    fire_some(store)

    (run,) = runs_of(store)
    assert (run.state, run.due_at) == (State.SCHEDULED, moment(ON + HOUR))


def test_a_window_that_drains_has_them_queued_and_says_so(store: Store, clock: Clock) -> None:
    given_schedule(store, "1m")
    store_window(store, "drain", begins=ON, ends=ON + HOUR, job="noop", note="a move")
    clock.advance(MINUTE)

    fire_some(store)

    (run,) = runs_of(store)
    reasons = store.read(lambda tx: why(tx, run.id, namespace=HOME))
    assert run.state is State.QUEUED
    assert [(each.kind, each.until) for each in reasons] == [
        ("window", moment(ON + HOUR)),
        ("no_worker", None),
    ]
    assert reasons[0].says == (
        "maintenance window w lets no new run of job noop start for another 59m: a move"
    )


def test_drains_are_those_that_last_or_will_come(store: Store, clock: Clock) -> None:
    store_window(store, "drain", begins=ON + MINUTE, ends=ON + HOUR, queue="slow")

    def asked() -> list[tuple[int, int, bool]]:
        found = store.read(lambda tx: draining_windows(tx, namespace=HOME))
        return [
            (each.begins_in_ms, each.ends_in_ms, each.holds(job="noop", queue="slow"))
            for each in found
        ]

    before = asked()
    clock.advance(MINUTE)
    inside = asked()
    clock.advance(HOUR - MINUTE)

    assert before == [(MINUTE, HOUR, False)]
    assert inside == [(0, HOUR - MINUTE, True)]
    assert asked() == []


def test_a_window_of_another_queue_does_not_matter(store: Store, clock: Clock) -> None:
    given_schedule(store, "1m")
    store_window(store, "skip", begins=ON, ends=ON + HOUR, queue="other")
    clock.advance(MINUTE)

    assert fire_some(store).runs == 1


def test_a_start_by_hand_is_not_held_back(store: Store, clock: Clock) -> None:
    given_schedule(store, "1m")
    store_window(store, "skip", begins=ON, ends=ON + HOUR)

    assert trigger_now(store).decision == "started"


def test_windows_are_listed_and_removed(store: Store) -> None:
    store_window(store, "drain", begins=ON, ends=ON + HOUR)
    assert list(store.read(lambda tx: blackouts(tx, namespace=HOME))) == ["w"]

    gone = [store.write(lambda tx: remove_blackout(tx, "w", namespace=HOME)) for _ in range(2)]

    assert gone == [True, False]


def test_a_window_that_makes_no_sense_is_refused(store: Store) -> None:
    with pytest.raises(BadInput, match="not after start"):
        store_window(store, "skip", begins=ON, ends=ON)
