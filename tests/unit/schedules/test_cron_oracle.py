"""Cron beside an oracle that shares no code with it, and beside cronsim where that is right."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice
from random import Random
from zoneinfo import ZoneInfo

import pytest
from cronsim import CronSim

from rota.errors import BadCron
from rota.model.schedules.definitions import Cron, Dialect
from rota.rules.schedules.cron import compile_cron
from rota.rules.schedules.timetable import firings
from rota.rules.schedules.zones import zone
from tests.support.cron_cases import LineWriter, complaint, make_case
from tests.support.cron_oracle import Oracle, zone_info, zone_names

ROUND = len(zone_names())
GROUPS = 8
CASES = 2_400
"""Four rounds through all zones and a little more; `make oracle` goes much further."""


@pytest.mark.parametrize("group", range(GROUPS))
def test_around_the_shifts_of_all_zones_the_oracle_agrees(group: int) -> None:
    complaints = [found for n in range(group, CASES, GROUPS) if (found := complaint(n))]

    assert not complaints, "\n".join(complaints[:5])


def test_the_cases_reach_every_zone_and_every_policy() -> None:
    cases = [make_case(number, seed=0) for number in range(CASES)]

    assert {case.zone for case in cases} == set(zone_names())
    assert len({(case.gap, case.fold) for case in cases}) == 16
    assert {case.dialect for case in cases} == {"vixie", "quartz", "kubernetes"}


@pytest.mark.parametrize("dialect", ["vixie", "quartz", "kubernetes"])
def test_over_whole_years_the_oracle_knows_the_same_days(dialect: Dialect) -> None:
    chance = Random(dialect)
    for number in range(60):
        year = chance.randint(1971, 2180)
        expression, days = random_days(chance, dialect)
        oracle = Oracle(expression, dialect, "UTC", gap="cron", fold="cron")
        dates = [date(year, 1, 1) + timedelta(days=n) for n in range(3 * 365)]

        found = days_of(expression, dialect, dates[0], dates[-1])

        assert found == [one for one in dates if oracle.is_day(one)], (number, days, year)


def random_days(chance: Random, dialect: Dialect) -> tuple[str, str]:
    """A line at noon that can be read; some that are written blindly never have a day."""
    while True:
        shown = datetime(2024, chance.randint(1, 12), chance.randint(1, 31) % 28 + 1, tzinfo=UTC)
        days = " ".join(LineWriter(chance, shown, dialect).days())
        expression = f"{'0 ' if dialect == 'quartz' else ''}0 12 {days}"
        with suppress(BadCron):
            compile_cron(Cron(expression, dialect), zone=zone("UTC"))
            return expression, days


def days_of(expression: str, dialect: Dialect, first: date, last: date) -> list[date]:
    timetable = compile_cron(Cron(expression, dialect), zone=zone("UTC"))
    low, high = (int(datetime.combine(one, time(12), UTC).timestamp()) for one in (first, last))
    found = firings(timetable, low * 1_000 - 1, high * 1_000)
    return [datetime.fromtimestamp(one / 1_000, UTC).date() for one in found]


def test_the_oracle_knows_the_cases_that_are_known() -> None:
    """So that both cannot be wrong in the same way about what everybody agreed on."""
    low, high = datetime(2024, 3, 10, 5, tzinfo=UTC), datetime(2024, 3, 10, 9, tzinfo=UTC)
    half_past_two = Oracle("30 2 * * *", "vixie", "America/New_York", gap="cron", fold="cron")
    twenty = Oracle("*/20 2 * * *", "vixie", "America/New_York", gap="cron", fold="cron")

    assert half_past_two.between(low, high) == [datetime(2024, 3, 10, 7, tzinfo=UTC)]
    assert twenty.between(low, high) == []


WHOLE_HOURS = ("Europe/Paris", "America/New_York", "Asia/Tokyo", "Australia/Sydney", "UTC")
"""And not at midnight: there cronsim loses the hour after it (Sao Paulo, 16 October 2016)."""


@pytest.mark.parametrize("name", WHOLE_HOURS)
def test_cronsim_agrees_where_the_clocks_shift_by_whole_hours(name: str) -> None:
    chance = Random(name)
    for _ in range(60):
        expression = _line(chance)
        info = zone_info(name)
        start = datetime(chance.randint(1990, 2035), chance.randint(1, 12), 1, tzinfo=UTC)

        mine = _mine(expression, name, start)

        assert mine == _cronsim(expression, info, start), (expression, name, start)


def _line(chance: Random) -> str:
    minute = chance.choice(["0", "30", "*", "*/15", "5,50", "10-20"])
    hour = chance.choice(["*", "0", "1", "2", "3", "*/2", "1-4", "22,23"])
    day = chance.choice(["*", "*", "1", "L", "LW", "15", "*/3"])
    month = chance.choice(["*", "*", "3,10", "2"])
    weekday = chance.choice(["*", "*", "SUN", "1-5", "5L", "MON#2", "7"])
    return f"{minute} {hour} {day} {month} {weekday}"


def _mine(expression: str, name: str, start: datetime) -> list[int]:
    timetable = compile_cron(Cron(expression), zone=zone(name))
    return list(islice(firings(timetable, int(start.timestamp()) * 1_000, 10**14), 40))


def _cronsim(expression: str, info: ZoneInfo, start: datetime) -> list[int]:
    found = islice(CronSim(expression, start.astimezone(info)), 40)
    return [int(one.timestamp()) * 1_000 for one in found]
