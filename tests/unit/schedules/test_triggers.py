"""Each kind of trigger but cron: what fires when, in tables."""

from __future__ import annotations

from typing import Any

import pytest

from rota.errors import BadDuration, BadInput, BadOption
from rota.model.schedules.definitions import (
    AnyOf,
    At,
    BusinessDay,
    CalendarEvery,
    Cron,
    Every,
    Rrule,
    Schedule,
    Trigger,
    Unless,
)
from rota.rules.schedules.timetable import Never
from rota.rules.schedules.triggers import compile_schedule
from rota.rules.schedules.triggers.every import Steps
from rota.rules.schedules.triggers.unless import UnlessAt
from rota.rules.schedules.zones import zone
from tests.support.schedules import NO_CALENDARS, compiled, iso, ms, times

PARIS = "Europe/Paris"
"""02:00 to 03:00 on 29 March 2026; 03:00 back to 02:00 on 25 October 2026."""


def test_an_interval_counts_from_the_epoch_so_that_hours_are_on_the_hour() -> None:
    found = times(compiled(Every("1h")), "2026-01-01T00:00Z", "2026-01-01T02:30Z")

    assert found == ["2026-01-01T01:00Z", "2026-01-01T02:00Z"]


def test_ad_04_an_interval_keeps_the_phase_of_its_anchor_and_cron_that_of_the_clock() -> None:
    start = "2016-01-01T00:10Z"
    interval = compiled(Every("30m", anchor=start))
    line = compiled(Cron("*/30 * * * *"), start=start)

    assert times(interval, "2016-01-01", "2016-01-01T01:00Z") == [
        "2016-01-01T00:10Z",
        "2016-01-01T00:40Z",
    ]
    assert times(line, "2016-01-01", "2016-01-01T01:00Z") == [
        "2016-01-01T00:30Z",
        "2016-01-01T01:00Z",
    ]


def test_from_the_end_counts_from_the_instant_it_is_asked_about() -> None:
    timetable = compiled(Every("90s", from_end=True))

    assert timetable.after(ms("2026-01-01T00:00:07Z")) == ms("2026-01-01T00:01:37Z")


def test_from_the_end_begins_at_the_start_bound() -> None:
    timetable = compiled(Every("90s", from_end=True), start="2026-01-01T00:00Z")

    assert iso(timetable.after(0)) == "2026-01-01T00:00Z"
    assert iso(timetable.after(ms("2026-01-01T00:00Z"))) == "2026-01-01T00:01:30Z"


def test_dst_11_an_interval_of_a_day_is_24_hours_and_a_calendar_day_keeps_the_hour() -> None:
    real = compiled(Every("1d", anchor="2026-03-28T05:00Z"), PARIS)
    calendar = compiled(CalendarEvery(start="2026-03-28T06:00", days=1), PARIS)
    window = ("2026-03-28", "2026-03-30T12:00Z")

    assert times(real, *window) == ["2026-03-28T05:00Z", "2026-03-29T05:00Z", "2026-03-30T05:00Z"]
    assert times(calendar, *window) == [
        "2026-03-28T05:00Z",
        "2026-03-29T04:00Z",
        "2026-03-30T04:00Z",
    ]


@pytest.mark.parametrize(
    ("gap", "found"),
    [
        ("cron", "2026-03-29T01:00Z"),
        ("next", "2026-03-29T01:00Z"),
        ("same", "2026-03-29T01:30Z"),
        ("skip", "2026-03-30T00:30Z"),
    ],
)
def test_dst_11_a_day_without_the_hour_goes_by_the_gap_policy(gap: Any, found: str) -> None:
    daily = compiled(CalendarEvery(start="2026-03-01T02:30", days=1), PARIS, gap=gap)

    assert iso(daily.after(ms("2026-03-28T12:00Z"))) == found
    assert iso(daily.after(ms("2026-03-29T12:00Z"))) == "2026-03-30T00:30Z"


@pytest.mark.parametrize(
    ("fold", "found"),
    [
        ("cron", ["2026-10-25T00:30Z"]),
        ("first", ["2026-10-25T00:30Z"]),
        ("second", ["2026-10-25T01:30Z"]),
        ("both", ["2026-10-25T00:30Z", "2026-10-25T01:30Z"]),
    ],
)
def test_dst_11_a_day_with_the_hour_twice_goes_by_the_fold_policy(
    fold: Any, found: list[str]
) -> None:
    daily = compiled(CalendarEvery(start="2026-03-01T02:30", days=1), PARIS, fold=fold)

    assert times(daily, "2026-10-24T12:00Z", "2026-10-25T12:00Z") == found


