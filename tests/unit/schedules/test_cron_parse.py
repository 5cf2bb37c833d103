"""Cron lines as they are written: what is accepted, what it means, what is said otherwise."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rota.errors import BadCron, BadInput
from rota.model.schedules.definitions import Cron, Dialect
from rota.rules.schedules.cron import compile_cron, parse_cron
from rota.rules.schedules.cron.line import CronLine, Interval
from rota.rules.schedules.cron.parse import MACROS
from rota.rules.schedules.timetable import firings
from rota.rules.schedules.zones import zone

START = datetime(2026, 1, 1, tzinfo=UTC)
DIALECTS: tuple[Dialect, ...] = ("vixie", "quartz", "kubernetes")


def line_of(expression: str, dialect: Dialect = "vixie", seed: str = "") -> CronLine:
    found = parse_cron(Cron(expression, dialect), seed=seed)
    assert isinstance(found, CronLine)
    return found


def days_of(expression: str, dialect: Dialect = "vixie", count: int = 6) -> str:
    """The first days of 2026 on which it fires, as month-day."""
    timetable = compile_cron(Cron(expression, dialect), zone=zone("UTC"))
    found = islice(firings(timetable, int(START.timestamp()) * 1_000 - 1, 10**14), count)
    return " ".join(datetime.fromtimestamp(one / 1_000, UTC).strftime("%m-%d") for one in found)


def complaint(expression: str, dialect: Dialect = "vixie") -> str:
    with pytest.raises(BadCron) as caught:
        parse_cron(Cron(expression, dialect))
    return str(caught.value)


# 1 January 2026 is a Thursday.
@pytest.mark.parametrize(
    ("case", "dialect", "expression", "days"),
    [
        ("CR-01", "vixie", "0 0 13 * fri", "01-02 01-09 01-13 01-16 01-23 01-30"),
        ("CR-01", "vixie", "0 0 * * fri", "01-02 01-09 01-16 01-23 01-30 02-06"),
        ("CR-01", "kubernetes", "0 0 13 * fri", "01-02 01-09 01-13 01-16 01-23 01-30"),
        ("CR-01", "kubernetes", "0 0 13 * ?", "01-13 02-13 03-13 04-13 05-13 06-13"),
        ("CR-02", "vixie", "0 0 */2 * fri", "01-09 01-23 02-13 02-27 03-13 03-27"),
        ("CR-02", "vixie", "0 0 */2,2 * fri", "01-02 01-09 01-23 02-13 02-27 03-13"),
        ("CR-02", "kubernetes", "0 0 */2 * fri", "01-01 01-02 01-03 01-05 01-07 01-09"),
        ("CR-02", "kubernetes", "0 0 */1 * fri", "01-02 01-09 01-16 01-23 01-30 02-06"),
        ("CR-03", "vixie", "0 0 * * 0", "01-04 01-11 01-18 01-25 02-01 02-08"),
        ("CR-03", "vixie", "0 0 * * 7", "01-04 01-11 01-18 01-25 02-01 02-08"),
        ("CR-03", "kubernetes", "0 0 * * 0", "01-04 01-11 01-18 01-25 02-01 02-08"),
        ("CR-03", "quartz", "0 0 0 ? * 1", "01-04 01-11 01-18 01-25 02-01 02-08"),
        ("CR-03", "quartz", "0 0 0 ? * SAT", "01-03 01-10 01-17 01-24 01-31 02-07"),
        ("CR-05", "vixie", "0 0 * * fri-sun", "01-02 01-03 01-04 01-09 01-10 01-11"),
        ("CR-05", "vixie", "0 0 * * 6-0", "01-03 01-04 01-10 01-11 01-17 01-18"),
        ("CR-05", "quartz", "0 0 0 ? * FRI-MON", "01-02 01-03 01-04 01-05 01-09 01-10"),
        ("CR-05", "quartz", "0 0 0 30-2 * ?", "01-01 01-02 01-30 01-31 02-01 02-02"),
        ("CR-06", "quartz", "0 0 0 ? * 6#3", "01-16 02-20 03-20 04-17 05-15 06-19"),
        ("CR-06", "quartz", "0 0 0 ? * 6#5", "01-30 05-29 07-31 10-30 01-29 04-30"),
        ("CR-06", "vixie", "0 0 * * MON#2", "01-12 02-09 03-09 04-13 05-11 06-08"),
        ("CR-07", "vixie", "0 0 L * *", "01-31 02-28 03-31 04-30 05-31 06-30"),
        ("CR-07", "vixie", "0 0 L-3 * *", "01-28 02-25 03-28 04-27 05-28 06-27"),
        ("CR-07", "vixie", "0 0 LW * *", "01-30 02-27 03-31 04-30 05-29 06-30"),
        ("CR-07", "vixie", "0 0 15W * *", "01-15 02-16 03-16 04-15 05-15 06-15"),
        ("CR-07", "quartz", "0 0 0 1W * ?", "01-01 02-02 03-02 04-01 05-01 06-01"),
        ("CR-07", "quartz", "0 0 0 1W 8 ?", "08-03 08-02 08-01 08-01 08-01 08-01"),
        ("CR-07", "quartz", "0 0 0 31W 5 ?", "05-29 05-31 05-31 05-31 05-31 05-30"),
        ("CR-07", "vixie", "0 0 * * 5L", "01-30 02-27 03-27 04-24 05-29 06-26"),
        ("CR-07", "quartz", "0 0 0 ? * 6L", "01-30 02-27 03-27 04-24 05-29 06-26"),
        ("CR-07", "quartz", "0 0 0 ? * L", "01-03 01-10 01-17 01-24 01-31 02-07"),
        ("CR-07", "vixie", "0 0 1,L * *", "01-01 01-31 02-01 02-28 03-01 03-31"),
    ],
)
def test_days_are_those_of_the_dialect(
    case: str, dialect: Dialect, expression: str, days: str
) -> None:
    assert days_of(expression, dialect) == days


@pytest.mark.parametrize(
    ("expression", "minutes"),
    [
        pytest.param("*/35 * * * *", (0, 35), id="CR-09"),
        ("10-20/5 * * * *", (10, 15, 20)),
        ("5,1,5 * * * *", (1, 5)),
        ("*/90 * * * *", (0,)),
        ("0-59/30,7 * * * *", (0, 7, 30)),
    ],
)
def test_minutes_are_lists_ranges_and_steps(expression: str, minutes: tuple[int, ...]) -> None:
    assert line_of(expression).minutes == minutes


def test_cr_04_a_step_without_a_range() -> None:
    assert "write 5-59/15" in complaint("5/15 * * * *")
    assert line_of("5/15 * * * *", "kubernetes").minutes == (5, 20, 35, 50)
    assert line_of("0 5/15 * * * ?", "quartz").minutes == (5, 20, 35, 50)


def test_cr_05_hours_over_midnight() -> None:
    assert "write 22-23,0-2" in complaint("0 22-2 * * *")
    assert "write 22-23,0-2" in complaint("0 22-2 * * *", "kubernetes")
    assert line_of("0 0 22-2 * * ?", "quartz").hours == (0, 1, 2, 22, 23)
    assert line_of("0 0 22-3/2 * * ?", "quartz").hours == (0, 2, 22)


def test_cr_08_five_six_or_seven_fields() -> None:
    assert line_of("1 2 * * *").seconds == (0,)
    assert line_of("30 1 2 * * *").seconds == (30,)
    assert line_of("30 1 2 * * * 2030-2032").days.years == frozenset({2030, 2031, 2032})
    assert line_of("0 0 12 ? * 2 2030", "quartz").days.years == frozenset({2030})


@pytest.mark.parametrize(("name", "same"), MACROS.items())
@pytest.mark.parametrize("dialect", ["vixie", "kubernetes"])
def test_a_nickname_is_its_line(name: str, same: str, dialect: Dialect) -> None:
    assert line_of(name, dialect) == line_of(same, dialect)
    assert line_of(name.upper(), dialect) == line_of(same, dialect)


def test_nicknames_mean_the_same_in_quartz() -> None:
    assert days_of("@weekly", "quartz") == days_of("@weekly")
    assert days_of("@monthly", "quartz") == days_of("@monthly")


def test_every_is_for_kubernetes_only() -> None:
    assert parse_cron(Cron("@every 1h30m", "kubernetes")) == Interval(5_400_000)
    assert parse_cron(Cron("@every\t90s", "kubernetes")) == Interval(90_000)
    assert 'write every="90s"' in complaint("@every 90s")
    assert "less than a second" in complaint("@every 10ms", "kubernetes")
    assert "is not a duration" in complaint("@every now", "kubernetes")


@pytest.mark.parametrize(
    ("dialect", "expression", "said"),
    [
        ("vixie", "61 * * * *", "minute '61': 61 is not between 0 and 59"),
        ("vixie", "* 24 * * *", "hour '24': 24 is not between 0 and 23"),
        ("vixie", "* * 0 * *", "day of month '0': 0 is not between 1 and 31"),
        ("vixie", "* * * 13 *", "month '13': 13 is not between 1 and 12"),
        ("vixie", "* * * * 8", "day of week '8': 8 is not between 0 and 7"),
        ("kubernetes", "* * * * 7", "day of week '7': 7 is not between 0 and 6; Sunday is 0"),
        ("quartz", "0 0 0 ? * 0", "day of week '0': 0 is not between 1 and 7; Sunday is 1"),
        ("vixie", "* * * * MONDAY", "'MONDAY' is no day of week; write *, 0-6 or SUN-SAT"),
        ("vixie", "* * * FEBR *", "'FEBR' is no month; write *, 1-12 or JAN-DEC"),
        ("vixie", "*/0 * * * *", "the step '0' is not a number of at least 1"),
        ("vixie", "*/x * * * *", "the step 'X' is not a number"),
        ("vixie", "1,,2 * * * *", "the list has an empty item"),
        ("vixie", "*-5 * * * *", "a range has two numbers; write 0-59"),
        ("vixie", "1-2-3 * * * *", "minute '1-2-3': cannot be read"),
        ("vixie", "-1 * * * *", "minute '-1': cannot be read"),
        ("vixie", "٣ * * * *", "is no minute"),
        ("vixie", "? * * * *", "'?' is for the day fields; write *"),
        ("vixie", "0 0 * * L", "write 5L for the last Friday"),
        ("vixie", "0 0 * * MON#6", "after # comes a number from 1 to 5"),
        ("vixie", "0 0 L-31 * *", "write L-1 to L-30"),
        ("vixie", "0 0 32W * *", "32 is not between 1 and 31"),
        ("kubernetes", "0 0 L * *", "kubernetes has no L, W and #"),
        ("kubernetes", "0 0 * * 5#2", "kubernetes has no L, W and #"),
        ("kubernetes", "H * * * *", "minute 'H': cannot be read; write *"),
        ("quartz", "0 0 0 * * *", "exactly one of the two must be '?'"),
        ("quartz", "0 0 0 1 * MON", "exactly one of the two must be '?'"),
        ("quartz", "0 0 0 ? * ?", "both are '?'"),
        ("quartz", "0 0 0 ?,1 * ?", "'?' must stand alone"),
        ("quartz", "0 0 * * ?", "5 fields, quartz has 6 or 7: second, minute, hour"),
        ("kubernetes", "0 0 0 * * *", "6 fields, kubernetes has 5: minute, hour"),
        ("vixie", "* * * *", "4 fields, vixie has 5 or 6 or 7: [second], minute"),
        ("vixie", "", "0 fields"),
        ("vixie", "@reboot", "submit the job when the program starts"),
        ("vixie", "@fortnightly", "there are @yearly"),
        pytest.param(
            "vixie", "CRON_TZ=UTC 0 0 * * *", "give it as the schedule's zone", id="CR-11"
        ),
        ("kubernetes", "TZ=UTC 0 0 * * *", "give it as the schedule's zone"),
        ("vixie", "0 0 0 1 1 * 1969", "year '1969': 1969 is not between 1970 and 2199"),
        ("quartz", "0 0 0 1 1 ? 2030-2020", "the range runs backwards"),
        ("vixie", "H(50-70) * * * *", "70 is not between 0 and 59"),
        ("vixie", "H(30-20) * * * *", "the range of H is not within 0-59"),
        ("vixie", "H/90 * * * *", "the step 90 is larger than the range 0-59"),
        ("vixie", "HH * * * *", "write H, H/15 or H(0-29)"),
    ],
)
def test_a_complaint_names_the_field_and_what_would_be_right(
    dialect: Dialect, expression: str, said: str
) -> None:
    found = complaint(expression, dialect)

    assert said in found
    assert found.startswith("cron line ")


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("0 0 31 2 *", "day of month '31': no Feb has such a day"),
        ("0 0 30,31 feb *", "day of month '30,31': no Feb has such a day"),
        ("0 0 31 4,6,9,11 *", "no Apr, Jun, Sep, Nov has such a day"),
        ("0 0 L-30 2 *", "no Feb has such a day"),
        ("0 0 30W 2 *", "no Feb has such a day"),
        ("0 0 0 29 2 * 2025-2027", "no Feb of 2025-2027 has such a day"),
        ("0 0 0 ? 2 MON#5 2027", "day of week 'MON#5'"),
    ],
)
def test_cr_10_a_day_that_never_comes_is_refused(expression: str, said: str) -> None:
    assert said in complaint(expression)
    assert "it would never fire" in complaint(expression)


def test_one_possible_day_is_enough() -> None:
    assert days_of("0 0 31 2,3 *", count=1) == "03-31"
    assert days_of("0 0 31 2 mon", count=2) == "02-02 02-09"
    assert days_of("0 0 29 2 *", count=1) == "02-29"
    assert line_of("0 0 0 1 1 * 1999").days.years == frozenset({1999})


def test_h_is_the_same_for_the_same_seed_and_spreads_others() -> None:
    minutes = {line_of("H H * * *", seed=f"job-{n}").minutes[0] for n in range(1_000)}
    hours = {line_of("H H * * *", seed=f"job-{n}").hours[0] for n in range(1_000)}

    assert minutes == set(range(60))
    assert hours == set(range(24))
    assert line_of("H H * * *", seed="job-1") == line_of("H H * * *", seed="job-1")
    assert line_of("H 3 * * *", seed="nightly").minutes == (59,)  # on every machine, for ever


@pytest.mark.parametrize("seed", ["a", "b", "nightly report", "é", ""])
def test_h_stays_within_its_range_and_step(seed: str) -> None:
    quarter = line_of("H/15 H(9-16) H * *", seed=seed)
    first = quarter.minutes[0]

    assert quarter.minutes == (first, first + 15, first + 30, first + 45)
    assert 0 <= first < 15
    assert 9 <= quarter.hours[0] <= 16
    assert max(quarter.days.month_days.days) <= 28
    assert len(line_of("H(0-29)/10 * * * *", seed=seed).minutes) == 3
    assert len(line_of("0 0 0 ? * H", "quartz", seed=seed).days.week_days.days) == 1


def test_a_line_without_h_does_not_depend_on_the_seed() -> None:
    assert line_of("0 3 * mar thu", seed="a") is line_of("0 3 * mar thu", seed="b")


def test_things_that_are_no_text_or_no_dialect_are_refused() -> None:
    with pytest.raises(BadCron, match="it is not a text"):
        parse_cron(Cron(None))  # type: ignore[arg-type]  # what an unchecked caller may pass
    with pytest.raises(BadCron, match="there are vixie, quartz, kubernetes"):
        parse_cron(Cron("* * * * *", "solaris"))  # type: ignore[arg-type]  # the same
    assert "5,000 characters, more than 4,096" in complaint("*" * 5_000)


PIECES = st.sampled_from(
    [*"*?LWH#()-/,01é\0      ", "29", "31", "59", "2199", "99999", "MON", "FEB", "LW", "@every"]
)
LINES = st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=60)
BOUNDED_S = 5.0
"""Far above what anything takes, and far below for ever."""


@settings(max_examples=300, deadline=None)
@given(expression=LINES, dialect=st.sampled_from(DIALECTS), instant=st.integers(-(10**16), 10**16))
def test_any_text_is_read_or_refused(expression: str, dialect: Dialect, instant: int) -> None:
    try:
        timetable = compile_cron(Cron(expression, dialect), zone=zone("Europe/Paris"))
    except BadInput:
        return
    found = timetable.after(instant)
    assert found is None or found > instant


@pytest.mark.parametrize(
    "expression",
    [
        f"{','.join(['*'] * 2_000)} * * * *",
        f"* * * * {','.join(['MON#5'] * 600)}",
        f"* * {','.join(['L-30W'] * 600)} 2 *",
        f"0 0 0 29 2 * {','.join(['1970-2199/1'] * 300)}",
        f"* * * * * {','.join(['H(0-5)'] * 500)}",
        "0 0 0 29 2 MON#5 2199",
        "9" * 4_096,
        "*/" * 2_048,
        "-" * 4_096,
        "@every " + "9" * 4_000,
        "* " * 2_048,
    ],
    ids=range(11),
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_four_kibibytes_are_read_or_refused_soon(expression: str, dialect: Dialect) -> None:
    said = ""
    started = time.process_time()
    try:
        compile_cron(Cron(expression, dialect), zone=zone("Europe/Paris")).after(0)
    except BadInput as error:
        said = str(error)
    assert time.process_time() - started < BOUNDED_S
    assert len(said) < 500
