"""The order in a queue: priority counts, and nothing starves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rota.errors import BadOption
from rota.rules.admission.order import (
    CREDIT_MS,
    HIGHEST,
    LOWEST,
    parse_priority,
    priority_name,
    rank_ms,
)

times = st.integers(min_value=0, max_value=4_000_000_000_000)
levels = st.integers(min_value=LOWEST, max_value=HIGHEST)


@given(first=times, second=times, level=levels)
def test_runs_of_one_priority_go_in_the_order_they_became_ready(
    first: int, second: int, level: int
) -> None:
    ranks = rank_ms(ready_at_ms=first, priority=level), rank_ms(ready_at_ms=second, priority=level)

    assert (ranks[0] < ranks[1]) == (first < second)


@given(ready=times, low=levels, high=levels)
def test_the_higher_priority_of_two_ready_runs_goes_first(ready: int, low: int, high: int) -> None:
    low, high = min(low, high), max(low, high)

    ahead = rank_ms(ready_at_ms=ready, priority=high) < rank_ms(ready_at_ms=ready, priority=low)

    assert ahead == (high > low)


@given(ready=times, mine=levels, other=levels, later=st.integers(min_value=1, max_value=10**9))
def test_a_run_is_overtaken_only_by_those_ready_less_than_the_credit_later(
    ready: int, mine: int, other: int, later: int
) -> None:
    overtakes = rank_ms(ready_at_ms=ready + later, priority=other) < rank_ms(
        ready_at_ms=ready, priority=mine
    )

    assert overtakes == (later < CREDIT_MS * (other - mine))


@given(ready=times, mine=levels, other=levels)
def test_nothing_that_becomes_ready_200_minutes_later_overtakes(
    ready: int, mine: int, other: int
) -> None:
    later = rank_ms(ready_at_ms=ready + 200 * 60_000, priority=other)

    assert rank_ms(ready_at_ms=ready, priority=mine) <= later


@pytest.mark.parametrize(
    ("given_as", "level"),
    [("high", 10), ("medium", 0), ("low", -10), (" High ", 10), ("7", 7), ("-3", -3), (100, 100)],
)
def test_a_priority_is_a_word_or_a_number(given_as: str | int, level: int) -> None:
    assert parse_priority(given_as) == level


@pytest.mark.parametrize(
    "given_as", ["urgent", "", "1.5", 101, -101, "101", True, None, 1.0, "9" * 10_000, "²", "1_0"]
)
def test_another_priority_is_refused_with_the_good_ones(given_as: object) -> None:
    with pytest.raises(BadOption, match="high, medium, low, nor a number -100 to 100") as refused:
        parse_priority(given_as)

    assert len(str(refused.value)) < 200


@given(levels)
def test_the_name_of_a_level_is_read_back_as_the_level(level: int) -> None:
    assert parse_priority(priority_name(level)) == level


def test_levels_with_a_word_are_shown_as_the_word() -> None:
    assert [priority_name(level) for level in (10, 0, -10, 3)] == ["high", "medium", "low", "3"]