def test_dst_12_a_month_that_is_too_short_does_not_shorten_those_after_it() -> None:
    monthly = compiled(CalendarEvery(start="2026-01-31T06:00", months=1))

    assert times(monthly, "2026-01-01", "2026-06-01") == [
        "2026-01-31T06:00Z",
        "2026-02-28T06:00Z",
        "2026-03-31T06:00Z",
        "2026-04-30T06:00Z",
        "2026-05-31T06:00Z",
    ]


def test_a_leap_day_comes_every_year_and_on_the_29th_when_there_is_one() -> None:
    yearly = compiled(CalendarEvery(start="2024-02-29T00:00", years=1))

    assert times(yearly, "2024-01-01", "2028-12-01") == [
        "2024-02-29T00:00Z",
        "2025-02-28T00:00Z",
        "2026-02-28T00:00Z",
        "2027-02-28T00:00Z",
        "2028-02-29T00:00Z",
    ]


def test_a_day_that_the_zone_left_out_fires_when_the_next_begins() -> None:
    """Apia went from 29 to 31 December 2011, so the 30th is one long gap."""
    daily = compiled(CalendarEvery(start="2011-12-28T06:00", days=1), "Pacific/Apia")

    assert times(daily, "2011-12-28", "2012-01-01") == [
        "2011-12-28T16:00Z",
        "2011-12-29T16:00Z",
        "2011-12-30T10:00Z",
        "2011-12-30T16:00Z",
        "2011-12-31T16:00Z",
    ]


def test_times_with_an_offset_are_instants_and_others_are_wall_times() -> None:
    at = compiled(At(("2026-03-29T02:30", "2026-03-29T00:00Z", "2026-07-01T12:00+05:00")), PARIS)

    assert times(at, "2026-01-01", "2027-01-01") == [
        "2026-03-29T00:00Z",
        "2026-03-29T01:00Z",
        "2026-07-01T07:00Z",
    ]
    assert at.marks(ms("2026-03-29T01:00Z")) == ("moved from 02:30, which does not exist",)
    assert at.marks(ms("2026-03-29T00:00Z")) == ()


def test_the_same_time_given_twice_fires_once() -> None:
    at = compiled(At(("2026-01-01T00:00Z", "2026-01-01T01:00", "2026-01-01T00:00")), PARIS)

    assert times(at, "2025-01-01", "2027-01-01") == ["2025-12-31T23:00Z", "2026-01-01T00:00Z"]


@pytest.mark.parametrize(
    ("nth", "found"),
    [
        (1, ["2026-05-04T04:00Z", "2026-06-01T04:00Z"]),
        (-1, ["2026-05-29T04:00Z", "2026-06-30T04:00Z"]),
        (20, ["2026-06-26T04:00Z"]),
    ],
)
def test_the_nth_business_day_of_the_month(nth: int, found: list[str]) -> None:
    """May 2026 has holidays on the 1st, 8th, 14th and 25th in France, so only 17 days."""
    timetable = compiled(BusinessDay(nth, "06:00"), PARIS, calendar="FR")

    assert times(timetable, "2026-04-30T12:00Z", "2026-06-30T12:00Z") == found


def test_without_a_calendar_business_days_are_monday_to_friday() -> None:
    timetable = compiled(BusinessDay(1, "06:00"))

    assert iso(timetable.after(ms("2026-04-30T12:00Z"))) == "2026-05-01T06:00Z"


def test_a_union_fires_each_instant_once() -> None:
    both = compiled(AnyOf((Every("2h"), Every("3h"))))

    assert times(both, "2026-01-01T00:00Z", "2026-01-01T07:00Z") == [
        f"2026-01-01T0{hour}:00Z" for hour in (2, 3, 4, 6)
    ]


def test_a_union_has_the_marks_of_those_that_fire() -> None:
    both = compiled(AnyOf((Cron("30 2 * * *"), Every("1h"))), PARIS)

    assert both.marks(ms("2026-03-29T01:00Z")) == ("moved from 02:30, which does not exist",)
    assert both.marks(ms("2026-03-29T02:00Z")) == ()


