"""Business calendars: days off, roll rules, and what they make of firings."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rota.errors import BadOption
from rota.model.schedules.definitions import Calendar, Cron, Every, Roll, Schedule
from rota.rules.schedules.calendars import business_days, calendar_version, find_calendar
from rota.rules.schedules.triggers import compile_schedule
from tests.support.schedules import NO_CALENDARS, compiled, iso, ms, times

PARIS = "Europe/Paris"
FRANCE = Calendar(country="FR")
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("calendar", "day", "why"),
    [
        (FRANCE, "2026-12-25", "Christmas Day"),
        (FRANCE, "2026-12-26", "Saturday"),
        (FRANCE, "2026-12-28", None),
        (Calendar(country="US-CA"), "2026-03-31", "Cesar Chavez Day"),
        (Calendar(country="US"), "2026-03-31", None),
        (Calendar(country="XNYS"), "2026-04-03", "Good Friday"),
        (Calendar(off=("2026-12-28",)), "2026-12-28", "day off"),
        (Calendar(country="FR", on=("2026-12-25",)), "2026-12-25", None),
        (Calendar(on=("2026-12-26",)), "2026-12-26", None),
        (Calendar(weekend=(4, 5)), "2026-12-25", "Friday"),
        (Calendar(weekend=(4, 5)), "2026-12-27", None),
    ],
)
def test_why_a_day_is_off(calendar: Calendar, day: str, why: str | None) -> None:
    days = business_days(calendar)

    assert days.why_closed(date.fromisoformat(day)) == why
    assert days.is_open(date.fromisoformat(day)) is (why is None)


@pytest.mark.parametrize(
    ("day", "skip", "after", "previous", "modified"),
    [
        ("2026-12-25", None, "2026-12-28", "2026-12-24", "2026-12-28"),
        ("2026-05-30", None, "2026-06-01", "2026-05-29", "2026-05-29"),
        ("2026-08-01", None, "2026-08-03", "2026-07-31", "2026-08-03"),
        ("2026-12-24",) + ("2026-12-24",) * 4,
    ],
)
def test_a_firing_on_a_day_off_moves_by_its_roll(
    day: str, skip: str | None, after: str, previous: str, modified: str
) -> None:
    days = business_days(FRANCE)

    found = [days.roll(date.fromisoformat(day), rule) for rule in get_args(Roll)]

    wanted = (skip, after, previous, modified)
    assert found == [None if each is None else date.fromisoformat(each) for each in wanted]


def test_a_code_brings_the_weekend_of_its_country() -> None:
    assert find_calendar("IL", NO_CALENDARS) == Calendar(country="IL", weekend=(4, 5))
    assert find_calendar("FR", NO_CALENDARS) == FRANCE
    assert find_calendar("XNYS", NO_CALENDARS) == Calendar(country="XNYS")


def test_a_stored_calendar_is_found_before_a_country() -> None:
    own = Calendar(off=("2026-12-28",))

    assert find_calendar("FR", {"FR": own}) == own
    assert find_calendar(own, {}) == own
    assert find_calendar(None, {}) is None


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("ZZ", "calendar='ZZ' is neither a stored calendar nor the code"),
        ("fr", "Did you mean 'FR'?"),
        ("XNYSE", "Did you mean 'XNYS'?"),
        ("hous", "Did you mean 'house'?"),
        ("US-XX", "US has no part 'XX'"),
        ("US-ca", "Did you mean 'CA'?"),
        ("AF-1", "It has: none."),
    ],
)
def test_an_unknown_code_is_refused_with_what_was_meant(code: str, said: str) -> None:
    with pytest.raises(BadOption) as refused:
        find_calendar(code, {"house": Calendar()})

    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("calendar", "said"),
    [
        (Calendar(weekend=(0, 1, 2, 3, 4, 5, 6)), "no day is a business day"),
        (Calendar(weekend=(7,)), "calendar: weekend=7 is not a number from 0 to 6"),
        (Calendar(off=("christmas",)), "calendar: off: 'christmas' is not a date"),
        (Calendar(off=("2026-01-01",), on=("2026-01-01",)), "2026-01-01 is both in off and in on"),
        (Calendar(country="ZZ"), "calendar='ZZ' is neither"),
    ],
)
def test_a_calendar_that_makes_no_sense_is_refused(calendar: Calendar, said: str) -> None:
    with pytest.raises(BadOption) as refused:
        compiled(Every("1d"), calendar=calendar)

    assert said in str(refused.value)


def test_a_version_differs_when_the_calendar_or_its_data_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = calendar_version(FRANCE)
    own = calendar_version(Calendar())

    monkeypatch.setattr("rota.rules.schedules.calendars.version_of", lambda _: "0.999")

    assert calendar_version(FRANCE) != before
    assert calendar_version(Calendar()) == own
    assert calendar_version(Calendar(off=("2026-12-28",))) != own


@pytest.mark.parametrize(
    ("roll", "found"),
    [("next", "2026-05-04"), ("previous", "2026-04-30"), ("modified_following", "2026-05-04")],
)
def test_a_firing_on_a_holiday_is_moved_and_marked(roll: Any, found: str) -> None:
    timetable = compiled(Cron("0 12 1 5 *"), PARIS, calendar="FR", roll=roll)

    at = timetable.after(ms("2026-04-29"))

    assert at == ms(f"{found}T10:00Z")
    assert timetable.marks(at) == ("moved from 1 May 2026 (Labor Day)",)


def test_a_firing_on_a_holiday_is_left_out_with_skip() -> None:
    timetable = compiled(Cron("0 12 1,4 5 *"), PARIS, calendar="FR")

    assert times(timetable, "2026-04-01", "2027-04-01") == ["2026-05-04T10:00Z"]


@pytest.mark.parametrize("roll", ["next", "previous"])
def test_instants_that_coincide_fire_once_without_a_mark(roll: Any) -> None:
    daily = compiled(Cron("0 6 * * *"), PARIS, calendar="FR", roll=roll)

    found = times(daily, "2026-12-24T00:00Z", "2026-12-29T00:00Z")

    assert found == ["2026-12-24T05:00Z", "2026-12-28T05:00Z"]
    assert [daily.marks(ms(str(at))) for at in found] == [(), ()]


def test_days_that_clocks_come_to_again_stay_in_the_order_of_their_instants() -> None:
    """In St. John's 00:01 became 23:01: a minute of the 4th, an hour of the 3rd, the 4th."""
    plain = compiled(Every("30m"), "America/St_Johns")
    rolled = compiled(Every("30m"), "America/St_Johns", calendar=Calendar(weekend=()), roll="next")
    window = ("2007-11-04T00:00Z", "2007-11-04T06:00Z")

    assert times(rolled, *window) == times(plain, *window)


