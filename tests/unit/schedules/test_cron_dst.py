"""Cron lines on the days on which the clocks are changed, for the default and each policy."""

from __future__ import annotations

from bisect import bisect_right
from datetime import UTC, datetime
from itertools import islice
from random import Random

import pytest

from rota.model.schedules.definitions import Cron, Dialect, Fold, Gap
from rota.rules.schedules.cron import compile_cron
from rota.rules.schedules.timetable import firings
from rota.rules.schedules.zones import zone

NEW_YORK = "America/New_York"
GAP_DAY = ("2024-03-10T04:45Z", "2024-03-10T09:00Z")
FOLD_DAY = ("2024-11-03T04:15Z", "2024-11-03T08:00Z")


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * 1_000)


def fired(
    expression: str,
    name: str,
    window: tuple[str, str],
    gap: Gap = "cron",
    fold: Fold = "cron",
    dialect: Dialect = "vixie",
) -> list[str]:
    """The firings in the window, its end included, as times of UTC."""
    timetable = compile_cron(Cron(expression, dialect), zone=zone(name), gap=gap, fold=fold)
    found = firings(timetable, at(window[0]) - 1, at(window[1]))
    moments = [datetime.fromtimestamp(one / 1_000, UTC) for one in found]
    return [f"{one:%H:%M:%S}".removesuffix(":00") for one in moments]


@pytest.mark.parametrize(
    ("case", "expression", "window", "expected"),
    [
        ("DST-01", "30 2 * * *", GAP_DAY, ["07:00"]),
        ("DST-02", "30 1 * * *", FOLD_DAY, ["05:30"]),
        ("DST-03", "30 * * * *", GAP_DAY, ["05:30", "06:30", "07:30", "08:30"]),
        ("DST-04", "30 * * * *", FOLD_DAY, ["04:30", "05:30", "06:30", "07:30"]),
        (
            "DST-05",
            "*/15 1 * * *",
            FOLD_DAY,
            ["05:00", "05:15", "05:30", "05:45", "06:00", "06:15", "06:30", "06:45"],
        ),
        ("DST-06", "*/20 2 * * *", GAP_DAY, []),
    ],
)
def test_new_york_is_as_cron_does_it(
    case: str, expression: str, window: tuple[str, str], expected: list[str]
) -> None:
    assert fired(expression, NEW_YORK, window) == expected


@pytest.mark.parametrize(
    ("expression", "gap", "expected"),
    [
        ("30 2 * * *", "next", ["07:00"]),
        ("30 2 * * *", "skip", []),
        ("30 2 * * *", "same", ["07:30"]),
        ("0,30 2,3 * * *", "cron", ["07:00", "07:30"]),
        ("0,30 2,3 * * *", "same", ["07:00", "07:30"]),
        ("30 * * * *", "next", ["05:30", "06:30", "07:00", "07:30", "08:30"]),
        ("30 * * * *", "skip", ["05:30", "06:30", "07:30", "08:30"]),
        ("30 * * * *", "same", ["05:30", "06:30", "07:30", "08:30"]),
        ("*/20 2 * * *", "next", ["07:00"]),
        ("*/20 2 * * *", "skip", []),
        ("*/20 2 * * *", "same", ["07:00", "07:20", "07:40"]),
    ],
)
def test_a_gap_is_as_the_schedule_wishes(expression: str, gap: Gap, expected: list[str]) -> None:
    assert fired(expression, NEW_YORK, GAP_DAY, gap=gap) == expected


@pytest.mark.parametrize(
    ("expression", "fold", "expected"),
    [
        ("30 1 * * *", "first", ["05:30"]),
        ("30 1 * * *", "second", ["06:30"]),
        ("30 1 * * *", "both", ["05:30", "06:30"]),
        ("30 1 3 11 *", "both", ["05:30", "06:30"]),
        ("0 30 1 3 11 * 2024", "both", ["05:30", "06:30"]),
        ("30 * * * *", "first", ["04:30", "05:30", "07:30"]),
        ("30 * * * *", "second", ["04:30", "06:30", "07:30"]),
        ("30 * * * *", "both", ["04:30", "05:30", "06:30", "07:30"]),
        ("*/30 1 * * *", "first", ["05:00", "05:30"]),
        ("*/30 1 * * *", "second", ["06:00", "06:30"]),
        ("0 1,2 * * *", "first", ["05:00", "07:00"]),
        ("0 1,2 * * *", "second", ["06:00", "07:00"]),
    ],
)
def test_a_fold_is_as_the_schedule_wishes(expression: str, fold: Fold, expected: list[str]) -> None:
    assert fired(expression, NEW_YORK, FOLD_DAY, fold=fold) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("*/15 2 * * *", []),
        ("30 */2 * * *", ["05:30", "08:30"]),
        ("*,0 2 * * *", []),
        ("0-59/15 2 * * *", ["07:00"]),
        ("30 0-23 * * *", ["05:30", "06:30", "07:00", "07:30", "08:30"]),
    ],
)
def test_dst_07_only_a_star_at_the_start_makes_a_line_follow_real_time(
    expression: str, expected: list[str]
) -> None:
    assert fired(expression, NEW_YORK, GAP_DAY) == expected


