"""Upcoming: the firings of all schedules of a namespace in one order."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from rota.clock import moment
from rota.engine.schedules.calendars import put_calendar
from rota.engine.schedules.definitions import pause
from rota.engine.schedules.upcoming import upcoming
from rota.model.schedules.definitions import Calendar, Cron, Every, OnEvent, Schedule
from rota.model.schedules.firing import CalendarDayOff, ClockShift, UpcomingFirings
from rota.store.base import Store
from tests.contract.builders import HOME, START_MS, Clock
from tests.contract.schedules.builders import (
    HOUR,
    MINUTE,
    TABLES,
    every,
    fire_some,
    given_job,
    put,
)


def look(store: Store, **fields: Any) -> UpcomingFirings:
    asked: dict[str, Any] = {
        "namespace": HOME, "start": START_MS, "end": START_MS + 3 * HOUR, "limit": 100,
        "compiled": TABLES,
    }  # fmt: skip
    return store.read(lambda tx: upcoming(tx, **asked | fields))


def told(found: UpcomingFirings) -> list[tuple[str, float]]:
    return [(each.schedule, (each.at.ms - START_MS) / HOUR) for each in found.firings]


def test_firings_of_all_schedules_come_in_the_order_of_time(store: Store) -> None:
    given_job(store)
    put(store, every("1h"), name="b")
    put(store, every("90m"), name="a")

    found = look(store)

    assert told(found) == [("a", 1), ("b", 1), ("b", 2), ("a", 2.5), ("b", 3)]
    assert not found.is_cut


def test_upcoming_says_when_it_was_cut(store: Store) -> None:
    given_job(store)
    put(store, every("1h"))

    found = look(store, limit=2)

    assert (told(found), found.is_cut) == ([("s", 1), ("s", 2)], True)


def test_upcoming_leaves_out_paused_event_and_foreign_schedules(store: Store) -> None:
    given_job(store)
    put(store, every("1h"), name="held")
    put(store, Schedule(trigger=OnEvent(event="x")), name="event")
    given_job(store, namespace="other")
    put(store, every("1h"), name="foreign", namespace="other")
    store.write(lambda tx: pause(tx, "held", namespace=HOME, who="test"))

    assert told(look(store)) == []


def test_a_count_ends_it(store: Store, clock: Clock) -> None:
    given_job(store)
    put(store, every("1h", count=2))
    clock.advance(HOUR)
    fire_some(store)

    assert told(look(store)) == [("s", 2)]


def test_one_that_follows_the_end_of_its_run_tells_only_the_next(store: Store) -> None:
    given_job(store)
    put(store, Schedule(trigger=Every(every="10m", from_end=True)))

    assert len(look(store).firings) == 1


def test_the_past_is_left_out_and_a_later_start_counts(store: Store) -> None:
    given_job(store)
    put(store, every("1h"))

    assert told(look(store, start=0, end=START_MS + HOUR)) == [("s", 1)]
    assert told(look(store, start=START_MS + 90 * MINUTE)) == [("s", 2), ("s", 3)]


def test_only_the_jobs_that_are_wanted(store: Store) -> None:
    given_job(store)
    put(store, every("1h"))

    assert told(look(store, is_wanted=lambda job: job != "noop")) == []


def test_schedules_that_fire_often_are_only_named_if_asked(store: Store) -> None:
    given_job(store)
    put(store, every("1h"), name="rare")
    put(store, every("1m"), name="often")

    found = look(store, most_each=3, limit=4)

    assert told(found) == [("rare", 1), ("rare", 2), ("rare", 3)]
    assert (found.frequent, found.is_cut) == (["often"], False)
    assert look(store).frequent == []


def instant(year: int, month: int, day: int, hour: int = 0) -> int:
    return int(datetime(year, month, day, hour, tzinfo=UTC).timestamp() * 1_000)


def test_a_firing_says_that_it_was_moved_from_a_holiday_which_is_told_too(store: Store) -> None:
    given_job(store)
    house = Calendar(off=("2027-07-14",))
    store.write(lambda tx: put_calendar(tx, "house", house, namespace=HOME))
    rolled = Schedule(trigger=Cron(expression="0 9 * * wed"), calendar="house", roll="next")
    put(store, rolled)

    found = look(store, start=instant(2027, 7, 14), end=instant(2027, 7, 22))

    assert found.days_off == [
        CalendarDayOff(day=date(2027, 7, 14), calendar="house", why="day off")
    ]
    assert [each.at.ms for each in found.firings] == [
        instant(2027, 7, 15, 9),
        instant(2027, 7, 21, 9),
    ]
    assert "moved from" in str(found.firings[0].marks)
    assert found.firings[1].marks == ()
    assert look(store, start=instant(2027, 7, 15), end=instant(2027, 7, 16)).days_off == []


def test_changed_clocks_are_told_with_the_firings_they_touch(store: Store) -> None:
    given_job(store)
    night = Schedule(trigger=Cron(expression="30 2 * * *"), zone="Europe/Paris")
    put(store, night)

    found = look(store, start=instant(2027, 3, 28), end=instant(2027, 3, 29))

    assert found.shifts == [
        ClockShift(at=moment(instant(2027, 3, 28, 1)), zone="Europe/Paris", seconds=3600)
    ]
    assert "does not exist" in str(found.firings[0].marks)
    assert look(store, start=instant(2027, 3, 29), end=instant(2027, 3, 30)).shifts == []
