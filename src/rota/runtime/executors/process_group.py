"""Process groups: signals to a program and all it started, and exit codes in words."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import threading
from pathlib import Path

from rota.runtime.executors.orphan_killer import orphan_killer

POLL_MS = 50
"""How late an exit is noticed where the system has no pidfd."""


class ProcessGroup:
    """A started process that leads a session of its own.

    Signals go to the whole group, and only until it was reaped: afterwards the number may belong to
    another process.
    """

    def __init__(self, popen: subprocess.Popen[bytes]) -> None:
        self.popen = popen
        self._lock = threading.Lock()
        self._is_gone = False
        self._timer: threading.Timer | None = None
        orphan_killer.watch(popen.pid)
        self.exit_fd = _pidfd(popen.pid)
        """Becomes readable when the leader ends; None on a system without pidfd."""

    def send(self, number: signal.Signals) -> None:
        """Send to every process of the group; nothing if it is gone."""
        with self._lock:
            if not self._is_gone:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.popen.pid, number)

    def send_leader(self, number: signal.Signals) -> None:
        """Send to the leader alone, not to the processes it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            self.popen.send_signal(number)

    def kill_after(self, grace_s: float) -> None:
        """Kill the group when the grace is over, unless it is gone by then."""
        with self._lock:
            if self._timer is None and not self._is_gone:
                self._timer = threading.Timer(grace_s, self.send, (signal.SIGKILL,))
                self._timer.daemon = True
                self._timer.start()

    def spare(self) -> None:
        """Cancel the kill: the attempt that it was meant for has ended."""
        with self._lock:
            timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()

    def has_members(self) -> bool:
        """Whether any process of the group still runs; call it after the leader was waited for."""
        try:
            os.killpg(self.popen.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return _has_living(self.popen.pid)

    def wait(self) -> int:
        """Wait for the leader and return its exit code, negative for a signal."""
        return self.popen.wait()

    def release(self) -> None:
        """Send no signal from here on."""
        self.spare()
        with self._lock:
            if not self._is_gone:
                orphan_killer.forget(self.popen.pid)
            self._is_gone = True
            exit_fd, self.exit_fd = self.exit_fd, None
        if exit_fd is not None:
            os.close(exit_fd)


def wait_readable(fds: list[int], group: ProcessGroup, timeout_ms: int | None = None) -> set[int]:
    """Wait until a pipe has something or the leader ended; return the readable pipes.

    May return early with nothing; the caller checks the process and calls again.
    """
    poll = select.poll()
    for fd in fds:
        poll.register(fd, select.POLLIN)
    if group.exit_fd is not None:
        poll.register(group.exit_fd, select.POLLIN)
    else:
        timeout_ms = POLL_MS if timeout_ms is None else min(POLL_MS, timeout_ms)
    return {fd for fd, _ in poll.poll(timeout_ms)}


def exit_in_words(code: int) -> str:
    """Return an exit code of subprocess in words: `exited with 3`, `killed by SIGSEGV`."""
    if code >= 0:
        return f"exited with {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


def _pidfd(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _has_living(group_id: int) -> bool:
    """Whether the group has more than zombies: in many containers nobody reaps orphans."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, group, *_ = stat.read_text(errors="replace").rpartition(")")[2].split()
        except (OSError, ValueError):  # it ended while we looked
            continue
        if group == str(group_id) and state not in "ZX":
            return True
    return not Path("/proc/self/stat").exists()
