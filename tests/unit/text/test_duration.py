"""Durations as people write them, and back."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rota.errors import BadDuration
from rota.rules.text.duration import MAX_MS, format_duration, parse_duration


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("500ms", 500),
        ("90s", 90_000),
        ("10m", 600_000),
        ("1h30m", 5_400_000),
        ("1h 30m", 5_400_000),
        ("7d", 604_800_000),
        ("2w", 1_209_600_000),
        ("1.5h", 5_400_000),
        ("1s 250 ms", 1_250),
        (" 5s ", 5_000),
        ("90", 90_000),
        ("0.25", 250),
        (90, 90_000),
        (0.5, 500),
        (0, 0),
        (timedelta(minutes=2), 120_000),
        (timedelta(days=36_500), MAX_MS),
    ],
)
def test_a_duration_is_read_as_milliseconds(text: str | float | timedelta, ms: int) -> None:
    assert parse_duration(text) == ms


@pytest.mark.parametrize(
    "garbage",
    [
        "",
        " ",
        "soon",
        "-5s",
        "10x",
        "5m1h",
        "1h1h",
        "1e3",
        "10 minutes",
        "٣s",
        "s",
        "1..5s",
        -1,
        -0.001,
        timedelta(seconds=-1),
        float("nan"),
        True,
        None,
        [],
    ],
)
def test_garbage_is_refused_with_what_was_given_and_the_good_forms(garbage: object) -> None:
    with pytest.raises(BadDuration) as refused:
        parse_duration(garbage)  # type: ignore[arg-type]  # wrong on purpose

    assert repr(garbage) in str(refused.value)
    assert "500ms, 90s, 10m, 1h30m, 7d or 2w" in str(refused.value)


@pytest.mark.parametrize(
    "endless",
    ["36501d", "999999999999999w", pytest.param(10**5_000, id="5,000 digits"), 4e9, float("inf")],
)
def test_more_than_a_hundred_years_is_refused(endless: str | float) -> None:
    with pytest.raises(BadDuration, match="longer than a hundred years"):
        parse_duration(endless)


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "0s"),
        (250, "250 ms"),
        (1_000, "1s"),
        (5_400_000, "1h 30m"),
        (604_800_000, "7d"),
        (90_061_001, "1d 1h 1m 1s 1 ms"),
    ],
)
def test_a_duration_is_shown_in_the_units_people_use(ms: int, text: str) -> None:
    assert format_duration(ms) == text


@given(st.integers(min_value=0, max_value=MAX_MS))
def test_a_formatted_duration_parses_to_the_same_value(ms: int) -> None:
    assert parse_duration(format_duration(ms)) == ms


@given(st.text(max_size=80))
def test_any_text_is_a_duration_within_bounds_or_refused(text: str) -> None:
    try:
        ms = parse_duration(text)
    except BadDuration:
        return

    assert 0 <= ms <= MAX_MS


@pytest.mark.parametrize("piece", ["9", "1h", " ", "1h ", "1."])
def test_long_garbage_is_refused_at_once_and_shown_short(piece: str) -> None:
    garbage = piece * 1_000_000
    started = time.perf_counter()

    with pytest.raises(BadDuration) as refused:
        parse_duration(garbage)

    assert time.perf_counter() - started < 1
    assert len(str(refused.value)) < 200
