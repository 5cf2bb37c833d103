"""Async handlers on a real event loop: endings, cancelling, and a loop that is blocked."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

import pytest

from rota.notices import subscribe, unsubscribe
from rota.runtime.attempts.attempt import Returned, Stopped
from rota.runtime.attempts.context import ProgressBoard, current_run, progress
from rota.runtime.executors.loop.executor import LoopExecutor
from tests.support.calls import Ledger, call_of, eventually


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
def board() -> ProgressBoard:
    return ProgressBoard()


@pytest.fixture
def executor(ledger: Ledger, board: ProgressBoard) -> Iterator[LoopExecutor]:
    executor = LoopExecutor(
        slots=3, started=ledger.started, done=ledger.done, progress=board, lag_s=0.25
    )
    yield executor
    executor.close()


@pytest.fixture
def notices() -> Iterator[list[tuple[str, dict[str, Any]]]]:
    heard: list[tuple[str, dict[str, Any]]] = []

    def listener(name: str, facts: dict[str, Any]) -> None:
        heard.append((name, facts))

    subscribe(listener)
    yield heard
    unsubscribe(listener)


async def forever() -> None:
    await asyncio.Event().wait()


async def brief() -> str:
    await asyncio.sleep(0)
    return "done"


def test_an_async_handler_returns_json(executor: LoopExecutor, ledger: Ledger) -> None:
    async def add(a: int, b: int) -> int:
        await asyncio.sleep(0)
        return a + b

    call = call_of(add, a=40, b=2)
    executor.start(call)

    assert ledger.value(call) == 42
    assert ledger.begun == [call]


def test_no_more_calls_run_at_once_than_there_are_slots(
    executor: LoopExecutor, ledger: Ledger
) -> None:
    now, most = 0, 0

    async def counted() -> None:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.002)
        now -= 1

    calls = [call_of(counted) for _ in range(40)]
    for call in calls:
        executor.start(call)
    for call in calls:
        ledger.wait(call)

    assert most == 3


@pytest.mark.parametrize(
    ("exc", "kind", "message"),
    [
        (ValueError("no"), "ValueError", "no"),
        (SystemExit(3), "SystemExit", "handler called sys.exit(3)"),
        (KeyboardInterrupt(), "KeyboardInterrupt", ""),
        (asyncio.CancelledError("own"), "asyncio.exceptions.CancelledError", "own"),
    ],
)
def test_whatever_a_handler_raises_is_an_ending_and_the_loop_lives_on(
    executor: LoopExecutor, ledger: Ledger, exc: BaseException, kind: str, message: str
) -> None:
    async def handler() -> None:
        raise exc

    call, after = call_of(handler), call_of(brief)
    executor.start(call)
    raised = ledger.raised(call)
    executor.start(after)

    assert (raised.error.type, raised.error.message) == (kind, message)
    assert ledger.value(after) == "done"


def test_a_sub_call_that_exits_ends_its_run_only(executor: LoopExecutor, ledger: Ledger) -> None:
    async def leave() -> None:
        sys.exit(5)

    async def handler() -> None:
        await asyncio.create_task(leave())

    bystander = call_of(forever)
    call, after = call_of(handler), call_of(brief)
    executor.start(bystander)
    executor.start(call)

    assert ledger.raised(call).error.message == "handler called sys.exit(5)"
    executor.start(after)
    assert ledger.value(after) == "done"
    executor.stop(bystander, "drain")
    assert ledger.wait(bystander) == Stopped("drain")


@pytest.mark.parametrize("why", ["cancel", "timeout", "lost"])
def test_a_running_handler_is_cancelled(executor: LoopExecutor, ledger: Ledger, why: Any) -> None:
    call = call_of(forever)
    executor.start(call)
    ledger.wait_started(call)
    executor.stop(call, why)

    assert ledger.wait(call) == Stopped(why)


def test_an_error_raised_while_stopping_still_counts_as_stopped(
    executor: LoopExecutor, ledger: Ledger
) -> None:
    async def handler() -> None:
        try:
            await forever()
        finally:
            raise OSError("the cleaning up failed")

    call = call_of(handler)
    executor.start(call)
    ledger.wait_started(call)
    executor.stop(call, "timeout")

    assert ledger.wait(call) == Stopped("timeout")


def test_calls_stopped_at_any_moment_end_exactly_once(
    executor: LoopExecutor, ledger: Ledger
) -> None:
    calls = [call_of(brief) for _ in range(500)]
    for call in calls:
        executor.start(call)
        executor.stop(call, "cancel")

    assert all(isinstance(ledger.wait(call), Stopped | Returned) for call in calls)
    assert len(ledger.ended) == 500


def test_a_call_that_still_waits_is_stopped_at_once(executor: LoopExecutor, ledger: Ledger) -> None:
    running = [call_of(forever) for _ in range(3)]
    waiting = call_of(brief)
    for call in (*running, waiting):
        executor.start(call)
    ledger.wait_started(running[-1])
    executor.stop(waiting, "cancel")

    assert ledger.wait(waiting) == Stopped("cancel")
    assert waiting not in ledger.begun

    for call in running:
        executor.stop(call, "cancel")
        ledger.wait(call)


def test_calls_that_have_not_started_can_be_withdrawn(
    executor: LoopExecutor, ledger: Ledger
) -> None:
    running = [call_of(forever) for _ in range(3)]
    waiting = [call_of(brief) for _ in range(4)]
    for call in (*running, *waiting):
        executor.start(call)
    ledger.wait_started(running[-1])

    assert executor.withdraw() == waiting

    for call in running:
        executor.stop(call, "drain")
        ledger.wait(call)


def test_a_handler_that_ignores_its_cancellation_is_abandoned(
    executor: LoopExecutor, ledger: Ledger
) -> None:
    go_on = threading.Event()

    async def stubborn() -> str:
        while not go_on.is_set():
            try:
                await asyncio.sleep(0.005)
            except asyncio.CancelledError:
                continue
        return "too late"

    calls = [call_of(stubborn) for _ in range(3)]
    after, last = call_of(brief), call_of(brief)
    for call in (*calls, after):
        executor.start(call)
    for call in calls:
        ledger.wait_started(call)
        executor.stop(call, "timeout")
        executor.abandon(call)

    assert ledger.value(after) == "done"

    go_on.set()
    executor.start(last)
    assert ledger.value(last) == "done"
    assert all(ledger.endings(call) == [] for call in calls)


def test_a_handler_that_blocks_the_loop_is_named_and_costs_no_later_run(
    executor: LoopExecutor, ledger: Ledger, notices: list[tuple[str, dict[str, Any]]]
) -> None:
    go_on = threading.Event()

    async def blocking() -> str:
        await asyncio.sleep(0)
        go_on.wait(20)
        return "at last"

    async def slow() -> str:
        await asyncio.sleep(0.01)
        return "slow"

    beside, culprit = call_of(slow), call_of(blocking)
    executor.start(beside)
    executor.start(culprit)
    ledger.wait_started(culprit)
    eventually(lambda: notices)
    after = call_of(brief)
    executor.start(after)

    assert ledger.value(after) == "done"
    name, facts = notices[0]
    assert (name, facts["job"], facts["run"]) == (
        "loop.blocked",
        "blocking",
        culprit.lease.run_id,
    )
    assert "go_on.wait(20)" in facts["stack"]
    assert facts["blocked_s"] > 0.25

    go_on.set()
    assert ledger.value(culprit) == "at last"
    assert ledger.value(beside) == "slow"
    eventually(lambda: not any(loop.is_alive() for loop in executor._retired))
    assert len(notices) == 1


def test_calls_that_wait_behind_a_blocked_loop_move_to_the_fresh_one(
    executor: LoopExecutor, ledger: Ledger
) -> None:
    go_on = threading.Event()

    async def blocking() -> None:
        go_on.wait(20)

    culprits = [call_of(blocking) for _ in range(3)]
    waiting = call_of(brief)
    for call in (*culprits, waiting):
        executor.start(call)

    assert ledger.value(waiting) == "done"
    assert not any(ledger.endings(call) for call in culprits)

    go_on.set()
    for call in culprits:
        ledger.wait(call)


def test_a_loop_that_is_only_busy_waiting_is_not_blocked(
    executor: LoopExecutor, ledger: Ledger, notices: list[tuple[str, dict[str, Any]]]
) -> None:
    async def patient() -> None:
        await asyncio.sleep(0.6)

    call = call_of(patient)
    executor.start(call)

    assert isinstance(ledger.wait(call), Returned)
    assert notices == []


def test_a_handler_knows_its_run_and_reports_progress(
    executor: LoopExecutor, ledger: Ledger, board: ProgressBoard
) -> None:
    tenant: ContextVar[str] = ContextVar("tenant", default="none")

    async def handler() -> list[str]:
        before = tenant.get()
        tenant.set("a")
        progress(0.5, "half way")
        return [await asyncio.to_thread(lambda: current_run().id), before]

    first, second = call_of(handler), call_of(handler)
    executor.start(first)
    executor.start(second)

    assert ledger.value(first) == [first.lease.run_id, "none"]
    assert ledger.value(second) == [second.lease.run_id, "none"]
    assert {told[0] for told in board.take()} == {first.lease.run_id, second.lease.run_id}


def test_a_forked_child_leaves_at_once_and_reports_nothing(
    executor: LoopExecutor, ledger: Ledger
) -> None:
    async def forks() -> int:
        return os.fork()

    call = call_of(forks)
    executor.start(call)
    child = ledger.value(call)

    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert len(ledger.endings(call)) == 1


def test_closing_ends_what_handlers_left_in_the_background(ledger: Ledger) -> None:
    executor = LoopExecutor(slots=3, started=ledger.started, done=ledger.done)
    ended = threading.Event()

    async def background() -> None:
        try:
            await forever()
        finally:
            ended.set()

    kept: list[asyncio.Task[None]] = []

    async def handler() -> None:
        kept.append(asyncio.create_task(background()))
        await asyncio.sleep(0)

    call = call_of(handler)
    executor.start(call)
    ledger.wait(call)
    started = time.monotonic()
    executor.close()

    assert ended.is_set()
    assert time.monotonic() - started < 5
