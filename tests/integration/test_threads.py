"""Sync handlers in real threads: arguments, endings, what they know of their run."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path

import msgspec
import pytest

from rota.errors import Cancelled, Retry, RotaError
from rota.runtime.attempts.attempt import Returned
from rota.runtime.attempts.context import AttemptProgress, ProgressBoard, current_run, progress
from rota.runtime.executors.threads.executor import ThreadExecutor
from rota.runtime.logs.buffer import LogBuffer
from rota.runtime.logs.capture import capture
from rota.runtime.logs.masking import Masker
from rota.runtime.logs.stdout_buffer import pages
from tests.support.calls import Ledger, call_of, eventually
from tests.support.logbooks import texts


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


def raising(exc: BaseException) -> Callable[[], None]:
    def handler() -> None:
        raise exc

    return handler


def test_a_handler_gets_typed_arguments_and_its_result_is_json(
    executor: ThreadExecutor, ledger: Ledger
) -> None:
    def add(a: int, b: int = 2) -> dict[str, int]:
        return {"sum": a + b}

    call = call_of(add, a=40)
    executor.start(call)

    assert ledger.value(call) == {"sum": 42}
    assert ledger.begun == [call]
    assert call.started_s is not None


def test_a_handler_with_positional_only_parameters_is_called_right(
    executor: ThreadExecutor, ledger: Ledger
) -> None:
    def subtract(a: int, /, *, b: int) -> int:
        return a - b

    call = call_of(subtract, a=44, b=2)
    executor.start(call)

    assert ledger.value(call) == 42


def test_threads_are_started_only_as_far_as_they_are_needed(ledger: Ledger) -> None:
    executor = ThreadExecutor(slots=50, started=ledger.started, done=ledger.done)
    calls = [call_of(lambda: None) for _ in range(20)]

    for call in calls:
        executor.start(call)
        ledger.wait(call)
        eventually(lambda: len(executor._pool._idle) == len(executor._pool._threads))

    assert len(executor._pool._threads) == 1
    executor.close()
    assert len(executor._pool._threads) == 0


def test_no_call_waits_while_a_slot_is_free(ledger: Ledger) -> None:
    executor = ThreadExecutor(slots=8, started=ledger.started, done=ledger.done)
    together = threading.Barrier(8)
    calls = [call_of(lambda: together.wait(20) and None) for _ in range(8)]

    for call in calls:
        executor.start(call)

    assert all(isinstance(ledger.wait(call), Returned) for call in calls)
    executor.close()


@pytest.mark.parametrize(
    ("exc", "kind", "message"),
    [
        (ValueError("no"), "ValueError", "no"),
        (SystemExit(3), "SystemExit", "handler called sys.exit(3)"),
        (KeyboardInterrupt(), "KeyboardInterrupt", ""),
        (GeneratorExit("gone"), "GeneratorExit", "gone"),
        (Cancelled("by itself"), "rota.errors.Cancelled", "by itself"),
        (MemoryError("full"), "MemoryError", "full"),
    ],
)
def test_whatever_a_handler_raises_is_an_ending_and_the_slot_lives_on(
    executor: ThreadExecutor, ledger: Ledger, exc: BaseException, kind: str, message: str
) -> None:
    call, after = call_of(raising(exc)), call_of(lambda: "alive")
    executor.start(call)
    executor.start(after)

    raised = ledger.raised(call)

    assert (raised.error.type, raised.error.message) == (kind, message)
    assert raised.types[0] == kind
    assert raised.exception is exc
    assert not raised.gives_up
    assert ledger.value(after) == "alive"


@pytest.mark.parametrize(
    ("after", "expected_s"), [(None, None), ("1m30s", 90.0), (2.5, 2.5), ("soon", None)]
)
def test_a_handler_can_ask_for_another_attempt(
    executor: ThreadExecutor, ledger: Ledger, after: str | float | None, expected_s: float | None
) -> None:
    call = call_of(raising(Retry("busy", after=after)))
    executor.start(call)

    raised = ledger.raised(call)

    assert raised.wants_retry
    assert raised.retry_after_s == expected_s
    assert "busy" in raised.error.message


def test_a_result_that_is_not_json_is_not_tried_again(
    executor: ThreadExecutor, ledger: Ledger
) -> None:
    def handler() -> object:
        return threading.Lock()

    call = call_of(handler)
    executor.start(call)

    raised = ledger.raised(call)

    assert raised.gives_up
    assert "JSON" in raised.error.message


def test_a_result_that_is_too_large_is_not_tried_again(
    executor: ThreadExecutor, ledger: Ledger
) -> None:
    call = call_of(lambda: "x" * 2_000_000)
    executor.start(call)

    raised = ledger.raised(call)

    assert raised.gives_up
    assert raised.error.type == "rota.errors.PayloadTooLarge"


def test_arguments_that_no_longer_decode_are_not_tried_again(
    executor: ThreadExecutor, ledger: Ledger
) -> None:
    def resize(width: int) -> None:
        raise AssertionError(width)

    call = call_of(resize, breadth=3)
    executor.start(call)

    raised = ledger.raised(call)

    assert raised.gives_up
    assert "the stored arguments of resize cannot be used any more" in raised.error.message


def test_a_forked_child_leaves_at_once_and_reports_nothing(
    executor: ThreadExecutor, ledger: Ledger, tmp_path: Path
) -> None:
    def forks() -> int:
        return os.fork()

    call = call_of(forks)
    executor.start(call)
    child = ledger.value(call)

    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert len(ledger.endings(call)) == 1


def test_a_handler_knows_its_run(executor: ThreadExecutor, ledger: Ledger) -> None:
    def handler() -> list[object]:
        run = current_run()
        run.check()
        left = run.remaining()
        assert left is not None
        return [run.id, run.job, run.attempt, run.fence, run.cancelled, 0 < left <= 60]

    call = call_of(handler, timeout_s=60.0)
    executor.start(call)

    assert ledger.value(call) == [call.lease.run_id, "handler", 1, 7, False, True]


def test_the_idempotency_key_is_the_same_over_attempts(
    executor: ThreadExecutor, ledger: Ledger
) -> None:
    call = call_of(lambda: current_run().idempotency_key)
    again = call_of(lambda: current_run().idempotency_key)
    again.lease = msgspec.structs.replace(call.lease, attempt=2, fence=9)
    other = call_of(lambda: current_run().idempotency_key)
    for each in (call, again, other):
        executor.start(each)

    assert ledger.value(call) == ledger.value(again) != ledger.value(other)


def test_outside_a_handler_there_is_no_current_run_and_progress_is_nothing() -> None:
    progress(0.5)

    with pytest.raises(RotaError, match="inside a handler"):
        current_run()


def test_only_the_latest_progress_of_a_run_is_kept(
    executor: ThreadExecutor, ledger: Ledger, board: ProgressBoard
) -> None:
    def handler() -> None:
        progress(0.1)
        progress(7, "x" * 10_000 + "\0")

    call = call_of(handler)
    executor.start(call)
    ledger.wait(call)

    (latest,) = board.take()
    assert latest[:3] == AttemptProgress(call.lease.run_id, 7, 1.0, "")[:3]
    assert len(latest.note) < 600
    assert board.take() == []


def test_context_variables_of_one_handler_are_not_seen_by_the_next(ledger: Ledger) -> None:
    executor = ThreadExecutor(slots=1, started=ledger.started, done=ledger.done)
    tenant: ContextVar[str] = ContextVar("tenant", default="none")

    def handler() -> str:
        before = tenant.get()
        tenant.set("a")
        return before

    first, second = call_of(handler), call_of(handler)
    executor.start(first)
    executor.start(second)

    assert ledger.value(second) == "none"
    executor.close()


def test_output_at_the_end_of_full_load_belongs_to_its_attempt(
    ledger: Ledger, capsys: pytest.CaptureFixture[str]
) -> None:
    """Pages are taken away one after the other; until then a thread prints to its own."""
    book = LogBuffer(Masker())
    capture.start()
    pages.want(book, wanted=True)
    executor = ThreadExecutor(slots=1, started=ledger.started, done=ledger.done)
    try:
        for text in ("at full load", "while it ends"):
            call = call_of(lambda text=text: sys.stdout.write(f"{text}\n") and None)
            call.log_buffer = book
            executor.start(call)
            assert ledger.value(call) is None
            if call.page is not None:
                call.page.end(call)
            pages.are_wanted = False
        pages.want(book, wanted=False)
    finally:
        capture.stop()
        executor.close()

    assert texts(book) == ["at full load", "while it ends"]
    assert capsys.readouterr().out == ""
