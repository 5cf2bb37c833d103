"""A worker in this process: timeouts and cancellation, for each kind of handler."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rota.app import App, Job, Run
from rota.errors import Cancelled, NotAllowed, TimedOut
from rota.model.states import State
from tests.integration.conftest import BOTH_SOURCES, Serve
from tests.support import handlers
from tests.support.calls import eventually
from tests.support.programs import is_alive, pids_in

NEVER_S = 60.0
GRANDCHILD = "sleep 60 & echo $$ $! > $1; trap '' TERM; while :; do sleep 0.05; done"


class Deaf:
    """A sync handler that ignores every stop until it is let go."""

    def __init__(self) -> None:
        self.started = threading.Event()
        self.release = threading.Event()
        self.left = threading.Event()

    def __call__(self) -> None:
        self.started.set()
        while not self.release.is_set():
            with contextlib.suppress(Cancelled, TimedOut):
                time.sleep(0.005)
        self.left.set()


@pytest.fixture
def deaf() -> Iterator[Deaf]:
    handler = Deaf()
    yield handler
    handler.release.set()


def sync_job(app: App, **options: Any) -> Job[[str], None]:
    return app.job(**options)(handlers.spins)


def async_job(app: App, **options: Any) -> Job[[str], Any]:
    return app.job(**options)(handlers.spins_async)


def process_job(app: App, **options: Any) -> Job[[str], None]:
    return app.job(isolation="process", **options)(handlers.spins)


def command_job(app: App, **options: Any) -> Job[..., Any]:
    return app.command(
        "spins", ["sh", "-c", 'echo $$ > "$1"; exec sleep 60', "sh", "{path}"], **options
    )


KINDS = pytest.mark.parametrize(
    "make", [sync_job, async_job, process_job, command_job], ids=lambda make: make.__name__
)
Make = Callable[..., Job[..., Any]]
ONE_STORE = pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
"""How a body is stopped has nothing to do with where its run is kept."""


def submit_started(job: Job[..., Any], path: Path) -> Run[Any]:
    """A run whose handler is at work for sure: it wrote its process id."""
    run = job.submit(path=str(path))
    pids_in(path)
    return run


@ONE_STORE
@KINDS
def test_a_handler_that_runs_too_long_is_stopped(
    app: App, serve: Serve, tmp_path: Path, make: Make
) -> None:
    job = make(app, timeout="800ms", retries=0)
    serve()
    run = job.submit(path=str(tmp_path / "pid"))
    ended = run.wait(timeout=20)

    assert (ended.state, ended.reason) == (State.FAILED, "no retries allowed")
    assert ended.error is not None
    assert ended.error.message == "ran longer than its timeout of 800 ms"
    assert [each.kind for each in run.attempts()] == ["timeout"]


@ONE_STORE
@pytest.mark.parametrize("make", [sync_job])
def test_ad_06_a_timeout_is_per_attempt_and_is_retried(
    app: App, serve: Serve, tmp_path: Path, make: Make
) -> None:
    job = make(app, timeout="300ms", retries=2, backoff="none")
    serve()
    run = job.submit(path=str(tmp_path / "pid"))
    run.wait(timeout=20)

    attempts = run.attempts()
    assert [each.kind for each in attempts] == ["timeout"] * 3
    spans = [
        each.ended_at.ms - (each.started_at.ms if each.started_at else 2**62) for each in attempts
    ]
    assert min(spans) >= 300


@ONE_STORE
@BOTH_SOURCES
@KINDS
def test_a_handler_is_stopped_when_its_run_is_cancelled(
    app: App, serve: Serve, tmp_path: Path, make: Make
) -> None:
    job = make(app, retries=5)
    serve()
    run = submit_started(job, tmp_path / "pid")

    assert run.cancel() is State.RUNNING

    ended = run.wait(timeout=20)
    assert (ended.state, ended.reason) == (State.CANCELLED, "cancelled")
    assert [each.kind for each in run.attempts()] == ["cancelled"]
    assert run.cancel() is State.CANCELLED


def test_a_timeout_counts_as_a_failure_and_is_tried_again(app: App, serve: Serve) -> None:
    tries: list[int] = []

    @app.job(timeout="200ms", retries=1, backoff="none")
    def slow_once() -> int:
        tries.append(1)
        while len(tries) == 1:
            time.sleep(0.005)
        return len(tries)

    serve()
    run = slow_once.submit()

    assert run.result(timeout=10) == 2
    assert (run.show().failures, run.show().attempt) == (1, 2)


def test_one_submit_may_bring_a_timeout_of_its_own(app: App, serve: Serve) -> None:
    @app.job(retries=0)
    async def wait() -> None:
        await asyncio.sleep(NEVER_S)

    serve()
    ended = wait.with_options(timeout="150ms").submit().wait(timeout=10)

    assert ended.error is not None
    assert ended.error.type == "TimedOut"


def test_a_sync_handler_that_ignores_its_timeout_is_left_behind_and_its_slot_is_free(
    app: App, serve: Serve, deaf: Deaf
) -> None:
    stubborn = app.job(name="stubborn", timeout="200ms", retries=0)(_call(deaf))
    echo = app.job(name="echo")(_echo)
    serve(slots=1)
    run = stubborn.submit()
    ended = run.wait(timeout=10)

    assert ended.state is State.FAILED
    assert echo.submit(3).result(timeout=10) == 3
    assert not deaf.left.is_set()
    deaf.release.set()
    assert deaf.left.wait(10)
    assert run.state is State.FAILED
    assert [each.kind for each in run.attempts()] == ["timeout"]


def test_a_sync_handler_that_ignores_cancellation_is_left_behind(
    app: App, serve: Serve, deaf: Deaf
) -> None:
    stubborn = app.job(name="stubborn")(_call(deaf))
    echo = app.job(name="echo")(_echo)
    serve(slots=1)
    run = stubborn.submit()
    assert deaf.started.wait(10)
    run.cancel()
    ended = run.wait(timeout=10)

    assert (ended.state, ended.reason) == (State.CANCELLED, "cancelled")
    assert echo.submit(3).result(timeout=10) == 3


def _call(deaf: Deaf) -> Callable[[], None]:
    def handler() -> None:
        deaf()

    return handler


def _echo(number: int) -> int:
    return number


@ONE_STORE
def test_a_process_that_ignores_its_timeout_is_killed_with_what_it_started(
    app: App, serve: Serve, tmp_path: Path
) -> None:
    job = app.job(isolation="process", timeout="1s", retries=0)(handlers.ignores)
    serve()
    run = job.submit(str(tmp_path / "pids"))
    handler, grandchild = pids_in(tmp_path / "pids", 2)
    ended = run.wait(timeout=20)

    assert ended.state is State.FAILED
    assert [each.kind for each in run.attempts()] == ["timeout"]
    eventually(lambda: not is_alive(handler) and not is_alive(grandchild))


@ONE_STORE
def test_a_command_that_ignores_its_timeout_is_killed_with_its_whole_group(
    app: App, serve: Serve, tmp_path: Path
) -> None:
    job = app.command("deaf", ["sh", "-c", GRANDCHILD, "sh", "{path}"], timeout="500ms", retries=0)
    serve()
    run = job.submit(path=str(tmp_path / "pids"))
    shell, grandchild = pids_in(tmp_path / "pids", 2)
    ended = run.wait(timeout=20)

    assert ended.state is State.FAILED
    assert [each.kind for each in run.attempts()] == ["timeout"]
    eventually(lambda: not is_alive(shell) and not is_alive(grandchild))


def test_a_run_that_waits_is_cancelled_at_once_and_never_starts(app: App, serve: Serve) -> None:
    ran: list[str] = []

    @app.job
    def note(name: str) -> None:
        ran.append(name)

    queued, scheduled = note.submit("queued"), note.after("300ms").submit("scheduled")

    assert queued.cancel("not needed") is State.CANCELLED
    assert scheduled.cancel() is State.CANCELLED

    serve()
    note.after("400ms").submit("last").result(timeout=10)
    assert ran == ["last"]
    assert queued.show().reason == "not needed"


def test_a_run_between_two_attempts_can_be_cancelled(app: App, serve: Serve) -> None:
    @app.job(retries=5, retry_delay="1h")
    def broken() -> None:
        raise ValueError("first")

    serve()
    run = broken.submit()
    eventually(lambda: run.state is State.SCHEDULED)

    assert run.cancel() is State.CANCELLED
    assert [each.kind for each in run.attempts()] == ["error"]


def test_a_handler_that_ends_well_before_it_hears_of_the_cancel_has_succeeded_or_is_cancelled(
    app: App, serve: Serve
) -> None:
    @app.job
    def quick(number: int) -> int:
        return number

    serve()
    runs = quick.submit_many(range(200))
    for run in runs:
        with contextlib.suppress(NotAllowed):
            run.cancel()

    ends = {run.wait(timeout=10).state for run in runs}
    assert ends <= {State.SUCCESS, State.CANCELLED}
