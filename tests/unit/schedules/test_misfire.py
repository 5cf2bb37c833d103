"""Misfire: what starts after nobody looked for a while, beside a rule that walks through it all."""

from __future__ import annotations

from bisect import bisect_right

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rota.rules.schedules.misfire import (
    COUNTED,
    Due,
    Lateness,
    before,
    count,
    due,
    newest_since,
    ripe_at,
)
from rota.rules.schedules.timetable import firings

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000
YEAR = 365 * DAY
NOON = 1_800_000_000_000 // DAY * DAY + 12 * HOUR


class Steps:
    """Every so many milliseconds, and it counts how often it was asked."""

    def __init__(self, every: int, *, start: int = 0, end: int | None = None) -> None:
        self.every, self.start, self.end, self.asked = every, start, end, 0

    def after(self, instant: int) -> int | None:
        self.asked += 1
        gone = max(-1, (instant - self.start) // self.every)
        at = self.start + (gone + 1) * self.every
        return None if self.end is not None and at > self.end else at

    def marks(self, _: int, /) -> tuple[str, ...]:
        return ()


class Listed:
    """Any instants at all."""

    def __init__(self, instants: set[int]) -> None:
        self.instants = sorted(instants)

    def after(self, instant: int) -> int | None:
        index = bisect_right(self.instants, instant)
        return self.instants[index] if index < len(self.instants) else None

    def marks(self, _: int, /) -> tuple[str, ...]:
        return ()


def daily() -> Steps:
    return Steps(DAY)


def test_a_firing_on_time_starts_and_moves_the_cursor() -> None:
    found = due(Steps(MINUTE), cursor=NOON, now=NOON + MINUTE + 5, rule=Lateness())

    assert found == Due(
        starts=(NOON + MINUTE,), cursor=NOON + MINUTE, last=NOON + MINUTE, next=NOON + 2 * MINUTE
    )


def test_nothing_is_due_before_its_time() -> None:
    found = due(Steps(MINUTE), cursor=NOON, now=NOON + MINUTE - 1, rule=Lateness())

    assert found == Due(cursor=NOON, next=NOON + MINUTE)


def test_all_firings_within_the_grace_start() -> None:
    found = due(Steps(10 * SECOND), cursor=NOON, now=NOON + 45 * SECOND, rule=Lateness())

    assert found.starts == tuple(NOON + n * 10 * SECOND for n in range(1, 5))
    assert found.missed == 0


@pytest.mark.parametrize(
    ("catchup", "starts", "missed"),
    [("none", 0, 3), ("last", 1, 2), ("all", 3, 0)],
)
def test_after_three_missed_days_the_choice_counts(catchup: str, starts: int, missed: int) -> None:
    midnight = NOON - 12 * HOUR
    rule = Lateness(catchup=catchup, window_ms=30 * DAY)  # type: ignore[arg-type]

    found = due(daily(), cursor=midnight, now=midnight + 3 * DAY + 6 * HOUR, rule=rule)

    assert found.starts == tuple(midnight + n * DAY for n in range(1, 4))[3 - starts :]
    assert (found.missed, found.cursor) == (missed, midnight + 3 * DAY)
    assert found.next == midnight + 4 * DAY


def test_ad_01_a_daily_schedule_seen_at_six_runs_once_for_last_midnight() -> None:
    midnight = NOON - 12 * HOUR

    found = due(daily(), cursor=midnight - 9 * DAY, now=midnight + 6 * HOUR, rule=Lateness())

    assert (found.starts, found.next) == ((midnight,), midnight + DAY)


def test_ad_02_and_ms_06_what_was_due_in_a_pause_is_missed_however_fresh() -> None:
    paused_until = NOON + 30 * SECOND
    asked = {"cursor": NOON, "now": paused_until, "late_until": paused_until}

    none = due(Steps(SECOND), rule=Lateness(catchup="none"), **asked)  # type: ignore[arg-type]
    last = due(Steps(SECOND), rule=Lateness(catchup="last"), **asked)  # type: ignore[arg-type]

    assert (none.starts, none.missed) == ((), 30)
    assert (last.starts, last.missed) == ((paused_until,), 29)


def test_the_last_missed_one_gives_way_to_one_that_is_on_time() -> None:
    found = due(Steps(HOUR), cursor=NOON - 5 * HOUR, now=NOON + 10 * SECOND, rule=Lateness())

    assert (found.starts, found.missed) == ((NOON,), 4)


def test_mf_04_past_its_end_nothing_is_caught_up() -> None:
    ended = Steps(HOUR, end=NOON)
    rule = Lateness(catchup="all", end_at=NOON)

    late = due(ended, cursor=NOON - 3 * HOUR, now=NOON + HOUR, rule=rule)
    in_time = due(ended, cursor=NOON - HOUR, now=NOON + SECOND, rule=rule)

    assert (late.starts, late.missed, late.next) == ((), 3, None)
    assert in_time.starts == (NOON,)


def test_ms_01_more_than_a_hundred_missed_still_start_the_last() -> None:
    found = due(Steps(SECOND), cursor=NOON - DAY, now=NOON, rule=Lateness(grace_ms=0))

    assert found.starts == (NOON,)


def test_ms_02_the_number_of_missed_ones_is_an_estimate_beyond_a_thousand() -> None:
    exact = count(Steps(SECOND), NOON, NOON + COUNTED * SECOND)
    guess = count(Steps(SECOND), NOON, NOON + YEAR)

    assert exact == COUNTED
    assert guess == pytest.approx(YEAR / SECOND, rel=0.01)


def test_ms_03_all_looks_back_only_as_far_as_its_window_and_its_limit() -> None:
    table = Steps(HOUR)
    window = Lateness(catchup="all", window_ms=3 * HOUR, limit=100)
    limit = Lateness(catchup="all", window_ms=DAY, limit=2)

    by_window = due(table, cursor=NOON - DAY, now=NOON + 30 * MINUTE, rule=window)
    by_limit = due(table, cursor=NOON - DAY, now=NOON + 30 * MINUTE, rule=limit)

    assert by_window.starts == (NOON - 2 * HOUR, NOON - HOUR, NOON)
    assert by_limit.starts == (NOON - HOUR, NOON)
    assert by_window.missed + len(by_window.starts) == 24


def test_ms_04_a_start_limit_below_the_grace_counts() -> None:
    rule = Lateness(start_within_ms=5 * SECOND, catchup="all")

    late = due(Steps(MINUTE), cursor=NOON, now=NOON + MINUTE + 5 * SECOND, rule=rule)
    in_time = due(Steps(MINUTE), cursor=NOON, now=NOON + MINUTE + 5 * SECOND - 1, rule=rule)

    assert (late.starts, late.missed) == ((), 1)
    assert in_time.starts == (NOON + MINUTE,)


def test_ms_05_what_is_too_late_moves_the_cursor_so_that_it_is_told_once() -> None:
    rule = Lateness(start_within_ms=SECOND)
    now = NOON + MINUTE + 5 * SECOND

    first = due(Steps(MINUTE), cursor=NOON, now=now, rule=rule)
    again = due(Steps(MINUTE), cursor=first.cursor, now=now, rule=rule)

    assert (first.missed, again.missed) == (1, 0)


@pytest.mark.parametrize("catchup", ["none", "last", "all"])
def test_a_year_of_seconds_is_jumped_over(catchup: str) -> None:
    table = Steps(SECOND)
    rule = Lateness(catchup=catchup, window_ms=YEAR)  # type: ignore[arg-type]

    found = due(table, cursor=NOON - YEAR, now=NOON, rule=rule)

    assert found.cursor == NOON
    assert found.missed == pytest.approx(YEAR / SECOND, rel=0.01)
    assert table.asked < 10_000


def test_more_than_one_look_may_start_is_started_in_several() -> None:
    rule = Lateness(grace_ms=HOUR)
    cursor = NOON
    started: list[int] = []
    for _ in range(5):
        found = due(Steps(SECOND), cursor=cursor, now=NOON + 450 * SECOND, rule=rule, most=100)
        started += found.starts
        cursor = found.cursor
        assert found.has_more == (cursor < NOON + 450 * SECOND)

    assert started == [NOON + n * SECOND for n in range(1, 451)]


def test_a_clock_that_goes_back_makes_nothing_due() -> None:
    found = due(Steps(SECOND), cursor=NOON, now=NOON - HOUR, rule=Lateness())

    assert found == Due(cursor=NOON, next=NOON + SECOND)


def test_jitter_by_hash_is_the_same_each_time_and_stays_before_the_next_firing() -> None:
    rule = Lateness(jitter_ms=10 * MINUTE)
    table = Steps(MINUTE)

    ripe = [ripe_at(table, NOON + n * MINUTE, rule=rule, seed="a") for n in range(50)]

    assert ripe == [ripe_at(table, NOON + n * MINUTE, rule=rule, seed="a") for n in range(50)]
    assert all(0 <= at - NOON - n * MINUTE < MINUTE for n, at in enumerate(ripe))


def test_random_jitter_moves_the_next_look_and_nothing_else() -> None:
    rule = Lateness(jitter_ms=30 * SECOND, jitter_kind="random")
    table = Steps(MINUTE)

    planned = ripe_at(table, NOON + MINUTE, rule=rule, seed="a", random=0.5)
    found = due(table, cursor=NOON, now=planned, rule=rule, seed="a")

    assert planned == NOON + MINUTE + 15 * SECOND
    assert found.starts == (NOON + MINUTE,)


def test_a_start_with_jitter_does_not_come_early() -> None:
    rule = Lateness(jitter_ms=30 * SECOND)
    table = Steps(MINUTE)
    ripe = ripe_at(table, NOON + MINUTE, rule=rule, seed="s")
    assert ripe > NOON + MINUTE

    early = due(table, cursor=NOON, now=ripe - 1, rule=rule, seed="s")
    both = due(table, cursor=NOON - MINUTE, now=ripe - 1, rule=rule, seed="s")
    late = due(table, cursor=NOON, now=ripe, rule=rule, seed="s")

    assert (early.starts, early.next) == ((), NOON + MINUTE)
    assert (both.starts, both.next) == ((NOON,), NOON + MINUTE)
    assert late.starts == (NOON + MINUTE,)


def test_the_firing_before_is_found_however_far() -> None:
    assert before(Steps(DAY), NOON) == NOON - 12 * HOUR
    assert before(Listed({NOON - YEAR, NOON}), NOON) == NOON - YEAR
    assert before(Listed({NOON}), NOON) is None


@given(
    instants=st.sets(st.integers(0, 2_000), max_size=60),
    after=st.integers(-1, 2_000),
    until=st.integers(0, 2_100),
    limit=st.integers(1, 5),
)
def test_the_newest_are_those_of_a_plain_walk(
    instants: set[int], after: int, until: int, limit: int
) -> None:
    walked = [at for at in sorted(instants) if after < at <= until]

    assert list(newest_since(Listed(instants), after, until, limit)) == walked[-limit:]


@given(
    instants=st.sets(st.integers(1, 2_000), max_size=60),
    looks=st.lists(st.integers(0, 2_200), min_size=1, max_size=12),
    grace=st.integers(0, 300),
    catchup=st.sampled_from(["none", "last", "all"]),
    most=st.integers(1, 20),
)
def test_however_often_it_looks_every_instant_is_started_or_missed_once(
    instants: set[int], looks: list[int], grace: int, catchup: str, most: int
) -> None:
    table = Listed(instants)
    rule = Lateness(grace_ms=grace, catchup=catchup, window_ms=500, limit=5)  # type: ignore[arg-type]
    cursor = seen = missed = 0
    started: list[int] = []
    for now in looks:  # in any order: clocks jump both ways
        while True:
            found = due(table, cursor=cursor, now=now, rule=rule, most=most)
            assert found.cursor >= cursor
            assert all(cursor < at <= now for at in found.starts)
            cursor, missed = found.cursor, missed + found.missed
            started += found.starts
            if not found.has_more:
                break
        seen = max(seen, now)
        assert found.next == table.after(cursor)

    assert started == sorted(set(started))
    assert len(started) + missed == len(list(firings(table, 0, seen)))
