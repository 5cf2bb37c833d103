"""Retry arithmetic: RT-01 to RT-07, and what a crash leads to."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rota.model.jobs.spec import RetryPolicy
from rota.rules.failures.retry import (
    GiveUp,
    Requeue,
    RetryIn,
    after_loss,
    decide,
    next_delay_ms,
    quarantine,
)

VALUE_ERROR = ("builtins.ValueError", "builtins.Exception", "builtins.BaseException")
DUE = 1_000_000


def decided(policy: RetryPolicy, **facts: Any) -> RetryIn | GiveUp:
    plain: dict[str, Any] = {
        "failures": 1,
        "types": VALUE_ERROR,
        "now_ms": DUE,
        "due_at_ms": DUE,
        "random": 0.0,
    }
    return decide(policy, **(plain | facts))


def delays(policy: RetryPolicy, count: int) -> list[int]:
    return [next_delay_ms(policy, retry=at, random=0.0) for at in range(1, count + 1)]


def test_rt_01_the_first_delay_is_one_second_and_doubles_from_there() -> None:
    assert delays(RetryPolicy(), 5) == [1_000, 2_000, 4_000, 8_000, 16_000]
    assert decided(RetryPolicy()) == RetryIn(1_000)


def test_rt_02_the_cap_ends_the_growth() -> None:
    policy = RetryPolicy(delay_ms=3_000, cap_ms=4_000)

    assert delays(policy, 3) == [3_000, 4_000, 4_000]


def test_rt_02_the_cap_holds_for_retries_beyond_any_float() -> None:
    assert next_delay_ms(RetryPolicy(), retry=10_000, random=0.0) == 3_600_000
    assert next_delay_ms(RetryPolicy(delay_ms=0), retry=10_000, random=0.0) == 0


def test_rt_03_the_limit_counts_retries_not_attempts() -> None:
    outcomes = [decided(RetryPolicy(limit=3), failures=failures) for failures in (1, 2, 3, 4)]

    assert outcomes == [
        RetryIn(1_000),
        RetryIn(2_000),
        RetryIn(4_000),
        GiveUp("retries used up (3)"),
    ]


def test_rt_03_a_limit_of_zero_means_one_attempt() -> None:
    assert decided(RetryPolicy(limit=0)) == GiveUp("no retries allowed")


def test_rt_04_a_rerun_starts_again_with_the_first_delay() -> None:
    policy = RetryPolicy(limit=1)
    used_up = decided(policy, failures=2)

    first_failure_of_the_rerun = decided(policy, failures=1, due_at_ms=DUE * 9, now_ms=DUE * 9)

    assert used_up == GiveUp("retries used up (1)")
    assert first_failure_of_the_rerun == RetryIn(1_000)


def test_rt_05_a_non_retryable_error_stops_at_once() -> None:
    policy = RetryPolicy(limit=10, give_up_on=("builtins.ValueError",))

    assert decided(policy) == GiveUp("gave up on ValueError")


def test_rt_05_a_base_class_in_the_list_covers_its_subclasses() -> None:
    policy = RetryPolicy(give_up_on=("builtins.Exception",))

    assert decided(policy) == GiveUp("gave up on ValueError")


def test_rt_05_with_retry_on_everything_else_gives_up() -> None:
    policy = RetryPolicy(retry_on=("shop.errors.Temporary",))

    assert decided(policy) == GiveUp("gave up: ValueError is not in retry_on")
    assert decided(policy, types=("shop.errors.Temporary",)) == RetryIn(1_000)
    assert decided(policy, types=()) == GiveUp("gave up: the failure is not in retry_on")


def test_rt_05_give_up_on_wins_over_retry_on() -> None:
    policy = RetryPolicy(retry_on=("builtins.Exception",), give_up_on=("builtins.ValueError",))

    assert decided(policy) == GiveUp("gave up on ValueError")


def test_rt_05_names_are_compared_whole() -> None:
    policy = RetryPolicy(give_up_on=("shop.ValueError",))

    assert decided(policy) == RetryIn(1_000)


def test_rt_06_a_delay_from_the_error_wins_over_the_policy() -> None:
    policy = RetryPolicy(jitter=1.0)

    assert decided(policy, retry_after_ms=90_000, random=0.9) == RetryIn(90_000)
    assert decided(policy, retry_after_ms=0) == RetryIn(0)


@pytest.mark.parametrize("source", ["retry_after_ms", "custom_delay_ms"])
@pytest.mark.parametrize("asked_ms", [2_001, 99_999_999_000, 10**300])
def test_rt_06_nobody_makes_a_run_wait_longer_than_the_cap(source: str, asked_ms: int) -> None:
    policy = RetryPolicy(cap_ms=2_000, backoff="custom", jitter=1.0)

    assert decided(policy, **{source: asked_ms}) == RetryIn(2_000, asked_ms)
    assert decided(policy, **{source: 2_000}) == RetryIn(2_000)


def test_rt_06_without_a_cap_of_its_own_it_is_an_hour() -> None:
    assert decided(RetryPolicy(), retry_after_ms=3_600_001) == RetryIn(3_600_000, 3_600_001)


def test_rt_06_a_fixed_delay_that_is_longer_than_the_cap_is_what_may_be_asked_for() -> None:
    policy = RetryPolicy(backoff="fixed", delay_ms=7_200_000)

    assert decided(policy, retry_after_ms=7_000_000) == RetryIn(7_000_000)
    assert decided(policy, retry_after_ms=9_000_000) == RetryIn(7_200_000, 9_000_000)


def test_rt_06_a_delay_from_the_error_does_not_win_over_the_limits() -> None:
    policy = RetryPolicy(limit=2, within_ms=60_000)

    assert decided(policy, failures=3, retry_after_ms=5) == GiveUp("retries used up (2)")
    assert decided(policy, retry_after_ms=60_001) == GiveUp("no retry within 1m")


def test_rt_06_asking_for_a_retry_overrules_the_lists_but_not_the_limit() -> None:
    policy = RetryPolicy(limit=1, give_up_on=("builtins.Exception",))

    assert decided(policy, wants_retry=True) == RetryIn(1_000)
    assert decided(policy, wants_retry=True, failures=2) == GiveUp("retries used up (1)")


def test_rt_07_a_retry_that_would_start_too_late_is_given_up() -> None:
    policy = RetryPolicy(within_ms=600_000)

    assert decided(policy, now_ms=DUE + 599_000) == RetryIn(1_000)
    assert decided(policy, now_ms=DUE + 599_001) == GiveUp("no retry within 10m")


def test_ad_06_the_time_for_all_attempts_is_not_reset_by_a_retry() -> None:
    policy = RetryPolicy(limit=100, backoff="fixed", delay_ms=1_000, within_ms=10_000)

    outcomes = [decided(policy, failures=n, now_ms=DUE + n * 4_000) for n in (1, 2, 3)]

    assert outcomes == [RetryIn(1_000), RetryIn(1_000), GiveUp("no retry within 10s")]


def test_an_error_that_no_retry_helps_is_given_up_even_on_request() -> None:
    outcome = decided(RetryPolicy(), gives_up=True, wants_retry=True)

    assert outcome == GiveUp("another attempt cannot help")


def test_at_most_once_is_never_retried() -> None:
    outcome = decided(RetryPolicy(limit=5), at_most_once=True, wants_retry=True)

    assert outcome == GiveUp("not retried: the job is at_most_once")


def test_a_custom_function_sets_the_delay_or_gives_up() -> None:
    policy = RetryPolicy(limit=2, backoff="custom")

    assert decided(policy, custom_delay_ms=7_000) == RetryIn(7_000)
    assert decided(policy, custom_delay_ms=None) == GiveUp("the retry function gave up")
    assert decided(policy, failures=3, custom_delay_ms=7_000) == GiveUp("retries used up (2)")
    assert decided(policy, custom_delay_ms=-5) == RetryIn(0)


def test_a_wish_to_retry_outlives_a_custom_function_that_has_no_answer() -> None:
    policy = RetryPolicy(backoff="custom", delay_ms=3_000)

    assert decided(policy, wants_retry=True) == RetryIn(3_000)


def test_fixed_waits_the_same_each_time_and_none_does_not_wait() -> None:
    two_hours = 7_200_000

    assert delays(RetryPolicy(backoff="fixed", delay_ms=two_hours), 2) == [two_hours, two_hours]
    assert delays(RetryPolicy(backoff="none"), 2) == [0, 0]


def test_jitter_takes_away_up_to_its_share() -> None:
    half = RetryPolicy(jitter=0.5)

    assert next_delay_ms(half, retry=1, random=0.0) == 1_000
    assert next_delay_ms(half, retry=1, random=0.5) == 750
    assert next_delay_ms(RetryPolicy(jitter=1.0), retry=1, random=0.999) == 1


@given(
    retry=st.integers(min_value=1, max_value=100_000),
    random=st.floats(min_value=0, max_value=1, exclude_max=True),
    jitter=st.floats(min_value=0, max_value=1),
    factor=st.floats(min_value=0.1, max_value=1e6),
    delay_ms=st.integers(min_value=0, max_value=10**12),
)
def test_no_delay_is_negative_or_above_the_cap(
    retry: int, random: float, jitter: float, factor: float, delay_ms: int
) -> None:
    policy = RetryPolicy(delay_ms=delay_ms, factor=factor, jitter=jitter)

    assert 0 <= next_delay_ms(policy, retry=retry, random=random) <= policy.cap_ms


def test_a_run_whose_worker_died_goes_back_to_its_queue() -> None:
    assert after_loss(at_most_once=False) == Requeue()


def test_a_lost_run_that_may_start_only_once_is_not_started_again() -> None:
    outcome = after_loss(at_most_once=True)

    assert outcome == GiveUp("lost: the outcome is unknown and the job is at_most_once")


def test_a_run_whose_own_processes_die_is_quarantined_at_its_limit() -> None:
    how = "the process of the handler was killed by SIGSEGV"

    assert quarantine(how, crashes=2, limit=3) is None
    assert quarantine(how, crashes=3, limit=3) == GiveUp(
        "quarantined: the process of the handler was killed by SIGSEGV while it ran alone, "
        "3 times; find out why before you redrive it"
    )
    assert "alone, once; find" in (quarantine(how, crashes=1, limit=1) or GiveUp("")).reason
