"""Handlers in real child processes: crashes, memory, stopping, scripts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rota.rules.runs.effect_keys import idempotency_key
from rota.runtime.attempts.attempt import Crashed, Returned, Stopped
from rota.runtime.attempts.context import ProgressBoard
from rota.runtime.executors.process.executor import ProcessExecutor
from tests.support import handlers
from tests.support.calls import Ledger, call_of, eventually
from tests.support.programs import is_alive, pids_in


@pytest.fixture(scope="module")
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture(scope="module")
def board() -> ProgressBoard:
    return ProgressBoard()


@pytest.fixture(scope="module")
def executor(ledger: Ledger, board: ProgressBoard) -> Iterator[ProcessExecutor]:
    executor = ProcessExecutor(
        slots=2, started=ledger.started, done=ledger.done, progress=board, grace_s=0.3
    )
    yield executor
    executor.close()


@pytest.fixture(scope="module")
def single(ledger: Ledger) -> Iterator[ProcessExecutor]:
    """One slot, so that calls in a row meet the same child."""
    executor = ProcessExecutor(slots=1, started=ledger.started, done=ledger.done)
    yield executor
    executor.close()


def test_sync_and_async_handlers_run_in_a_warm_child(
    single: ProcessExecutor, ledger: Ledger
) -> None:
    first, second, third = call_of(handlers.add, a=40), call_of(handlers.pid), call_of(handlers.pid)
    again = call_of(handlers.add_async, a=1, b=1)
    for call in (first, second, third, again):
        single.start(call)
        ledger.wait(call)

    assert ledger.value(first) == 42
    assert ledger.value(again) == 2
    assert ledger.value(second) == ledger.value(third) != os.getpid()
    assert call in ledger.begun


def test_a_job_object_is_unwrapped(executor: ProcessExecutor, ledger: Ledger) -> None:
    call = call_of(handlers.add, ref="tests.support.handlers:wrapped", a=1)
    executor.start(call)

    assert ledger.value(call) == 3


def test_a_handler_knows_its_run_and_its_progress_arrives(
    executor: ProcessExecutor, ledger: Ledger, board: ProgressBoard
) -> None:
    about, tells = call_of(handlers.about_me, timeout_s=60), call_of(handlers.tells)
    executor.start(about)
    executor.start(tells)
    run_id = about.lease.run_id

    assert ledger.value(about) == [run_id, 1, 7, idempotency_key(run_id, "about_me"), True]
    assert ledger.value(tells) is None
    assert board.take() == [(tells.lease.run_id, 7, 1.0, "step 100")]


@pytest.mark.parametrize(
    ("fn", "kind", "message", "gives_up"),
    [
        (handlers.fails, "tests.support.handlers.OddError", "odd", False),
        (handlers.exits, "SystemExit", "handler called sys.exit(3)", False),
        (handlers.not_json, "rota.errors.BadResult", "returned no JSON", True),
        (handlers.too_large, "rota.errors.PayloadTooLarge", "limit is", True),
    ],
)
def test_a_handler_that_fails_leaves_its_child_alive(
    single: ProcessExecutor, ledger: Ledger, fn: Any, kind: str, message: str, gives_up: object
) -> None:
    before, call, after = call_of(handlers.pid), call_of(fn), call_of(handlers.pid)
    for each in (before, call, after):
        single.start(each)
        ledger.wait(each)

    raised = ledger.raised(call)

    assert raised.error.type == kind
    assert message in raised.error.message
    assert raised.types[0] == kind
    assert raised.gives_up is gives_up
    assert ledger.value(before) == ledger.value(after)


def test_a_retry_wish_comes_through(executor: ProcessExecutor, ledger: Ledger) -> None:
    call = call_of(handlers.wants_more)
    executor.start(call)

    raised = ledger.raised(call)

    assert (raised.wants_retry, raised.retry_after_s) == (True, 5.0)


@pytest.mark.parametrize(
    ("fn", "words"),
    [
        (handlers.segfaults, "killed by SIGSEGV"),
        (handlers.leaves, "exited with 3"),
        (handlers.is_killed, "killed by SIGKILL"),
    ],
)
def test_a_crash_is_told_in_words_and_hurts_no_other_call(
    executor: ProcessExecutor, ledger: Ledger, tmp_path: Path, fn: Any, words: str
) -> None:
    beside, call, after = (
        call_of(handlers.spins, path=str(tmp_path / "beside")),
        call_of(fn),
        call_of(handlers.add, a=1),
    )
    executor.start(beside)
    executor.start(call)
    ending = ledger.wait(call)
    executor.start(after)

    assert isinstance(ending, Crashed)
    assert words in ending.error.message
    assert ledger.value(after) == 3
    assert ledger.endings(beside) == []

    executor.stop(beside, "cancel")
    assert ledger.wait(beside) == Stopped("cancel")


def test_a_child_killed_while_idle_is_replaced_unseen(
    single: ProcessExecutor, ledger: Ledger
) -> None:
    first, second = call_of(handlers.pid), call_of(handlers.pid)
    single.start(first)
    child = ledger.value(first)
    os.kill(child, signal.SIGKILL)
    eventually(lambda: not is_alive(child))
    single.start(second)

    assert ledger.value(second) != child


@pytest.mark.parametrize(("why", "name"), [("cancel", "Cancelled"), ("timeout", "TimedOut")])
def test_a_handler_is_asked_to_stop_and_its_child_lives_on(
    executor: ProcessExecutor, ledger: Ledger, tmp_path: Path, why: Any, name: str
) -> None:
    path = tmp_path / "said"
    call, after = call_of(handlers.spins, path=str(path)), call_of(handlers.pid)
    executor.start(call)
    (child,) = pids_in(path)
    executor.stop(call, why)

    assert ledger.wait(call) == Stopped(why)
    assert path.read_text() == name
    executor.start(after)
    assert is_alive(child)
    ledger.wait(after)


@pytest.mark.parametrize(("why", "name"), [("cancel", "Cancelled"), ("timeout", "TimedOut")])
def test_a_stop_that_a_finaliser_swallows_is_raised_again(
    executor: ProcessExecutor, ledger: Ledger, tmp_path: Path, why: Any, name: str
) -> None:
    path = tmp_path / "said"
    call = call_of(handlers.spins_after_a_finaliser, path=str(path))
    executor.start(call)
    (child,) = pids_in(path)
    executor.stop(call, why)

    assert ledger.wait(call) == Stopped(why)
    assert path.read_text() == name
    assert is_alive(child)


def test_an_async_handler_is_cancelled(
    executor: ProcessExecutor, ledger: Ledger, tmp_path: Path
) -> None:
    path = tmp_path / "said"
    call = call_of(handlers.spins_async, path=str(path))
    executor.start(call)
    (child,) = pids_in(path)
    executor.stop(call, "timeout")

    assert ledger.wait(call) == Stopped("timeout")
    assert is_alive(child)


def test_a_stop_before_the_child_is_ready_is_not_lost(
    executor: ProcessExecutor, ledger: Ledger, tmp_path: Path
) -> None:
    calls = [call_of(handlers.spins, path=str(tmp_path / str(at))) for at in range(6)]
    for call in calls:
        executor.start(call)
        executor.stop(call, "cancel")

    assert all(ledger.wait(call) == Stopped("cancel") for call in calls)


def test_a_handler_that_ignores_the_request_is_killed_with_all_it_started(
    executor: ProcessExecutor, ledger: Ledger, tmp_path: Path
) -> None:
    path = tmp_path / "pids"
    call, after = call_of(handlers.ignores, path=str(path)), call_of(handlers.add, a=1)
    executor.start(call)
    child, grandchild = pids_in(path, count=2)
    executor.stop(call, "timeout")

    assert ledger.wait(call) == Stopped("timeout")
    eventually(lambda: not is_alive(child) and not is_alive(grandchild))
    executor.start(after)
    assert ledger.value(after) == 3


def test_an_abandoned_call_is_killed_at_once_and_never_ends(
    executor: ProcessExecutor, ledger: Ledger, tmp_path: Path
) -> None:
    path = tmp_path / "pids"
    call, after = call_of(handlers.ignores, path=str(path)), call_of(handlers.add, a=1)
    executor.start(call)
    child, grandchild = pids_in(path, count=2)
    executor.abandon(call)

    eventually(lambda: not is_alive(child) and not is_alive(grandchild))
    executor.start(after)
    assert ledger.value(after) == 3
    assert ledger.endings(call) == []


def test_a_stop_never_breaks_the_pipe_of_a_chatty_child(
    single: ProcessExecutor, ledger: Ledger
) -> None:
    for _ in range(30):
        call = call_of(handlers.chatters, rounds=2_000)
        single.start(call)
        ledger.wait_started(call)
        single.stop(call, "cancel")
        assert isinstance(ledger.wait(call), Stopped | Returned)

    last = call_of(handlers.pid)
    single.start(last)
    assert isinstance(ledger.value(last), int)


def test_a_handler_that_needs_more_memory_than_allowed_fails_alone(
    executor: ProcessExecutor, ledger: Ledger
) -> None:
    modest = call_of(handlers.hogs, mb=20, memory_mb=100)
    hog = call_of(handlers.hogs, mb=500, memory_mb=100)
    free = call_of(handlers.hogs, mb=200)
    for call in (modest, hog, free):
        executor.start(call)

    raised = ledger.raised(hog)

    assert raised.error.type == raised.types[0] == "MemoryError"
    assert "100 MB" in raised.error.message
    assert ledger.value(modest) == 20 * 2**20
    assert ledger.value(free) == 200 * 2**20


def test_a_forked_child_reports_nothing(executor: ProcessExecutor, ledger: Ledger) -> None:
    call, after = call_of(handlers.forks), call_of(handlers.add, a=1)
    executor.start(call)

    assert ledger.value(call) > 0
    executor.start(after)
    assert ledger.value(after) == 3


def test_a_function_that_cannot_be_imported_is_refused_in_words(
    executor: ProcessExecutor, ledger: Ledger
) -> None:
    def local() -> None: ...

    calls = [
        call_of(local),
        call_of(handlers.add, ref="no.such.module:add", a=1),
        call_of(handlers.add, ref="tests.support.handlers:missing", a=1),
    ]
    for call in calls:
        executor.start(call)
    messages = [ledger.raised(call).error.message for call in calls]

    assert "is a function of a module" in messages[0]
    assert "No module named 'no'" in messages[1]
    assert "has no missing" in messages[2]


def test_handlers_of_a_script_are_found_by_its_path(
    executor: ProcessExecutor, ledger: Ledger, tmp_path: Path
) -> None:
    script = tmp_path / "shop.py"
    script.write_text(
        textwrap.dedent("""
        from __future__ import annotations
        from dataclasses import dataclass

        class Sold(Exception): ...

        @dataclass
        class Cat:
            name: str
            mother: Cat | None = None

        def feed(cat: Cat) -> str:
            return f"{cat.name} {__name__}"

        def sell() -> None:
            raise Sold("gone")

        if __name__ == "__main__":
            raise SystemExit("must not run")
        """)
    )
    feed = call_of(handlers.add, ref=f"{script}:feed", cat={"name": "Tom"})
    sell = call_of(handlers.add, ref=f"{script}:sell")
    executor.start(feed)
    executor.start(sell)

    assert ledger.value(feed) == "Tom __rota_child__"
    raised = ledger.raised(sell)
    assert raised.error.type == "shop.Sold"


def test_calls_that_have_not_started_can_be_withdrawn(
    executor: ProcessExecutor, ledger: Ledger, tmp_path: Path
) -> None:
    running = [call_of(handlers.spins, path=str(tmp_path / str(at))) for at in range(2)]
    waiting = [call_of(handlers.pid) for _ in range(3)]
    for call in (*running, *waiting):
        executor.start(call)
    for call in running:
        ledger.wait_started(call)

    assert executor.withdraw() == waiting

    for call in running:
        executor.stop(call, "drain")
        ledger.wait(call)


def test_children_die_with_their_worker(tmp_path: Path) -> None:
    path = tmp_path / "pid"
    script = textwrap.dedent(f"""
        import time
        from tests.support import handlers
        from tests.support.calls import Ledger, call_of
        from rota.runtime.executors.process.executor import ProcessExecutor

        ledger = Ledger()
        executor = ProcessExecutor(slots=1, started=ledger.started, done=ledger.done)
        executor.start(call_of(handlers.spins, path={str(path)!r}))
        time.sleep(60)
    """)
    worker = subprocess.Popen([sys.executable, "-c", script])
    (child,) = pids_in(path)
    worker.kill()
    worker.wait()

    eventually(lambda: not is_alive(child))
