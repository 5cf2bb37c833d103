"""Handlers for tests of child processes; a child imports them by name."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from rota.errors import Cancelled, Retry, TimedOut
from rota.runtime.attempts.context import current_run, progress


class Wrapped:
    """Looks like a job object: the function is in `handler`."""

    def __init__(self, fn: object) -> None:
        self.handler = fn


class OddError(LookupError):
    pass


def add(a: int, b: int = 2) -> int:
    return a + b


async def add_async(a: int, b: int = 2) -> int:
    await asyncio.sleep(0)
    return a + b


wrapped = Wrapped(add)


def pid() -> int:
    return os.getpid()


def about_me() -> list[object]:
    run = current_run()
    left = run.remaining()
    return [run.id, run.attempt, run.fence, run.idempotency_key, left is not None and left > 0]


def tells() -> None:
    for step in range(1, 101):
        progress(step / 100, f"step {step}")


def fails() -> None:
    raise OddError("odd")


def wants_more() -> None:
    raise Retry("busy", after="5s")


def exits() -> None:
    sys.exit(3)


def leaves() -> None:
    os._exit(3)


def segfaults() -> None:
    ctypes.string_at(0)


def is_killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def hogs(mb: int) -> int:
    return len(bytearray(mb * 2**20))


def not_json() -> object:
    return object()


def too_large() -> str:
    return "x" * 2_000_000


def forks() -> int:
    child = os.fork()
    if child:
        os.waitpid(child, 0)
    return child


def spins(path: str) -> None:
    """Report that it runs, then wait; on a stop report which one."""
    Path(path).write_text(str(os.getpid()))
    try:
        while True:
            time.sleep(0.01)
    except (Cancelled, TimedOut) as stop:
        Path(path).write_text(type(stop).__name__)
        raise


def spins_after_a_finaliser(path: str) -> None:
    """Be hit by a stop in a `__del__`, where Python drops it, and spin on."""
    SwallowsAStop(path)
    while True:
        time.sleep(0.01)


class SwallowsAStop:
    """An object whose finaliser ends when an exception is raised in it."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __del__(self) -> None:
        spins(self._path)


async def spins_async(path: str) -> None:
    await asyncio.to_thread(Path(path).write_text, str(os.getpid()))
    await asyncio.Event().wait()


def ignores(path: str) -> None:
    """Start a grandchild, then ignore every request to stop."""
    script = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
    grandchild = subprocess.Popen([sys.executable, "-c", script])
    Path(path).write_text(f"{os.getpid()} {grandchild.pid}")
    while True:
        with contextlib.suppress(Cancelled, TimedOut):
            time.sleep(0.01)


def chatters(rounds: int) -> int:
    """Report progress without a pause, so that stops meet half-written frames."""
    for round_ in range(rounds):
        progress(0.5, "x" * 400 + str(round_))
    return rounds


def fails_in_every_way() -> str:
    """Fail with an error, then a timeout, then the death of its process, then succeed."""
    attempt = current_run().attempt
    if attempt == 1:
        raise OddError("odd")
    if attempt == 2:  # the second
        time.sleep(60)
    if attempt == 3:  # the third
        os._exit(3)
    return "at last"


def scheduled_for() -> int:
    """Return the instant this run is for, in milliseconds."""
    at = current_run().scheduled_for
    return 0 if at is None else round(at.timestamp() * 1000)


def labels_itself(customer: str) -> dict[str, Any]:
    run = current_run()
    assert run.labels == {"old": 1, "team": "billing"}
    run.label({"customer": customer}, old=None)
    return dict(run.label(rows=7))