def test_each_of_many_firings_a_day_keeps_its_wall_time() -> None:
    """Saturday at 10 and 14 comes to Monday beside Monday's own at 8."""
    timetable = compiled(Cron("0 8,10 * * mon,sat"), calendar=Calendar(), roll="next")

    found = times(timetable, "2026-01-03", "2026-01-06")

    assert found == ["2026-01-05T08:00Z", "2026-01-05T10:00Z"]


def test_a_moved_firing_meets_the_gap_of_its_new_day() -> None:
    """In Jordan Friday is off; clocks went forward at the start of Friday 30 March 2012."""
    calendar = Calendar(weekend=(4,), off=("2012-03-31",), on=("2012-03-30",))
    timetable = compiled(Cron("30 0 31 3 *"), "Asia/Amman", calendar=calendar, roll="previous")

    at = timetable.after(ms("2012-03-01"))

    assert iso(at) == "2012-03-29T22:00Z"


def test_a_schedule_that_no_business_day_can_take_ends() -> None:
    never = Calendar(weekend=(0, 1, 2, 3, 4, 5, 6), on=("2020-01-01",))

    for roll in get_args(Roll):
        assert (
            compiled(Cron("0 6 * * *"), calendar=never, roll=roll).after(ms("2026-01-01")) is None
        )


days_off = st.sets(st.dates(date(2026, 1, 1), date(2026, 4, 30)), max_size=60)
lines = st.sampled_from(
    ["0 6 * * *", "0 */8 * * *", "30 2 * * sun", "0 0 1,15 * *", "15 23 31 * *", "0 12 * * sat,sun"]
)


@given(
    days_off,
    st.sets(st.integers(0, 6), max_size=3),
    lines,
    st.sampled_from(get_args(Roll)),
    st.integers(ms("2026-01-20"), ms("2026-04-10")),
)
def test_rolled_firings_are_those_of_brute_force(
    off: set[date], weekend: set[int], line: str, roll: Any, probe: int
) -> None:
    calendar = Calendar(weekend=tuple(weekend), off=tuple(day.isoformat() for day in off))
    schedule = Schedule(trigger=Cron(line), calendar=calendar, roll=roll)
    timetable = compile_schedule(schedule, seed="", calendars=NO_CALENDARS)
    plain = compiled(Cron(line))

    def is_off(day: date) -> bool:
        return day in off or day.weekday() in weekend

    def rolled(day: date) -> date | None:
        later = earlier = day
        while is_off(later):
            later += DAY
        while is_off(earlier):
            earlier -= DAY
        return {
            "skip": None if is_off(day) else day,
            "next": later,
            "previous": earlier,
            "modified_following": later if later.month == day.month else earlier,
        }[str(roll)]

    expected = set()
    for text in times(plain, "2025-09-01", "2026-09-01"):
        assert text is not None
        to = rolled(date.fromisoformat(text[:10]))
        if to is not None:
            expected.add(f"{to}{text[10:]}")
    wanted = sorted(text for text in expected if ms(text) > probe)

    found = []
    at = timetable.after(probe)
    while at is not None and at < ms("2026-06-15"):
        found.append(iso(at))
        at = timetable.after(at)

    assert found == [text for text in wanted if text < "2026-06-15"]
