"""Processes of the harness: started in groups of their own, ended by id, never by name."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

GRACE_S = 5.0
_ERROR = re.compile(r"[\w.]*(Error|Exception): ")


class PeerFailed(Exception):
    """A peer could not be installed, started or measured; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the processes of one round run: their folder, environment and log."""

    folder: Path
    env: Mapping[str, str]

    @property
    def log(self) -> Path:
        return self.folder / "log"

    def log_tail(self) -> str:
        """Return the last error that the processes wrote, or else their last words."""
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        errors = [line for line in lines if _ERROR.match(line)]
        return (errors or lines or ["nothing logged"])[-1]


@contextlib.contextmanager
def running(
    command: Sequence[str], *, place: Place, count: int
) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Keep `count` copies of a command running inside the block, and none after it."""
    with contextlib.ExitStack() as stack:
        log = stack.enter_context(place.log.open("ab"))
        started: list[subprocess.Popen[bytes]] = []
        stack.callback(_end_all, started)
        for _ in range(count):
            started.append(  # noqa: PERF401 - each must be known to _end_all before the next starts
                subprocess.Popen(
                    command,
                    cwd=place.folder,
                    env=place.env,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            )
        yield started


def _end_all(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        process.terminate()
    deadline = time.monotonic() + GRACE_S
    for process in processes:
        end(process, grace_s=max(0.1, deadline - time.monotonic()))


def end(process: subprocess.Popen[bytes], *, grace_s: float = GRACE_S) -> None:
    """Ask a process to stop, then kill what is left of the group it leads."""
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(grace_s)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def resident_mb(processes: Sequence[subprocess.Popen[bytes]]) -> float:
    """Add up the resident memory of the processes and all their children."""
    try:
        parents = [psutil.Process(process.pid) for process in processes]
        family = [one for parent in parents for one in (parent, *parent.children(recursive=True))]
        return sum(one.memory_info().rss for one in family) / 1e6
    except psutil.NoSuchProcess as gone:
        raise PeerFailed(f"a worker ended while it was idle: {gone}") from gone
