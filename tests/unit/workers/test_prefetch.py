"""The reserve: held while runs are short, given back when they are not, and no ping-pong."""

from __future__ import annotations

from typing import Any, cast

from rota.model.jobs.spec import JobSpec, PythonTarget
from rota.model.runs.run import Lease
from rota.runtime.attempts.attempt import Attempt, ResolvedJob
from rota.runtime.dispatch.prefetch import BUSY_S, LATE, LONGEST_REST_S, REST_S, Prefetch

HOLD_S = 0.05


def given_reserve(*, most: int = 500) -> Prefetch:
    return Prefetch(most=most, hold_s=HOLD_S, now_s=0.0)


def work(reserve: Prefetch, now_s: float, *, runs: int = 10, took_s: float = 0.0) -> float:
    """Runs end for a while, so many in each millisecond; when that was over."""
    for _ in range(20):
        now_s += 0.001
        reserve.measure(runs, runs * took_s, now_s)
    return now_s


def call(claimed_s: float, started_s: float | None = None) -> Attempt:
    work = ResolvedJob(spec=JobSpec(name="noop", target=PythonTarget(ref="m:f")))
    made = Attempt(cast("Lease", cast("Any", None)), work, None)
    made.claimed_s, made.started_s = claimed_s, started_s
    return made


def test_short_runs_are_held_for_some_50_ms_of_work() -> None:
    reserve = given_reserve()
    assert reserve.ahead(0.0) == 0

    now_s = work(reserve, 0.0)

    assert 450 <= reserve.ahead(now_s) <= 500


def test_no_more_is_held_than_was_asked_for() -> None:
    few, none = given_reserve(most=7), given_reserve(most=0)

    assert few.ahead(work(few, 0.0)) == 7
    assert none.ahead(work(none, 0.0)) == 0


def test_runs_that_take_longer_than_a_moment_are_not_held_however_many_end_at_once() -> None:
    reserve = given_reserve()

    now_s = work(reserve, 0.0, runs=100, took_s=2 * BUSY_S)

    assert reserve.ahead(now_s) == 0
    assert reserve.ahead(work(reserve, now_s, took_s=0.001)) > 0  # now they are short


def test_a_pace_from_before_a_rest_says_nothing() -> None:
    reserve = given_reserve()
    now_s = work(reserve, 0.0)

    reserve.measure(1, 0.001, now_s + 1)

    assert reserve.ahead(now_s + 1) == 0


def test_nothing_is_held_after_a_give_back_until_the_worker_has_rested() -> None:
    reserve = given_reserve()
    now_s = work(reserve, 0.0)

    reserve.gave_back(now_s)

    assert reserve.ahead(now_s) == 0
    assert reserve.ahead(work(reserve, now_s)) == 0
    assert reserve.ahead(work(reserve, now_s + REST_S)) > 0


def test_each_give_back_that_follows_soon_makes_the_rest_twice_as_long() -> None:
    reserve = given_reserve()
    now_s, rests = 0.0, []
    for _ in range(8):
        now_s = work(reserve, now_s)
        assert reserve.ahead(now_s) > 0
        reserve.gave_back(now_s)
        rested_s = now_s
        while not reserve.ahead(rested_s):
            rested_s = work(reserve, rested_s)
        rests.append(round(rested_s - now_s, 1))
        now_s = rested_s

    assert rests == sorted(rests)
    assert rests[0] < 2 * REST_S
    assert LONGEST_REST_S <= rests[-1] < LONGEST_REST_S + 0.1
    now_s = work(reserve, now_s + 100 * LONGEST_REST_S)
    reserve.gave_back(now_s)  # the first in a long time
    assert reserve.ahead(work(reserve, now_s + REST_S)) > 0


def test_runs_behind_busy_slots_are_a_hoard() -> None:
    reserve = given_reserve()
    held = [call(0.96)]
    reserve.begun_s = 1.0

    assert not reserve.is_hoard(held, 0.999 + BUSY_S)  # one slot has just begun something
    assert reserve.is_hoard(held, 1.001 + BUSY_S)
    assert not reserve.is_hoard([], 9.0)


def test_runs_just_claimed_are_no_hoard_after_all_slots_rested() -> None:
    reserve = given_reserve()
    reserve.begun_s = 1.0

    assert not reserve.is_hoard([call(9.0)], 8.999 + BUSY_S)
    assert reserve.is_hoard([call(9.0)], 9.001 + BUSY_S)


def test_runs_that_wait_too_long_are_a_hoard_even_beside_fast_slots() -> None:
    reserve = given_reserve()
    late_s = 1.0 + LATE * HOLD_S

    reserve.begun_s = late_s

    assert not reserve.is_hoard([call(1.0)], late_s - 0.001)
    assert reserve.is_hoard([call(1.0)], late_s + 0.001)
