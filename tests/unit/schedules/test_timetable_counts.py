"""Counting firings gives what walking along them gives, across shifts too."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rota.model.schedules.definitions import Cron, Every, Trigger
from rota.rules.schedules.timetable import Countable, firings
from tests.support.schedules import compiled, ms
from tests.unit.schedules.test_triggers_properties import FOLDS, GAPS, SHIFTS

HOUR_MS = 3_600_000
TRIGGERS: tuple[Trigger, ...] = (
    Cron("* * * * *"),
    Cron("*/20 * * * * *"),
    Cron("30 2 * * *"),
    Cron("*/15 1-3 * * *"),
    Cron("0 0 * * SUN"),
    Every("7m"),
    Every("90m", anchor="2011-12-30T00:00:01Z"),
)


@given(
    trigger=st.sampled_from(TRIGGERS),
    shift=st.sampled_from(SHIFTS),
    gap=st.sampled_from(GAPS),
    fold=st.sampled_from(FOLDS),
    start=st.integers(-30 * HOUR_MS, 30 * HOUR_MS),
    length=st.integers(0, 30 * HOUR_MS),
)
def test_a_count_is_what_a_walk_finds(
    trigger: Trigger, shift: tuple[str, str], gap: str, fold: str, start: int, length: int
) -> None:
    zone, day = shift
    table = compiled(trigger, zone=zone, gap=gap, fold=fold)
    after = ms(f"{day}T00:00:00Z") + start
    until = after + length

    assert isinstance(table, Countable)
    assert table.count(after, until) == len(list(firings(table, after, until)))


@pytest.mark.parametrize("trigger", TRIGGERS)
def test_a_count_ends_before_it_begins(trigger: Trigger) -> None:
    table = compiled(trigger)
    assert isinstance(table, Countable)
    assert table.count(HOUR_MS, 0) == 0
