"""Stopping sync handlers in real threads: exceptions in their midst, bodies that do not react."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rota.errors import Cancelled, TimedOut
from rota.runtime.attempts.attempt import Returned, Stopped
from rota.runtime.attempts.context import ProgressBoard, current_run
from rota.runtime.executors.threads.executor import ThreadExecutor
from tests.support.calls import Ledger, call_of, eventually
from tests.support.handlers import spins_after_a_finaliser
from tests.support.programs import pids_in


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
def board() -> ProgressBoard:
    return ProgressBoard()


@pytest.fixture
def executor(ledger: Ledger, board: ProgressBoard) -> Iterator[ThreadExecutor]:
    executor = ThreadExecutor(slots=2, started=ledger.started, done=ledger.done, progress=board)
    yield executor
    executor.close()


def spin() -> None:
    while True:
        time.sleep(0.001)


@pytest.mark.parametrize(("why", "error"), [("cancel", Cancelled), ("timeout", TimedOut)])
def test_a_running_handler_is_stopped_by_an_exception(
    executor: ThreadExecutor, ledger: Ledger, why: Any, error: type[BaseException]
) -> None:
    inside = threading.Event()
    seen: list[BaseException] = []

    def handler() -> None:
        try:
            inside.set()
            spin()
        except BaseException as exc:
            seen.append(exc)
            raise

    call = call_of(handler)
    executor.start(call)
    assert inside.wait(20)
    executor.stop(call, why)

    assert ledger.wait(call) == Stopped(why)
    assert [type(exc) for exc in seen] == [error]


@pytest.mark.parametrize(("why", "name"), [("cancel", "Cancelled"), ("timeout", "TimedOut")])
def test_a_stop_that_a_finaliser_swallows_is_raised_again(
    executor: ThreadExecutor, ledger: Ledger, tmp_path: Path, why: Any, name: str
) -> None:
    path = tmp_path / "said"
    call, after = call_of(spins_after_a_finaliser, path=str(path)), call_of(lambda: "alive")
    executor.start(call)
    assert pids_in(path)
    executor.stop(call, why)

    assert ledger.wait(call) == Stopped(why)
    assert path.read_text() == name
    executor.start(after)
    assert ledger.value(after) == "alive"


def test_a_stop_is_not_raised_again_in_the_call_that_came_after(
    executor: ThreadExecutor, ledger: Ledger
) -> None:
    inside, tidies, go_on = threading.Event(), threading.Event(), threading.Event()

    again: list[BaseException] = []

    def handler() -> None:
        try:
            inside.set()
            spin()
        except Cancelled:
            tidies.set()
            try:
                while not go_on.is_set():
                    time.sleep(0.001)
            except Cancelled as stop:
                again.append(stop)
            raise

    before, call = call_of(lambda: None), call_of(handler)
    executor.start(before)
    ledger.wait(before)
    executor.start(call)
    assert inside.wait(20)
    executor.stop(call, "cancel")
    assert tidies.wait(20)
    call.slot._resend(before)  # its finaliser swallowed a stop, and it has ended since
    go_on.set()

    assert ledger.wait(call) == Stopped("cancel")
    assert again == []


def test_a_finaliser_that_fails_is_told_of_as_ever(
    executor: ThreadExecutor, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[type[BaseException] | None] = []
    monkeypatch.setattr("sys.unraisablehook", lambda unraisable: told.append(unraisable.exc_type))

    class Fails:
        def __del__(self) -> None:
            raise OSError("the file is gone")

    def handler() -> None:
        Fails()

    call = call_of(handler)
    executor.start(call)

    assert ledger.value(call) is None
    assert told == [OSError]


def test_an_error_raised_while_stopping_still_counts_as_stopped(
    executor: ThreadExecutor, ledger: Ledger
) -> None:
    inside = threading.Event()

    def handler() -> None:
        try:
            inside.set()
            spin()
        finally:
            raise OSError("the cleaning up failed")

    call = call_of(handler)
    executor.start(call)
    assert inside.wait(20)
    executor.stop(call, "timeout")

    assert ledger.wait(call) == Stopped("timeout")


def test_a_stop_after_the_end_hits_nobody(executor: ThreadExecutor, ledger: Ledger) -> None:
    call = call_of(lambda: 1)
    executor.start(call)
    ledger.wait(call)
    executor.stop(call, "cancel")
    executor.abandon(call)
    after = call_of(lambda: 2)
    executor.start(after)

    assert ledger.value(after) == 2
    assert len(ledger.endings(call)) == 1


def test_stops_that_race_with_the_end_never_hurt_another_call(ledger: Ledger) -> None:
    executor = ThreadExecutor(slots=1, started=ledger.started, done=ledger.done)

    def brief() -> int:
        return sum(range(200))

    stopped = [call_of(brief) for _ in range(1_500)]
    others = [call_of(brief) for _ in range(1_500)]
    for call, other in zip(stopped, others, strict=True):
        executor.start(call)
        executor.start(other)
        executor.stop(call, "cancel")

    assert all(ledger.value(other) == 19_900 for other in others)
    assert all(isinstance(ledger.wait(call), Returned | Stopped) for call in stopped)
    eventually(lambda: len(ledger.ended) == 3_000)
    executor.close()


def test_a_call_that_still_waits_is_stopped_at_once_and_never_starts(ledger: Ledger) -> None:
    executor = ThreadExecutor(slots=1, started=ledger.started, done=ledger.done)
    go_on = threading.Event()
    first, second, third = call_of(lambda: go_on.wait(20)), call_of(spin), call_of(lambda: 3)
    for call in (first, second, third):
        executor.start(call)
    ledger.wait_started(first)
    executor.stop(second, "cancel")

    assert ledger.wait(second) == Stopped("cancel")
    assert second not in ledger.begun

    go_on.set()
    assert ledger.value(third) == 3
    executor.close()


def test_calls_that_have_not_started_can_be_withdrawn_in_order(ledger: Ledger) -> None:
    executor = ThreadExecutor(slots=1, started=ledger.started, done=ledger.done)
    go_on = threading.Event()
    first = call_of(lambda: go_on.wait(20))
    waiting = [call_of(lambda: None) for _ in range(5)]
    for call in (first, *waiting):
        executor.start(call)
    ledger.wait_started(first)

    assert executor.withdraw() == waiting
    assert executor.withdraw() == []

    go_on.set()
    ledger.wait(first)
    executor.close()
    assert [call for call, _ in ledger.ended] == [first]


def test_a_body_that_does_not_react_is_abandoned_and_its_ending_dropped(ledger: Ledger) -> None:
    executor = ThreadExecutor(slots=1, started=ledger.started, done=ledger.done)
    inside, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def stubborn() -> str:
        # Whatever is raised lands here, for it is sent once and only after `inside` is set.
        with contextlib.suppress(TimedOut):
            inside.set()
            while not go_on.is_set():
                time.sleep(0.001)
        while not go_on.is_set():
            time.sleep(0.001)
        ended.set()
        return "too late"

    call, after = call_of(stubborn), call_of(lambda: "fresh")
    executor.start(call)
    executor.start(after)
    assert inside.wait(20)
    executor.stop(call, "timeout")
    executor.abandon(call)

    assert ledger.value(after) == "fresh"

    go_on.set()
    assert ended.wait(20)
    last = call_of(lambda: "still fine")
    executor.start(last)
    assert ledger.value(last) == "still fine"
    assert ledger.endings(call) == []
    executor.close()


def test_the_check_of_a_stopped_run_raises(executor: ThreadExecutor, ledger: Ledger) -> None:
    ready = threading.Event()

    def handler() -> None:
        run = current_run()
        ready.set()
        while not run.cancelled:
            sys.getrefcount(None)
        run.check()

    call = call_of(handler)
    executor.start(call)
    assert ready.wait(20)
    call.stop_reason = "timeout"

    assert ledger.wait(call) == Stopped("timeout")
