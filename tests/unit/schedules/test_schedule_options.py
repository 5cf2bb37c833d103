"""Schedules as people give them: every form is read, every slip is named."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import msgspec
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from rota.errors import BadInput
from rota.model.schedules.definitions import (
    AnyOf,
    At,
    BusinessDay,
    Calendar,
    CalendarEvery,
    Cron,
    Every,
    Rrule,
    Schedule,
    Trigger,
    Unless,
)
from rota.rules.schedules.option_table import SCHEDULE_OPTIONS
from rota.rules.schedules.options import read_schedule, read_schedules

DAILY = Cron("0 6 * * *")


@pytest.mark.parametrize(
    ("given", "trigger"),
    [
        ("0 6 * * *", DAILY),
        ("@daily", Cron("@daily")),
        ("@every 90s", Every("90s")),
        (timedelta(seconds=90), Every("1m 30s")),
        (datetime(2026, 3, 8, 7, tzinfo=UTC), At(("2026-03-08T07:00:00+00:00",))),
        (date(2026, 3, 8), At(("2026-03-08",))),
        (DAILY, DAILY),
        (Every(90), Every("1m 30s")),  # type: ignore[arg-type]
        (At("2026-03-08"), At(("2026-03-08",))),  # type: ignore[arg-type]
        (At([datetime.fromisoformat("2026-03-08")]), At(("2026-03-08T00:00:00",))),  # type: ignore[arg-type]
        ({"cron": "0 6 * * *"}, DAILY),
        ({"cron": "0 0 6 ? * *", "dialect": "quartz"}, Cron("0 0 6 ? * *", "quartz")),
        ({"every": "90s"}, Every("90s")),
        ({"every": 90, "from_end": True}, Every("1m 30s", from_end=True)),
        ({"every": "1h", "anchor": "2026-01-01T00:10Z"}, Every("1h", "2026-01-01T00:10Z")),
        (
            {"every": {"months": 1}, "start": "2026-01-31T06:00"},
            CalendarEvery("2026-01-31T06:00", months=1),
        ),
        ({"at": "2026-03-08"}, At(("2026-03-08",))),
        ({"at": ["2026-03-08", date(2026, 4, 1)]}, At(("2026-03-08", "2026-04-01"))),
        (
            {"rrule": "FREQ=DAILY", "start": datetime.fromisoformat("2026-01-01")},
            Rrule("FREQ=DAILY", "2026-01-01T00:00:00"),
        ),
        ({"business_day": -1, "time": "18:00"}, BusinessDay(-1, "18:00")),
        ({"any_of": ["@daily", {"every": "90s"}]}, AnyOf((Cron("@daily"), Every("90s")))),
        ({"trigger": "@hourly", "unless": "@daily"}, Unless(Cron("@hourly"), Cron("@daily"))),
        (
            {"cron": "@hourly", "unless": {"at": "2026-01-01"}, "whole_day": True},
            Unless(Cron("@hourly"), At(("2026-01-01",)), whole_day=True),
        ),
        ({"trigger": {"type": "every", "every": "90s"}}, Every("90s")),
        ({"trigger": DAILY}, DAILY),
    ],
)
def test_every_form_of_a_trigger_is_read(given: Any, trigger: Trigger) -> None:
    schedule = read_schedule(given)

    assert schedule == Schedule(trigger=trigger)
    assert msgspec.json.decode(msgspec.json.encode(schedule), type=Schedule) == schedule


def test_policies_beside_a_line() -> None:
    schedule = read_schedule(
        "0 6 * * mon-fri", {"timezone": "Europe/Paris", "overlap": "skip", "catchup": "last"}
    )

    assert schedule == Schedule(
        trigger=Cron("0 6 * * mon-fri"), zone="Europe/Paris", overlap="skip", catchup="last"
    )


def test_policies_of_a_mapping_win_over_those_beside_it() -> None:
    given = [{"cron": "0 6 * * *", "zone": "Asia/Tokyo"}, "0 7 * * *"]

    first, second = read_schedules(given, {"timezone": "Europe/Paris", "jitter": 30})

    assert (first.zone, second.zone) == ("Asia/Tokyo", "Europe/Paris")
    assert (first.jitter, second.jitter) == ("30s", "30s")


def test_a_schedule_is_kept_and_changed_by_options() -> None:
    given = Schedule(trigger=DAILY, zone="Asia/Tokyo", count=3)

    assert read_schedule(given) == given
    assert read_schedule(given, {"overlap": "skip"}).overlap == "skip"
    assert read_schedules(None) == ()


def test_all_of_yaml() -> None:
    text = """
    cron: "0 6 * * *"
    zone: Europe/Paris
    gap: skip
    fold: both
    start: 2026-01-01
    end: 2026-12-31T23:00:00Z
    count: 10
    calendar: {country: FR, weekend: [sat, Sunday], off: [2026-12-24], on: ["2026-12-26"]}
    roll: modified-following
    args: {region: eu}
    overlap: queue_all
    parallel: 2
    backlog: 5
    catchup: all
    catchup_limit: 7
    catchup_window: 2d
    grace: 0s
    jitter: 30s
    jitter_kind: random
    start_within: 1h
    deadline: 07:00
    pause_after: 3
    paused: true
    """

    assert read_schedule(yaml.safe_load(text)) == Schedule(
        trigger=DAILY,
        zone="Europe/Paris",
        gap="skip",
        fold="both",
        start="2026-01-01",
        end="2026-12-31T23:00:00+00:00",
        count=10,
        calendar=Calendar(country="FR", off=("2026-12-24",), on=("2026-12-26",)),
        roll="modified_following",
        args={"region": "eu"},
        overlap="queue_all",
        parallel=2,
        backlog=5,
        catchup="all",
        catchup_limit=7,
        catchup_window="2d",
        grace="0s",
        jitter="30s",
        jitter_kind="random",
        start_within="1h",
        deadline="07:00",
        pause_after=3,
        is_paused=True,
    )


def test_every_field_of_a_schedule_is_an_option() -> None:
    assert set(Schedule.__struct_fields__) - {"trigger", "name"} <= SCHEDULE_OPTIONS


@pytest.mark.parametrize(
    "options", [{"parallel": 3}, {"overlap": "parallel=3"}, {"overlap": "bounded parallel 3"}]
)
def test_bounded_parallel_runs_so_many_and_queues_the_others(options: dict[str, Any]) -> None:
    schedule = read_schedule("@daily", options)

    assert (schedule.overlap, schedule.parallel) == ("queue_all", 3)


def test_one_time_in_the_past_is_allowed() -> None:
    assert read_schedule({"at": "1999-12-31T23:59Z"}).trigger == At(("1999-12-31T23:59Z",))


def test_a_stored_calendar_is_known_by_its_name() -> None:
    known = {"house": Calendar(off=("2026-12-28",))}

    assert read_schedule("@daily", {"calendar": "house"}, calendars=known).calendar == "house"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (7, "schedule=7 is not a trigger; give a cron line"),
        ("", "schedule is empty"),
        ("61 * * * *", "61"),
        ({}, "it has none of cron, every"),
        ({"cron": "@daily", "every": "1h"}, "it has cron and every of"),
        ({"cron": 6}, "cron=6 is not a text"),
        ({"cron": "@daily", "dialect": "quarts"}, "Did you mean 'quartz'?"),
        ({"cron": "@daily", "tiem": "06:00"}, "no option 'tiem'"),
        ({"cron": "@daily", "timezon": "UTC"}, "Did you mean 'timezone'?"),
        ({"cron": "@daily", "time": "06:00"}, "no option 'time'"),
        ({"cron": "@daily", "zone": "UTC", "timezone": "UTC"}, "are the same"),
        ({"cron": "@daily", "whole_day": True}, "whole_day= belongs to unless="),
        ({"every": "0s"}, "every='0s' is zero"),
        ({"every": "often"}, "every: 'often' is not a duration"),
        ({"every": {"month": 1}, "start": "2026-01-01"}, "Did you mean 'months'?"),
        ({"every": {"months": 1}}, "count from start=; give it"),
        ({"every": {"months": "1"}, "start": "2026-01-01"}, "months='1' is not a number"),
        ({"every": "1h", "from_end": "yes"}, "from_end='yes' is not true or false"),
        ({"at": []}, "at has 0 times"),
        ({"at": 7}, "at=7 is neither a text nor a datetime"),
        ({"rrule": "FREQ=DAILY"}, "counts from start="),
        ({"rrule": 7, "start": "2026-01-01"}, "rrule is a text"),
        ({"business_day": 1, "time": 1080}, 'time=1080 is not a time of day; write "18:00"'),
        ({"business_day": "last"}, "business_day='last' is not a number"),
        ({"any_of": "@daily"}, "is not a list of triggers"),
        ({"any_of": [{"cron": "@daily", "zone": "UTC"}]}, "a trigger has no 'zone'"),
        ({"trigger": {"type": "evry"}}, "evry"),
        ({"trigger": "@hourly", "unless": "@hourly"}, "unless leaves out every firing"),
        ({"cron": "0 6 25 12 *", "calendar": "FR"}, "all its firings fall on days off"),
        (
            {"cron": "0 6 1 * *", "start": "2026-01-02", "end": "2026-01-30"},
            "between start and end",
        ),
        ({"cron": "@daily", "start": "2026-02-01", "end": "2026-01-01"}, "is before start="),
        ({"at": "2026-03-29T02:30", "zone": "Europe/Paris", "gap": "skip"}, "never fire"),
        (CalendarEvery(start=None, days=1), "start"),  # type: ignore[arg-type]
        (Cron(7), "schedule: "),  # type: ignore[arg-type]
    ],
)
def test_a_slip_is_named(given: Any, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        read_schedule(given)

    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"timezone": "Europe/Pariss"}, "did you mean 'Europe/Paris'?"),
        ({"zone": 7}, "no time zone is named '7'"),
        ({"overlap": "skipp"}, "overlap='skipp' is not one of allow, skip"),
        ({"overlap": "parallel=0"}, "parallel=0 is not a number from 1"),
        ({"overlap": "allow", "parallel": 2}, "has no bound"),
        ({"catchup": "most"}, "catchup='most' is not one of none, last, all"),
        ({"gap": True}, "gap=True is not one of"),
        ({"jitter": "0s"}, "jitter='0s' is zero"),
        ({"jitter": "some"}, "jitter: 'some' is not a duration"),
        ({"start_within": -1}, "start_within: -1 is not a duration"),
        ({"pause_after": 0}, "pause_after=0 is not a number from 1"),
        ({"count": True}, "count=True is not a number"),
        ({"start": 7}, "start=7 is neither a text nor a datetime"),
        ({"start": "soon"}, "start='soon' is not a time"),
        ({"roll": "next"}, "give the calendar too"),
        ({"calendar": "FRA-XX"}, "FRA has no part 'XX'"),
        ({"calendar": 7}, "calendar=7 is neither a name"),
        ({"calendar": {"countri": "FR"}}, "countri"),
        ({"calendar": {"weekend": ["caturday"]}}, "'caturday', which is no day"),
        ({"args": [1]}, "args=[1] is not a mapping"),
        ({"args": {"x": object()}}, "args: "),
        ({"paused": "yes"}, "is_paused='yes' is not true or false"),
    ],
)
def test_a_slip_in_a_policy_is_named(options: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput) as refused:
        read_schedule("@daily", options)

    assert said in str(refused.value)


def test_too_many_schedules_are_refused() -> None:
    with pytest.raises(BadInput, match="schedule has 101 entries"):
        read_schedules(["@daily"] * 101)


def test_mappings_nested_without_end_are_refused() -> None:
    given: Any = "@daily"
    for _ in range(2_000):
        given = {"trigger": given}

    with pytest.raises(BadInput, match="nested more than 8 deep"):
        read_schedule(given)


@pytest.mark.parametrize(
    "given",
    [
        {"rrule": {}, "start": "2026-01-01"},
        {"rrule": [1], "start": "2026-01-01"},
        {"business_day": 1, "time": {}},
        {"every": {"days": {}}, "start": "2026-01-01"},
        Rrule(rule=object(), start="2026-01-01"),  # type: ignore[arg-type]
        BusinessDay(nth=1, time=object()),  # type: ignore[arg-type]
        CalendarEvery(days=object(), start="2026-01-01"),  # type: ignore[arg-type]
    ],
)
def test_a_trigger_whose_parts_have_other_types_is_refused(given: Any) -> None:
    with pytest.raises(BadInput):
        read_schedule(given)


leaves = st.none() | st.booleans() | st.integers(-5, 40) | st.text(max_size=12) | st.dates()
words = st.sampled_from(
    ["cron", "every", "at", "rrule", "start", "business_day", "time", "any_of", "unless", "trigger"]
)
garbage = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3)
)


@given(garbage)
def test_anything_is_read_or_refused(given: Any) -> None:
    try:
        schedules = read_schedules(given)
    except BadInput:
        return
    assert all(isinstance(schedule, Schedule) for schedule in schedules)
