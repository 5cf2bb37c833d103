"""Recurrence rules: against python-dateutil on wall times, and what it gets wrong."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import takewhile

import pytest
from dateutil.rrule import rrulestr
from hypothesis import assume, given
from hypothesis import strategies as st

from rota.errors import BadOption
from rota.model.schedules.definitions import Rrule
from rota.rules.schedules.triggers.rrule_periods import RruleWalls
from rota.rules.schedules.triggers.rrule_text import WEEKDAYS, read_rule
from rota.rules.schedules.zones import zone
from tests.support.schedules import compiled, iso, ms, times

UTC = zone("UTC")
PARIS = "Europe/Paris"
TICK = timedelta(milliseconds=1)


def numbers(low: int, high: int) -> st.SearchStrategy[str]:
    each = st.integers(low, high).filter(lambda number: number != 0 or low >= 0)
    return st.lists(each, min_size=1, max_size=4).map(lambda found: ",".join(map(str, found)))


def weekdays(*, with_place: bool) -> st.SearchStrategy[str]:
    """Of one kind: dateutil reads `MO,2TU` as both at once."""
    plain = st.lists(st.sampled_from(WEEKDAYS), min_size=1, max_size=3)
    placed = st.lists(
        st.builds("{}{}".format, st.sampled_from([1, 2, 4, -1, -2]), st.sampled_from(WEEKDAYS)),
        min_size=1,
        max_size=3,
    )
    return (plain | placed if with_place else plain).map(",".join)


@st.composite
def rules(draw: st.DrawFn) -> str:
    freq = draw(st.sampled_from(["YEARLY", "MONTHLY", "WEEKLY", "DAILY"]))
    by: dict[str, st.SearchStrategy[str]] = {
        "BYMONTH": numbers(1, 12),
        "BYHOUR": numbers(0, 23),
        "BYMINUTE": numbers(0, 59),
        "BYDAY": weekdays(with_place=freq in {"YEARLY", "MONTHLY"}),
    }
    if freq != "WEEKLY":
        by["BYMONTHDAY"] = numbers(-31, 31)
    if freq == "YEARLY":
        by |= {"BYYEARDAY": numbers(-366, 366), "BYWEEKNO": numbers(1, 53)}
    chosen = draw(st.lists(st.sampled_from(sorted(by)), max_size=3, unique=True))
    assume(not ("BYWEEKNO" in chosen and len(chosen) > 2))
    parts = [f"{name}={draw(by[name])}" for name in chosen]
    if chosen and freq in {"YEARLY", "MONTHLY"} and draw(st.booleans()):
        parts.append(f"BYSETPOS={draw(numbers(-3, 3))}")
    parts.append(f"INTERVAL={draw(st.integers(1, 5))}")
    parts.append(f"WKST={draw(st.sampled_from(WEEKDAYS))}")
    return f"FREQ={freq};" + ";".join(parts)


starts = st.datetimes(
    datetime.fromisoformat("2015-01-01"), datetime.fromisoformat("2024-01-01")
).map(lambda start: start.replace(microsecond=0))


@given(rules(), starts, st.integers(0, 3_000))
def test_wall_times_are_those_of_dateutil(text: str, start: datetime, days: int) -> None:
    """Both ask about a window of two years; dateutil must find something, or it never ends."""
    begin = start + timedelta(days=days)
    end = begin + timedelta(days=730)
    walls = RruleWalls(read_rule(text, UTC), start)

    ours = []
    wall = walls.after(begin)
    while wall is not None and wall <= end:
        ours.append(wall)
        wall = walls.after(wall)

    assume(ours)
    oracle = rrulestr(f"{text};UNTIL={max(ours[-1], end):%Y%m%dT%H%M%S}", dtstart=start)
    theirs = list(takewhile(lambda found: found <= end, oracle.xafter(begin)))
    assert ours == theirs


@given(rules(), starts, st.integers(0, 1_000), st.integers(0, 86_400_000))
def test_the_answer_is_the_first_one_later_wherever_one_asks(
    text: str, start: datetime, days: int, millis: int
) -> None:
    walls = RruleWalls(read_rule(text, UTC), start)
    probe = start + timedelta(days=days, milliseconds=millis)

    found = walls.after(probe)

    assume(found is not None)
    assert found is not None
    assert found > probe
    assert walls.after(found - TICK) == found
    assert walls.after(probe + (found - probe) / 2) == found


@pytest.mark.parametrize(
    ("rule", "found"),
    [
        ("FREQ=MONTHLY;BYDAY=-1FR", ["2026-01-30", "2026-02-27", "2026-03-27"]),
        ("FREQ=MONTHLY;BYMONTHDAY=31", ["2026-01-31", "2026-03-31", "2026-05-31"]),
        (
            "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
            ["2026-01-30", "2026-02-27", "2026-03-31"],
        ),
        ("RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", ["2026-01-12", "2026-01-26", "2026-02-09"]),
        ("FREQ=DAILY;COUNT=2", ["2026-01-01", "2026-01-02"]),
        ("FREQ=DAILY;UNTIL=20260102", ["2026-01-01", "2026-01-02"]),
        ("FREQ=DAILY;UNTIL=20260102T055959", ["2026-01-01"]),
        ("FREQ=DAILY;COUNT=4\nEXDATE:20260102T060000", ["2026-01-01", "2026-01-03", "2026-01-04"]),
        ("FREQ=DAILY;COUNT=3\nEXDATE;VALUE=DATE:20260102", ["2026-01-01", "2026-01-03"]),
        ("FREQ=YEARLY;BYDAY=MO,2TU;BYMONTH=1", ["2026-01-05", "2026-01-12", "2026-01-13"]),
    ],
)
def test_rules_of_days_and_longer(rule: str, found: list[str]) -> None:
    timetable = compiled(Rrule(rule, "2026-01-01T06:00"))

    each = times(timetable, "2025-01-01", "2030-01-01")[:3]
    assert each == [f"{day}T06:00Z" for day in found]


def test_the_thirteenth_that_is_a_friday_is_found_years_later() -> None:
    timetable = compiled(Rrule("FREQ=DAILY;BYMONTHDAY=13;BYDAY=FR;BYMONTH=2", "1990-01-01T00:00"))

    assert iso(timetable.after(ms("2016-01-01"))) == "2026-02-13T00:00Z"


def test_until_as_an_instant_is_read_in_the_zone() -> None:
    """22:59:59Z is 23:59:59 in Paris in winter: the last firing is that of the same day."""
    rule = Rrule("FREQ=DAILY;UNTIL=20260102T225959Z", "2026-01-01T23:30")

    assert times(compiled(rule, PARIS), "2025-01-01", "2030-01-01") == [
        "2026-01-01T22:30Z",
        "2026-01-02T22:30Z",
    ]


def test_daily_rules_keep_the_wall_time_over_a_shift() -> None:
    rule = Rrule("FREQ=DAILY", "2026-03-01T02:30")

    assert times(compiled(rule, PARIS), "2026-03-28", "2026-03-31") == [
        "2026-03-28T01:30Z",
        "2026-03-29T01:00Z",
        "2026-03-30T00:30Z",
    ]


@pytest.mark.parametrize(
    ("freq", "interval"), [("HOURLY", 1), ("MINUTELY", 60), ("SECONDLY", 3600)]
)
def test_an_hourly_rule_does_not_lose_the_hour_that_comes_twice(freq: str, interval: int) -> None:
    rule = Rrule(f"FREQ={freq};INTERVAL={interval}", "2026-10-24T22:30")

    found = times(compiled(rule, PARIS), "2026-10-24T23:00Z", "2026-10-25T03:00Z")

    assert found == [f"2026-10-2{day}Z" for day in ("4T23:30", "5T00:30", "5T01:30", "5T02:30")]


def test_an_hourly_rule_ends_and_leaves_out_too() -> None:
    rule = "FREQ=HOURLY;COUNT=5\nEXDATE:20260101T010000\nEXDATE;VALUE=DATE:20260102"
    until = "FREQ=HOURLY;UNTIL=20260102T000000"
    start = "2026-01-01T22:00"

    assert times(compiled(Rrule(rule, "2026-01-01T00:00")), "2025-01-01", "2027-01-01") == [
        f"2026-01-01T0{hour}:00Z" for hour in (0, 2, 3, 4)
    ]
    assert times(compiled(Rrule(rule, start)), "2025-01-01", "2027-01-01") == [
        "2026-01-01T22:00Z",
        "2026-01-01T23:00Z",
    ]
    assert len(times(compiled(Rrule(until, start)), "2025-01-01", "2027-01-01")) == 3


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("", "rrule is a text of 1 to 4,096 characters"),
        ("FREQ=DAILY;" * 400, "rrule is a text of 1 to 4,096"),
        ("FREQ=OFTEN", "FREQ='OFTEN' is not one of YEARLY"),
        ("INTERVAL=2", "FREQ='' is not one of"),
        ("FREQ=DAILY;INTERVAL=0", "INTERVAL='0' is not a number from 1"),
        ("FREQ=DAILY;INTERVAL=" + "9" * 3_000, "INTERVAL="),
        ("FREQ=DAILY;COUNT=1000000", "COUNT='1000000' is not a number from 1 to 10,000"),
        ("FREQ=DAILY;COUNT=2;UNTIL=20260101", "COUNT and UNTIL both"),
        ("FREQ=DAILY;UNTIL=20260230", "UNTIL='20260230' is not a time"),
        ("FREQ=DAILY;BYMONT=2", "no part 'BYMONT'. Did you mean 'BYMONTH'?"),
        ("FREQ=DAILY;FREQ=DAILY", "FREQ is given twice"),
        ("FREQ=DAILY;BYMONTH=", "BYMONTH is empty"),
        ("FREQ=DAILY;BYMONTH=13", "BYMONTH='13' is not a number from 1 to 12"),
        ("FREQ=MONTHLY;BYMONTHDAY=0", "BYMONTHDAY counts from 1"),
        ("FREQ=WEEKLY;BYDAY=2MO", "BYDAY=2MO counts days in a month or a year, not WEEKLY"),
        ("FREQ=MONTHLY;BYDAY=0MO", "BYDAY='0MO' is not a day"),
        ("FREQ=MONTHLY;BYDAY=XX", "BYDAY='XX' is not a day"),
        ("FREQ=WEEKLY;WKST=XX", "WKST='XX' is not one of MO"),
        ("FREQ=MONTHLY;BYSETPOS=1", "BYSETPOS chooses among"),
        ("FREQ=MONTHLY;BYWEEKNO=1", "BYWEEKNO goes with FREQ=YEARLY only"),
        ("FREQ=HOURLY;BYMINUTE=5", "FREQ=HOURLY with BY parts"),
        ("FREQ=DAILY\nFREQ=WEEKLY", "rrule has 2 rules; give one"),
        ("DTSTART:20260101\nFREQ=DAILY", "Give it as start"),
        ("RDATE:20260101\nFREQ=DAILY", "any_of and at"),
        (
            "FREQ=DAILY;BYHOUR=1,2;BYMINUTE="
            + ",".join(map(str, range(60)))
            + ";BYSECOND="
            + ",".join(map(str, range(60))),
            "make 7,200 firings a day, more than 1,440",
        ),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(rule: str, said: str) -> None:
    with pytest.raises(BadOption) as refused:
        compiled(Rrule(rule, "2026-01-01T00:00"))

    assert said in str(refused.value)


@given(st.text(max_size=200) | st.text(alphabet="FREQ=DAILYBOUNT;,:0123456789-+TZ\n", max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        timetable = compiled(Rrule(text, "2026-01-01T00:00"))
    except BadOption:
        return
    found = timetable.after(ms("2026-06-01"))
    assert found is None or found > ms("2026-06-01")