def test_dst_08_the_zone_of_the_line_decides_not_that_of_the_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TZ", NEW_YORK)

    assert fired("30 2 * * *", "UTC", GAP_DAY) == []
    assert fired("30 6 * * *", "UTC", GAP_DAY) == ["06:30"]


def test_dst_09_a_shift_of_half_an_hour() -> None:
    fold, gap = (
        ("2024-04-06T13:00Z", "2024-04-06T20:00Z"),
        ("2024-10-05T13:00Z", "2024-10-05T20:00Z"),
    )
    howe = "Australia/Lord_Howe"

    assert fired("45 1 * * *", howe, fold) == ["14:45"]
    assert fired("15 2 * * *", howe, fold) == ["15:45"]
    assert fired("45 1 * * *", howe, fold, fold="second") == ["15:15"]
    assert fired("15 1 * * *", howe, fold, fold="second") == ["14:15"]
    assert fired("45 1 * * *", howe, fold, fold="both") == ["14:45", "15:15"]
    assert fired("15 2 * * *", howe, gap) == ["15:30"]
    assert fired("15 2 * * *", howe, gap, gap="same") == ["15:45"]
    assert fired("45 2 * * *", howe, gap) == ["15:45"]
    assert fired("0 */3 * * *", howe, ("2021-04-03T12:00Z", "2021-04-03T20:00Z")) == [
        "13:00",
        "16:30",
        "19:30",
    ]


def test_dst_10_a_day_without_midnight() -> None:
    days = ("2018-11-03T00:00Z", "2018-11-05T12:00Z")

    assert fired("@daily", "America/Sao_Paulo", days) == ["03:00", "03:00", "02:00"]
    assert fired("@daily", "America/Sao_Paulo", days, gap="skip") == ["03:00", "02:00"]
    assert fired("@hourly", "America/Sao_Paulo", ("2018-11-04T01:30Z", "2018-11-04T04:00Z")) == [
        "02:00",
        "03:00",
        "04:00",
    ]


def test_a_day_that_was_left_out_fires_at_its_end() -> None:
    days = ("2011-12-29T12:00Z", "2011-12-31T12:00Z")

    assert fired("0 6 * * *", "Pacific/Apia", days) == ["16:00", "10:00", "16:00"]
    assert fired("0 6 * * *", "Pacific/Apia", days, gap="skip") == ["16:00", "16:00"]
    assert fired("0 6 30 12 *", "Pacific/Apia", days, gap="same") == ["16:00"]
    assert fired("0 6,12 30 12 *", "Pacific/Apia", days, gap="same") == ["16:00", "22:00"]
    assert fired("0 */6 30 12 *", "Pacific/Apia", days) == []


@pytest.mark.parametrize(
    ("name", "expression", "window", "expected"),
    [
        ("Europe/Dublin", "30 1 * * *", ("2024-03-30T12:00Z", "2024-03-31T12:00Z"), ["01:00"]),
        ("Europe/Dublin", "30 1 * * *", ("2024-10-26T12:00Z", "2024-10-27T12:00Z"), ["00:30"]),
        ("Africa/Casablanca", "30 2 * * *", ("2026-02-14T12:00Z", "2026-02-15T12:00Z"), ["01:30"]),
        ("Africa/Casablanca", "30 2 * * *", ("2026-03-21T12:00Z", "2026-03-22T12:00Z"), ["02:00"]),
        ("Pacific/Chatham", "0 3 * * *", ("2026-09-26T00:00Z", "2026-09-26T20:00Z"), ["14:00"]),
        ("Antarctica/Casey", "30 1 * * *", ("2020-10-03T12:00Z", "2020-10-04T00:00Z"), ["16:01"]),
        ("Asia/Kathmandu", "5 0 * * *", ("1985-12-31T12:00Z", "1986-01-01T12:00Z"), ["18:30"]),
    ],
)
def test_other_zones_with_habits_of_their_own(
    name: str, expression: str, window: tuple[str, str], expected: list[str]
) -> None:
    assert fired(expression, name, window) == expected


def test_the_seconds_have_no_say_in_what_follows_real_time() -> None:
    every_20_s = "*/20 30 2 * * *"

    assert fired(every_20_s, NEW_YORK, GAP_DAY) == ["07:00"]
    assert fired("*/20 30 1 * * *", NEW_YORK, FOLD_DAY) == ["05:30", "05:30:20", "05:30:40"]
    assert len(fired("0 */30 1 * * *", NEW_YORK, FOLD_DAY)) == 4


def test_quartz_lines_follow_the_same_rules() -> None:
    assert fired("0 30 2 * * ?", NEW_YORK, GAP_DAY, dialect="quartz") == ["07:00"]
    assert fired("0 30 1 ? * SUN", NEW_YORK, FOLD_DAY, dialect="quartz") == ["05:30"]
    assert len(fired("0 0/30 * * * ?", NEW_YORK, FOLD_DAY, dialect="quartz")) == 8


