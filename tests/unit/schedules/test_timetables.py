"""Plans of schedules: read once for each text, each calendar and, where it matters, each name."""

from __future__ import annotations

import msgspec
import pytest

from rota.engine.schedules.compiled import CompiledSchedules, StoredCalendar
from rota.model.schedules.definitions import Calendar, Cron, Every, Schedule, Trigger

HOLIDAY = Calendar(weekend=(), off=("2026-01-02",))
WORKDAY = Calendar(weekend=())


def text(trigger: Trigger, calendar: str | None = None) -> str:
    return msgspec.json.encode(Schedule(trigger=trigger, calendar=calendar)).decode()


@pytest.fixture
def tables() -> CompiledSchedules:
    return CompiledSchedules("test", lambda: 0.5)


@pytest.mark.parametrize("trigger", [Every("1h"), Cron("0 6 * * thu"), Cron("@hourly")])
def test_schedules_of_one_text_share_a_plan_whatever_their_names(
    tables: CompiledSchedules, trigger: Trigger
) -> None:
    assert tables.plan(text(trigger), seed="a") is tables.plan(text(trigger), seed="b")


def test_with_an_h_the_name_counts_and_the_plan_is_kept(tables: CompiledSchedules) -> None:
    spread = text(Cron("H H * * *"))
    one, again, other = (tables.plan(spread, seed=seed) for seed in "aab")

    assert one is again
    assert one.table.after(0) != other.table.after(0)


def test_a_plan_with_a_calendar_is_kept_until_the_calendar_changes(
    tables: CompiledSchedules,
) -> None:
    daily = text(Cron("0 6 * * *"), "shop")
    first = {"shop": StoredCalendar(1, HOLIDAY), "other": StoredCalendar(1, WORKDAY)}
    second = {"shop": StoredCalendar(2, WORKDAY)}

    one = tables.plan(daily, seed="a", calendars=first)
    again = tables.plan(daily, seed="b", calendars=dict(first))
    changed = tables.plan(daily, seed="a", calendars=second)

    assert one is again
    assert (one.rules_version, changed.rules_version) == ("test#1", "test#2")
    assert one.table.after(1767225600000 + 7 * 3_600_000) == 1767420000000
    assert changed.table.after(1767225600000 + 7 * 3_600_000) == 1767333600000


def test_calendars_of_the_same_name_in_two_namespaces_are_two(tables: CompiledSchedules) -> None:
    daily = text(Cron("0 6 * * *"), "shop")

    one = tables.plan(daily, seed="a/s", calendars={"shop": StoredCalendar(1, HOLIDAY)})
    other = tables.plan(daily, seed="b/s", calendars={"shop": StoredCalendar(1, WORKDAY)})

    assert one is not other


def test_one_without_a_calendar_does_not_care_for_those_of_others(
    tables: CompiledSchedules,
) -> None:
    hourly = text(Every("1h"))

    assert tables.plan(hourly, seed="a") is tables.plan(
        hourly, seed="a", calendars={"shop": StoredCalendar(1, HOLIDAY)}
    )