def test_unless_leaves_out_instants() -> None:
    timetable = compiled(Unless(Every("1h"), Every("2h")))

    assert times(timetable, "2026-01-01T00:00Z", "2026-01-01T04:00Z") == [
        "2026-01-01T01:00Z",
        "2026-01-01T03:00Z",
    ]


@pytest.mark.parametrize(
    ("kept", "excluded", "after", "found"),
    [
        ("* * * * * *", "* * 2 * * *", "2026-01-01T00:59:59Z", "2026-01-01T02:00:00Z"),
        ("* * * * * *", "* * * * 7 *", "2026-06-30T21:59:59Z", "2026-07-31T22:00:00Z"),
        ("*/10 * * * * *", "*/5 * 0-22 * * *", "2026-01-01T00:00Z", "2026-01-01T22:00Z"),
        ("0 6 * * *", "0 6 * 1-11 *", "2026-01-01", "2026-12-01T05:00Z"),
        ("30 2 * * *", "30 2 29 3 *", "2026-03-28T12:00Z", "2026-03-30T00:30Z"),
    ],
)
def test_unless_leaps_over_days_however_many_firings_they_have(
    kept: str, excluded: str, after: str, found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rota.rules.schedules.triggers.unless.MAX_EXCLUDED", 400)
    timetable = compiled(Unless(Cron(kept), Cron(excluded)), PARIS)

    assert timetable.after(ms(after)) == ms(found)


def test_a_stretch_that_was_left_out_is_walked_once() -> None:
    asked: list[int] = []

    class Counting(Never):
        def after(self, instant: int) -> int | None:
            asked.append(instant)
            return instant + 1 if instant < 50_000 else None

    timetable = UnlessAt(Steps(0, 1), Counting(), zone("UTC"))
    first = timetable.after(10)
    steps = len(asked)

    assert [timetable.after(at) for at in range(10, 50_000, 10)] == [first] * 4_999
    assert (first, steps) == (50_001, 49_991)
    assert len(asked) == steps


def test_unless_leaves_out_whole_days_of_the_zone() -> None:
    sundays = Cron("0 12 * * sun")
    timetable = compiled(Unless(Cron("0 */12 * * *"), sundays, whole_day=True), "Asia/Tokyo")

    assert times(timetable, "2026-01-03T00:00Z", "2026-01-05T00:00Z") == [
        "2026-01-03T03:00Z",
        "2026-01-04T15:00Z",
    ]


@pytest.mark.parametrize(
    ("left_out", "found"),
    [
        ("2007-11-04", ["02:00", "03:00"]),
        ("2007-11-03", ["02:30", "03:30"]),
    ],
)
def test_a_day_that_clocks_come_to_again_is_left_out_both_times(
    left_out: str, found: list[str]
) -> None:
    """In St. John's 00:01 became 23:01: a minute of the 4th, an hour of the 3rd, the 4th."""
    half_hours = Unless(Every("30m"), At((left_out,)), whole_day=True)
    timetable = compiled(half_hours, "America/St_Johns")

    assert times(timetable, "2007-11-04T01:40Z", "2007-11-04T03:30Z") == [
        f"2007-11-04T{time}Z" for time in found
    ]


@pytest.mark.parametrize(
    "trigger",
    [
        Unless(Every("1s"), Every("1s")),
        Unless(Cron("0 6 * * *"), Cron("5 * * * *"), whole_day=True),
        Rrule("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "2020-01-01T00:00"),
        Rrule("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;COUNT=10000", "2020-01-01T00:00"),
    ],
)
def test_a_search_for_nothing_ends(trigger: Trigger) -> None:
    assert compiled(trigger, PARIS).after(ms("2026-01-01")) is None


def test_bounds_are_part_of_the_schedule() -> None:
    timetable = compiled(Every("1h"), start="2026-01-01T02:00Z", end="2026-01-01T04:00Z")

    assert times(timetable, "2025-01-01", "2027-01-01") == [
        f"2026-01-01T0{hour}:00Z" for hour in (2, 3, 4)
    ]


def test_a_bound_without_an_offset_is_a_wall_time() -> None:
    timetable = compiled(Every("1h"), PARIS, start="2026-01-01T02:00")

    assert iso(timetable.after(0)) == "2026-01-01T01:00Z"


@pytest.mark.parametrize("at", [-(10**18), -(10**13), 10**13, 10**18])
@pytest.mark.parametrize(
    "trigger",
    [
        Every("1h"),
        CalendarEvery(start="2026-01-31T06:00", months=1),
        CalendarEvery(start="2026-01-31T06:00", days=3),
        At(("2026-01-01",)),
        Rrule("FREQ=WEEKLY", "2026-01-01T00:00"),
        BusinessDay(1),
        Unless(Every("1h"), Cron("0 0 * * sun"), whole_day=True),
    ],
)
def test_instants_beyond_all_calendars_are_answered(trigger: Trigger, at: int) -> None:
    answer = compiled(trigger, PARIS).after(at)

    assert answer is None if at > 0 else answer is not None


@pytest.mark.parametrize(
    ("trigger", "said"),
    [
        (Every("0s"), "every='0s' is zero"),
        (Every("soon"), "every: 'soon' is not a duration"),
        (Every("1h", anchor="noon"), "anchor='noon' is not a time"),
        (Every("1h", anchor="2026-01-01", from_end=True), "anchor= and from_end="),
        (CalendarEvery(start="2026-01-31T06:00"), "interval of zero"),
        (CalendarEvery(start="2026-01-31T06:00", days=1, months=1), "cannot be mixed"),
        (CalendarEvery(start="2026-01-31T06:00", days=-1), "days=-1 is not a number from 0"),
        (CalendarEvery(start="2026-01-31T06:00Z", days=1), "has an offset"),
        (CalendarEvery(start="0001-01-01", days=1), "not in the years"),
        (At(()), "at has 0 times"),
        (At(("2026-02-30",)), "at='2026-02-30' is not a time"),
        (BusinessDay(0), "business_day=0 is not a day"),
        (BusinessDay(32), "business_day=32 is not a number from -31 to 31"),
        (BusinessDay(1, "25:00"), "time='25:00' is not a time of day"),
        (AnyOf(()), "any_of is empty"),
        (AnyOf((Every("1h", from_end=True), Every("2h"))), "from_end counts from runs"),
        (AnyOf((Every("1h"),) * 100), "101 of them joined, more than 100"),
    ],
)
def test_a_bad_trigger_is_refused(trigger: Trigger, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        compiled(trigger)

    assert isinstance(refused.value, BadOption | BadDuration)
    assert said in str(refused.value)


def test_triggers_nested_without_end_are_refused() -> None:
    trigger: Trigger = Every("1h")
    for _ in range(10):
        trigger = AnyOf((trigger,))

    with pytest.raises(BadOption, match="nested more than 8 deep"):
        compiled(trigger)


@pytest.mark.parametrize(
    ("policies", "said"),
    [
        ({"start": "2026-02-01", "end": "2026-01-01"}, "end='2026-01-01' is before start="),
        ({"roll": "next"}, "roll='next' moves firings on days off; give the calendar too"),
        ({"calendar": "XX"}, "calendar='XX' is neither"),
        ({"zone": "Mars/Base"}, "no time zone is named 'Mars/Base'"),
    ],
)
def test_policies_that_make_no_sense_are_refused(policies: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput) as refused:
        compile_schedule(
            Schedule(trigger=Every("1h"), **policies), seed="s", calendars=NO_CALENDARS
        )

    assert said in str(refused.value)


def test_equal_schedules_share_one_timetable_whatever_their_names() -> None:
    schedule = Schedule(trigger=Cron("0 6 * * *"), zone=PARIS)

    one = compile_schedule(schedule, seed="a", calendars=NO_CALENDARS)
    other = compile_schedule(schedule, seed="b", calendars=NO_CALENDARS)

    assert one is other


def test_the_name_counts_where_a_line_asks_to_be_spread() -> None:
    schedule = Schedule(trigger=AnyOf((Cron("H H * * *"), Cron("0 0 1 1 *"))))

    found = {
        compile_schedule(schedule, seed=seed, calendars=NO_CALENDARS).after(0)
        for seed in map(str, range(20))
    }

    assert len(found) > 10


@pytest.mark.parametrize("trigger", [Every("1ms"), Every("30s"), Cron("* * * * * *")])
def test_more_firings_of_a_day_than_can_be_moved_are_refused(trigger: Trigger) -> None:
    timetable = compiled(trigger, calendar="FR", roll="next")

    with pytest.raises(BadOption, match="at most 1,440 firings of one day"):
        timetable.after(ms("2026-01-01T00:00Z"))


def test_once_a_minute_can_be_moved() -> None:
    timetable = compiled(Every("1m"), calendar="FR", roll="next")

    assert iso(timetable.after(ms("2026-01-01T12:00Z"))) == "2026-01-02T00:00Z"