@pytest.mark.parametrize(
    ("expression", "name", "moment", "gap", "marks"),
    [
        ("30 2 * * *", NEW_YORK, "2024-03-10T07:00Z", "cron", "moved from 02:30"),
        ("30 2 * * *", NEW_YORK, "2024-03-10T07:30Z", "same", "moved from 02:30"),
        ("30 2,3 * * *", NEW_YORK, "2024-03-10T07:30Z", "same", "also for 02:30"),
        ("30 2 * * *", "Pacific/Apia", "2011-12-30T10:00Z", "cron", "moved from 2011-12-30 02:30"),
        ("5 30 2 * * *", NEW_YORK, "2024-03-10T07:00Z", "cron", "moved from 02:30:05"),
    ],
)
def test_a_firing_out_of_a_gap_says_so(
    expression: str, name: str, moment: str, gap: Gap, marks: str
) -> None:
    timetable = compile_cron(Cron(expression), zone=zone(name), gap=gap)

    assert timetable.marks(at(moment)) == (f"{marks}, which does not exist",)


def test_a_firing_in_a_fold_says_which_it_is() -> None:
    timetable = compile_cron(Cron("30 * * * *"), zone=zone(NEW_YORK))

    assert timetable.marks(at("2024-11-03T04:30Z")) == ()
    assert timetable.marks(at("2024-11-03T05:30Z")) == ("01:30 comes twice; this is the first",)
    assert timetable.marks(at("2024-11-03T06:30Z")) == ("01:30 comes twice; this is the second",)
    assert timetable.marks(at("2024-11-03T07:30Z")) == ()


def test_an_instant_without_a_firing_has_no_marks() -> None:
    daily = compile_cron(Cron("30 1 * * *"), zone=zone(NEW_YORK))

    assert daily.marks(at("2024-11-03T06:30Z")) == ()
    assert daily.marks(at("2024-11-03T05:30Z") + 1) == ()


def test_the_first_firing_is_strictly_later() -> None:
    timetable = compile_cron(Cron("0 6 * * *"), zone=zone("UTC"))
    six, tomorrow = at("2026-05-01T06:00Z"), at("2026-05-02T06:00Z")

    assert [timetable.after(six + by) for by in (-1, 0, 1, 999)] == [six, *[tomorrow] * 3]
    assert timetable.after(at("1815-12-10T00:00Z")) == at("1970-01-01T06:00Z")
    assert timetable.after(10**15) is None


def test_rare_days_are_found_and_passed_years_are_not() -> None:
    leap_monday = compile_cron(Cron("0 0 29-29 2 */7,mon"), zone=zone("UTC"))
    passed = compile_cron(Cron("0 0 0 1 1 * 2020"), zone=zone("UTC"))
    leap = compile_cron(Cron("0 0 29 2 *"), zone=zone("UTC"))

    assert leap_monday.after(at("2026-01-01T00:00Z")) == at("2032-02-29T00:00Z")
    assert passed.after(at("2026-01-01T00:00Z")) is None
    assert leap.after(at("2096-03-01T00:00Z")) == at("2104-02-29T00:00Z")
    assert leap.after(at("2196-03-01T00:00Z")) is None


def test_the_order_of_the_questions_does_not_matter() -> None:
    """A timetable remembers the day of its last answer."""
    for expression in ("30 1,2,4 * * *", "*/30 * * * *", "45 23 * * *"):
        for window in (GAP_DAY, FOLD_DAY):
            timetable = compile_cron(Cron(expression), zone=zone(NEW_YORK))
            minutes = list(range(at(window[0]), at(window[1]), 60_000))
            expected = [*firings(timetable, minutes[0], minutes[-1] + 86_400_000)]
            Random(expression).shuffle(minutes)

            found = {minute: timetable.after(minute) for minute in minutes}

            assert found == {n: expected[bisect_right(expected, n)] for n in minutes}


def test_a_nearest_working_day_stays_in_its_month() -> None:
    first = compile_cron(Cron("0 0 1W 8 *"), zone=zone("UTC"))
    last = compile_cron(Cron("0 0 31W 5 *"), zone=zone("UTC"))

    assert first.after(at("2026-01-01T00:00Z")) == at("2026-08-03T00:00Z")
    assert last.after(at("2026-01-01T00:00Z")) == at("2026-05-29T00:00Z")


def test_the_same_question_shares_one_timetable() -> None:
    one = compile_cron(Cron("0 6 * * *"), zone=zone("UTC"), seed="a")
    same = compile_cron(Cron("0  6 * * *"), zone=zone("UTC"), seed="b")

    assert one is same


def test_every_of_kubernetes_counts_real_time() -> None:
    timetable = compile_cron(Cron("@every 1m30s", "kubernetes"), zone=zone(NEW_YORK))
    found = list(islice(firings(timetable, at("2024-03-10T06:59Z"), 10**15), 3))

    assert found == [at(f"2024-03-10T{time}Z") for time in ("07:00", "07:01:30", "07:03")]
    assert timetable.marks(found[0]) == ()
