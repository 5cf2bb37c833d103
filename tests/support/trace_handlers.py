"""Handlers that leave traces in files, importable by name from any process.

A run that lost its worker is tried again in a process of its own, which cannot import a test's
local function.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from contextvars import copy_context
from pathlib import Path
from typing import NamedTuple

from rota.errors import Cancelled, TimedOut
from rota.runtime.attempts.context import current_run


class Trace(NamedTuple):
    """One line that a handler left."""

    event: str
    run_id: str
    attempt: int
    fence: int
    pid: int


def leave_trace(path: str, event: str) -> None:
    """Append a line; short enough that any number of processes write theirs in one piece."""
    run = current_run()
    line = f"{event} {run.id} {run.attempt} {run.fence} {os.getpid()}\n"
    with Path(path).open("a") as file:
        file.write(line)


def traces(path: Path, event: str | None = None) -> list[Trace]:
    """Return the traces that handlers left so far, in order."""
    if not path.exists():
        return []
    # A line that crosses a page of the file is seen before it is whole.
    whole, _, _ = path.read_text().rpartition("\n")
    lines = [line.split() for line in whole.splitlines()]
    all_ = [Trace(kind, run, int(n), int(fence), int(pid)) for kind, run, n, fence, pid in lines]
    return [trace for trace in all_ if event in (None, trace.event)]


def open_gate(gate: Path, *, fence: int | None = None) -> None:
    """Let slow handlers end: all of them, or the one with that fence."""
    (gate if fence is None else gate.with_name(f"{gate.name}.{fence}")).touch()


def _is_open(gate: str) -> bool:
    return Path(gate).exists() or Path(f"{gate}.{current_run().fence}").exists()


def work(path: str) -> int:
    """Leave a trace and return the number of the attempt."""
    leave_trace(path, "did")
    return current_run().attempt


def work_slowly(path: str, gate: str) -> int:
    """Begin, wait until the gate is open, end; leave a trace at each step, and at a stop."""
    leave_trace(path, "began")
    try:
        while not _is_open(gate):
            time.sleep(0.005)
    except (Cancelled, TimedOut):
        leave_trace(path, "stopped")
        raise
    leave_trace(path, "ended")
    return current_run().attempt


def work_deafly(path: str, gate: str) -> int:
    """Work slowly and ignore stops: the stop is raised in a thread that only waits."""
    is_deaf = threading.Event()

    def body() -> None:
        is_deaf.wait()
        leave_trace(path, "began")
        while not _is_open(gate):
            time.sleep(0.005)
        leave_trace(path, "ended")

    thread = threading.Thread(target=copy_context().run, args=(body,), daemon=True)
    thread.start()
    while True:
        with contextlib.suppress(Cancelled, TimedOut):
            is_deaf.set()
            thread.join()
            return current_run().attempt
