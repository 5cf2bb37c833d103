"""Every case that has an id has a test that bears it; and what time itself does at its edges."""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache
from pathlib import Path

import pytest

from rota.errors import BadInput
from rota.model.schedules.definitions import Cron
from rota.rules.schedules.cron import compile_cron
from rota.rules.schedules.timetable import firings
from rota.rules.schedules.zones import LAST_YEAR, zone

TESTS = Path(__file__).parents[2]
CASES = {"DST": 14, "CR": 11, "MF": 4, "OV": 3, "MS": 6, "AD": 7}
"""Daylight saving, dialects, misfires, overlap, missed schedules, dates: how many there are."""
IDS = [f"{kind}-{n:02}" for kind, count in CASES.items() for n in range(1, count + 1)]


@cache
def borne() -> dict[str, set[str]]:
    """By id, the tests that bear it: in their names, or with one of their cases."""
    found: dict[str, set[str]] = {}
    for path in TESTS.rglob("test_*.py"):
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r"^def (test_\w+)", text, re.MULTILINE):
            for kind, number in re.findall(r"_([a-z]{2,3})_(\d\d)(?=_)", name):
                found.setdefault(f"{kind.upper()}-{number}", set()).add(name)
        for case in re.findall(r'"([A-Z]{2,3}-\d\d)"', text):
            found.setdefault(case, set()).add(path.name)
    return found


@pytest.mark.parametrize("case", IDS)
def test_a_case_with_an_id_has_a_test(case: str) -> None:
    assert borne().get(case), f"no test bears {case}"


def test_no_test_bears_an_id_that_is_not_in_the_table() -> None:
    ours = {case for case in borne() if case.partition("-")[0] in CASES}

    assert ours == set(IDS)


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * 1_000)


def test_dst_13_a_leap_second_is_no_second() -> None:
    """The last minute of 2016 had 61 of them; in the time of computers it had sixty."""
    each_second = compile_cron(Cron("* * * * * *"), zone=zone("UTC"))
    before, after = at("2016-12-31T23:59:58Z"), at("2017-01-01T00:00:00Z")

    assert list(firings(each_second, before, after)) == [before + 1_000, after]
    with pytest.raises(BadInput, match="60"):
        compile_cron(Cron("60 59 23 31 12 *"), zone=zone("UTC"))


def test_dst_13_rules_hold_until_the_last_year_that_is_known() -> None:
    """Rare days are found however far: eight years without a leap day, forty without a Sunday."""
    yearly = compile_cron(Cron("0 0 1 1 *"), zone=zone("Europe/Paris"))
    sunday = compile_cron(Cron("0 0 0 ? FEB 1#5", "quartz"), zone=zone("UTC"))

    assert yearly.after(at(f"{LAST_YEAR - 1}-06-01T00:00Z")) == at(f"{LAST_YEAR - 1}-12-31T23:00Z")
    assert yearly.after(at(f"{LAST_YEAR}-01-01T00:00Z")) is None
    assert sunday.after(at("2088-03-01T00:00Z")) == at("2128-02-29T00:00Z")
