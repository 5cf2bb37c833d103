"""Maintenance windows: who is inside one, until when, and what becomes of a firing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rota.errors import BadInput
from rota.model.schedules.definitions import Blackout, Cron, Every
from rota.rules.schedules.windows import START, WindowDecision, compile_blackout, is_over, verdict
from tests.support.schedules import iso, ms

NIGHT = Blackout(kind="defer", start="2026-01-01T22:00Z", end="2026-01-02T04:00Z", note="move")
SUNDAYS = Blackout(kind="skip", trigger=Cron("0 2 * * sun"), duration="3h", zone="Europe/Paris")


def asked(*blackouts: Blackout, at: str, job: str = "j", queue: str = "q") -> WindowDecision:
    return verdict(blackouts, job=job, queue=queue, at=ms(at))


@pytest.mark.parametrize(
    ("at", "end"),
    [
        ("2026-01-01T21:59:59Z", None),
        ("2026-01-01T22:00Z", "2026-01-02T04:00Z"),
        ("2026-01-02T03:59:59Z", "2026-01-02T04:00Z"),
        ("2026-01-02T04:00Z", None),
    ],
)
def test_a_window_has_its_start_and_not_its_end(at: str, end: str | None) -> None:
    assert iso(compile_blackout(NIGHT).end_at(ms(at))) == end


@pytest.mark.parametrize(
    ("at", "end"),
    [
        ("2026-01-04T00:59:59Z", None),
        ("2026-01-04T01:00Z", "2026-01-04T04:00Z"),
        ("2026-01-04T03:59:59Z", "2026-01-04T04:00Z"),
        ("2026-01-04T04:00Z", None),
        ("2026-01-05T01:00Z", None),
        ("2026-07-05T00:30Z", "2026-07-05T03:00Z"),
    ],
)
def test_a_window_comes_again_in_its_zone(at: str, end: str | None) -> None:
    assert iso(compile_blackout(SUNDAYS).end_at(ms(at))) == end


def test_windows_that_touch_are_one() -> None:
    rule = Blackout(kind="defer", trigger=Cron("0 1,2,4 * * *"), duration="1h")

    assert iso(compile_blackout(rule).end_at(ms("2026-01-01T01:30Z"))) == "2026-01-01T03:00Z"


@given(
    st.integers(0, 48 * 60),
    st.integers(1, 300),
    st.sets(st.integers(0, 23), min_size=1, max_size=4),
)
def test_a_recurring_window_is_that_of_brute_force(at: int, minutes: int, hours: set[int]) -> None:
    line = f"0 {','.join(map(str, hours))} 1-5 1 *"
    window = compile_blackout(Blackout(kind="skip", trigger=Cron(line), duration=f"{minutes}m"))
    starts = [24 * 60 * day + 60 * hour for day in range(5) for hour in hours]
    covered = {start + minute for start in starts for minute in range(minutes)}
    expected = at
    while expected in covered:
        expected += 1

    end = window.end_at(ms("2026-01-01") + at * 60_000)

    assert end == (None if at not in covered else ms("2026-01-01") + expected * 60_000)


@pytest.mark.parametrize(
    ("job", "queue", "concerned"),
    [
        (None, None, True),
        ("j", None, True),
        (None, "q", True),
        ("j", "q", True),
        ("other", None, False),
        (None, "other", False),
        ("j", "other", False),
    ],
)
def test_a_window_concerns_a_job_a_queue_or_all(
    job: str | None, queue: str | None, *, concerned: bool
) -> None:
    window = Blackout(
        kind="skip", start="2026-01-01", end="2026-01-02", job=job, queue=queue, note="why"
    )

    found = asked(window, at="2026-01-01T12:00Z")

    assert found == (WindowDecision(act="skip", note="why") if concerned else START)


def test_outside_of_all_windows_things_start() -> None:
    assert asked(NIGHT, SUNDAYS, at="2026-01-01T12:00Z") == START
    assert asked(at="2026-01-01T12:00Z") == START


def test_a_deferred_start_runs_at_the_end_of_the_window() -> None:
    until = ms("2026-01-02T04:00Z")

    assert asked(NIGHT, at="2026-01-01T23:00Z") == WindowDecision(
        act="defer", until=until, note="move"
    )


def test_a_drained_queue_is_not_claimed_until_the_window_ends() -> None:
    window = Blackout(kind="drain", start="2026-01-01", end="2026-01-02")

    assert asked(window, at="2026-01-01T12:00Z") == WindowDecision(
        act="drain", until=ms("2026-01-02")
    )


def test_the_strictest_window_counts() -> None:
    drain = Blackout(kind="drain", start="2026-01-01", end="2026-01-09")
    skip = Blackout(kind="skip", start="2026-01-01T23:00Z", end="2026-01-02", note="never")

    assert asked(drain, NIGHT, at="2026-01-01T22:30Z").act == "defer"
    assert asked(drain, NIGHT, skip, at="2026-01-01T23:30Z") == WindowDecision(
        act="skip", note="never"
    )


def test_the_equal_window_that_ends_last_counts() -> None:
    longer = Blackout(kind="defer", start="2026-01-01T23:00Z", end="2026-01-02T06:00Z", note="disk")

    found = asked(NIGHT, longer, at="2026-01-01T23:30Z")

    assert found == WindowDecision(act="defer", until=ms("2026-01-02T06:00Z"), note="disk")


def test_a_start_deferred_into_another_window_moves_on() -> None:
    second = Blackout(kind="defer", start="2026-01-02T03:00Z", end="2026-01-02T05:00Z")
    skip = Blackout(kind="skip", start="2026-01-02T04:00Z", end="2026-01-02T06:00Z", note="never")

    assert asked(NIGHT, second, at="2026-01-01T22:30Z").until == ms("2026-01-02T05:00Z")
    assert asked(NIGHT, skip, at="2026-01-01T22:30Z") == WindowDecision(act="skip", note="never")


def test_two_windows_that_hand_on_to_each_other_without_end_skip() -> None:
    even = Blackout(kind="defer", trigger=Every("2h"), duration="61m")
    odd = Blackout(kind="defer", trigger=Every("2h", anchor="1970-01-01T01:00Z"), duration="61m")

    assert asked(even, odd, at="2026-01-01T00:30Z").act == "skip"


def test_a_window_that_will_not_come_again_is_over() -> None:
    assert not is_over(NIGHT, ms("2025-01-01"))
    assert not is_over(NIGHT, ms("2026-01-02T03:00Z"))
    assert is_over(NIGHT, ms("2026-01-02T04:00Z"))
    assert not is_over(SUNDAYS, ms("2026-01-02T04:00Z"))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "give start= and end=, or trigger= and duration="),
        ({"start": "2026-01-01"}, "belong together"),
        ({"start": "2026-01-02", "end": "2026-01-01"}, "is not after start="),
        ({"start": "2026-01-01", "duration": "1h"}, "not both"),
        ({"trigger": Every("1h")}, "give start= and end=, or"),
        ({"trigger": Every("1h"), "duration": "0s"}, "is not a window"),
        ({"trigger": Every("1h"), "duration": "long"}, "blackout: duration: 'long'"),
        ({"trigger": Every("1h"), "duration": "1h"}, "and so on without end"),
        ({"trigger": Every("1h", from_end=True), "duration": "1m"}, "from_end counts from runs"),
        ({"trigger": Cron("0 25 * * *"), "duration": "1m"}, "25"),
        ({"start": "2026-01-01", "end": "2026-01-02", "zone": "Mars"}, "no time zone"),
        ({"kind": "stop"}, "blackout: kind='stop' is not one of skip, defer, drain"),
    ],
)
def test_a_window_that_makes_no_sense_is_refused(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput) as refused:
        compile_blackout(Blackout(**({"kind": "skip"} | fields)))

    assert said in str(refused.value)


def test_the_window_around_an_instant_or_the_next() -> None:
    once = compile_blackout(Blackout(kind="drain", start="2026-01-02", end="2026-01-03"))
    sundays = compile_blackout(SUNDAYS)
    sunday = ms("2026-01-04T01:00Z"), ms("2026-01-04T04:00Z")

    assert once.span_from(ms("2026-01-01")) == (ms("2026-01-02"), ms("2026-01-03"))
    assert once.span_from(ms("2026-01-02T12:00Z")) == (ms("2026-01-02"), ms("2026-01-03"))
    assert once.span_from(ms("2026-01-03")) is None
    assert sundays.span_from(ms("2026-01-01")) == sunday
    assert sundays.span_from(sunday[1] - 1) == sunday
    assert sundays.span_from(sunday[1]) == tuple(at + 7 * 86_400_000 for at in sunday)
