"""A worker in this process: failures are tried again as the policy says, and no more."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from math import inf, nan
from typing import Any

import pytest

from rota.app import App
from rota.errors import Retry, RunFailed
from rota.model.jobs.spec import RetryPolicy
from rota.model.states import State
from tests.integration.conftest import Serve
from tests.support.calls import eventually


def test_a_run_that_fails_for_good_has_its_attempts_and_the_reason_on_record(
    app: App, serve: Serve
) -> None:
    @app.job(retries=2, retry_delay="100ms")
    def broken(number: int) -> None:
        raise ValueError(f"no {number}")

    serve()
    run = broken.submit(7)

    with pytest.raises(RunFailed, match=r"retries used up \(2\); ValueError: no 7"):
        run.result(timeout=10)
    view, tried = run.show(), run.attempts()
    assert (view.state, view.attempt, view.failures) == (State.FAILED, 3, 3)
    assert [(each.number, each.kind) for each in tried] == [(n, "error") for n in (1, 2, 3)]
    assert all(each.error and "no 7" in each.error.message for each in tried)
    assert tried[0].error is not None
    assert 'raise ValueError(f"no {number}")' in tried[0].error.traceback
    assert len({each.worker_id for each in tried}) == 1


def test_the_pause_between_attempts_grows(app: App, serve: Serve) -> None:
    @app.job(retries=2, retry_delay="150ms")
    def broken() -> None:
        raise ValueError

    serve()
    run = broken.submit()
    run.wait(timeout=10)
    first, second, third = run.attempts()

    assert second.started_at is not None
    assert third.started_at is not None
    assert second.started_at.ms - first.ended_at.ms >= 150
    assert third.started_at.ms - second.ended_at.ms >= 300


def test_a_run_that_succeeds_at_last_keeps_the_attempts_that_failed(app: App, serve: Serve) -> None:
    failures = iter([ValueError("one"), OSError("two")])

    @app.job(retries=5, backoff="none")
    def flaky() -> str:
        for failure in failures:
            raise failure
        return "done"

    serve()
    run = flaky.submit()

    assert run.result(timeout=10) == "done"
    assert [(each.number, each.error and each.error.type) for each in run.attempts()] == [
        (1, "ValueError"),
        (2, "OSError"),
    ]
    assert (run.show().attempt, run.show().failures) == (3, 2)


def test_a_handler_can_ask_for_another_attempt_after_a_while(app: App, serve: Serve) -> None:
    tries: list[int] = []

    @app.job(retries=1, retry_delay="1h")
    def busy() -> int:
        tries.append(1)
        if len(tries) == 1:
            raise Retry("try later", after="250ms")
        return len(tries)

    serve()
    run = busy.submit()

    assert run.result(timeout=10) == 2
    (first,) = run.attempts()
    started_at = run.show().started_at
    assert first.error is not None
    assert first.error.message == "try later"
    assert started_at is not None
    assert started_at.ms - first.ended_at.ms >= 250


def test_a_wait_that_is_longer_than_the_cap_is_cut_and_people_are_told(
    app: App, serve: Serve
) -> None:
    @app.job(retries=1, retry_cap="5m")
    def busy() -> None:
        raise Retry("come back next year", after="1157d")

    serve()
    run = busy.submit()
    eventually(lambda: run.show().state is State.SCHEDULED)

    (first,) = run.attempts()
    (reason,) = run.why()
    assert first.error is not None
    told = "come back next year (asked to wait 1157d, cut to 5m by retry_cap)"
    assert first.error.message == told
    assert 300_000 <= run.show().ready_at.ms - first.ended_at.ms < 330_000
    assert reason.says.endswith(
        "(retry 1 of 1; a wait of 1157d was asked for, but retry_cap allows less)"
    )


def test_a_retry_that_a_handler_asks_for_counts_too(app: App, serve: Serve) -> None:
    @app.job(retries=1)
    def busy() -> None:
        raise Retry(after=0)

    serve()

    with pytest.raises(RunFailed, match=r"retries used up \(1\)"):
        busy.submit().result(timeout=10)


def test_a_custom_function_says_how_long_to_wait_and_when_to_give_up(
    app: App, serve: Serve
) -> None:
    asked: list[tuple[int, str]] = []

    def rule(failures: int, error: BaseException | None) -> float | None:
        asked.append((failures, str(error)))
        return 0.01 if failures < 3 else None

    @app.job(retry=rule, retries=10)
    def broken() -> None:
        raise ValueError("oh")

    serve()

    with pytest.raises(RunFailed, match="the retry function gave up"):
        broken.submit().result(timeout=10)
    assert asked == [(1, "oh"), (2, "oh"), (3, "oh")]


def divide() -> float:
    return 1 / 0


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (divide, "ZeroDivisionError: division by zero"),
        (
            lambda: nan,
            "ValueError: it returned nan, which is neither seconds, a timedelta nor None",
        ),
        (
            lambda: inf,
            "ValueError: it returned inf, which is neither seconds, a timedelta nor None",
        ),
        (lambda: "soon", "ValueError: it returned 'soon', which is neither seconds"),
        (lambda: [1], "ValueError: it returned [1], which is neither seconds"),
    ],
    ids=["raises", "nan", "inf", "text", "list"],
)
def test_a_custom_function_that_fails_does_not_lose_the_run_and_is_told(
    app: App, serve: Serve, answer: Callable[[], Any], told: str
) -> None:
    @app.job(retry=lambda _failures, _error: answer(), retries=3)
    def broken() -> None:
        raise ValueError("oh")

    serve()
    run = broken.submit()

    eventually(lambda: run.state is State.SCHEDULED)
    assert run.show().failures == 1
    (attempt,) = run.attempts()
    assert attempt.error is not None
    wanted = f"oh (the retry function failed, so the wait is 1m: {told}"
    assert attempt.error.message.startswith(wanted)


def test_a_custom_function_may_answer_a_timedelta(app: App, serve: Serve) -> None:
    @app.job(retry=lambda failures, _error: timedelta(milliseconds=10 * failures), retries=2)
    def broken() -> None:
        raise ValueError("oh")

    serve()

    with pytest.raises(RunFailed, match=r"retries used up \(2\); ValueError: oh$"):
        broken.submit().result(timeout=10)


def test_errors_that_another_attempt_cannot_better_are_final(app: App, serve: Serve) -> None:
    @app.job(retries=5, give_up_on=KeyError, backoff="none")
    def wrong() -> None:
        raise KeyError("x")

    @app.job(retries=5, retry_on=OSError, backoff="none")
    def odd() -> None:
        raise ValueError("x")

    serve()
    first, second = wrong.submit(), odd.submit()

    assert first.wait(timeout=10).reason == "gave up on KeyError"
    assert second.wait(timeout=10).reason == "gave up: ValueError is not in retry_on"
    assert first.show().attempt == second.show().attempt == 1


def test_no_retry_starts_after_the_total_time_limit(app: App, serve: Serve) -> None:
    @app.job(retries=50, backoff="fixed", retry_delay="200ms", retry_within="700ms")
    def broken() -> None:
        raise ValueError

    serve()
    ended = broken.submit().wait(timeout=10)

    assert (ended.state, ended.reason) == (State.FAILED, "no retry within 700 ms")


def test_one_submit_may_change_the_policy_of_its_job(app: App, serve: Serve) -> None:
    @app.job(retries=5, retry_delay="1h")
    def broken() -> None:
        raise ValueError

    serve()
    none = broken.with_options(retries=0).submit()
    quick = broken.with_options(retries=RetryPolicy(limit=1, backoff="none")).submit()

    assert none.wait(timeout=10).reason == "no retries allowed"
    assert quick.wait(timeout=10).reason == "retries used up (1)"


def test_an_at_most_once_run_is_never_tried_again(app: App, serve: Serve) -> None:
    tries: list[int] = []

    @app.job(delivery="at_most_once")
    def charge() -> None:
        tries.append(1)
        raise Retry("again, please", after=0)

    serve()
    ended = charge.submit().wait(timeout=10)

    assert (ended.state, ended.reason) == (State.FAILED, "not retried: the job is at_most_once")
    assert tries == [1]


def test_a_run_that_waited_too_long_is_not_started(app: App, serve: Serve) -> None:
    gate, started = threading.Event(), threading.Event()
    ran: list[int] = []

    @app.job
    def blocker() -> None:
        started.set()
        gate.wait(20)

    @app.job(expires="300ms")
    def urgent() -> None:
        ran.append(1)

    serve(slots=1, prefetch=0)
    first = blocker.submit()
    assert started.wait(10)
    late = urgent.submit()
    ended = late.wait(timeout=10)
    gate.set()
    first.result(timeout=10)

    assert (ended.state, ended.reason) == (
        State.FAILED,
        "expired: it waited too long in its queue",
    )
    assert ran == []
    assert late.show().attempt == 0
