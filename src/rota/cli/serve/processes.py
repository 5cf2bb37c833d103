"""Processes under one command: one that dies is started again, one that ends ends all.

The top process does nothing but wait. Each of its members has a process of its own, worker members
a supervisor with a worker below; so no process that a handler can reach by `os.getppid()` is the
last one that could start it again.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING, NamedTuple

from rota.clock import elapsed_s
from rota.notices import emit

if TYPE_CHECKING:
    from rota.runtime.lifeline import Lifeline
    from rota.runtime.supervisor import Incarnation, Rests

Serve = Callable[["Incarnation"], int]
STOPPING = (signal.SIGTERM, signal.SIGINT)
TOLD_EARLY = (-signal.SIGTERM, 128 + signal.SIGTERM)
"""Exit codes of a process that was told to stop before it, or its child, handled signals."""
STEADY_S = 10.0
"""A process that has lived this long may be started again after an error."""
BROKEN = 70
"""The exit code after an unforeseen error."""


class ProcessSpec(NamedTuple):
    """The work of one process of the crew; it returns the exit code when it has to end."""

    name: str
    work: Callable[[], int]


def serve_all(processes: int, serve: Serve) -> int:
    """Run worker processes until one says that it cannot serve, or TERM or INT ends all."""
    return run_crew([worker_member(serve) for _ in range(processes)])


def worker_member(serve: Serve) -> ProcessSpec:
    """Return a supervisor and its worker; the next worker knows which one died before it."""
    from rota.runtime.lifeline import Lifeline
    from rota.runtime.supervisor import supervise

    line: Lifeline = Lifeline()
    return ProcessSpec("supervisor", lambda: supervise(serve, line))


def run_crew(members: Sequence[ProcessSpec]) -> int:
    """Run the members; return the highest exit code, after all have ended."""
    return _ProcessGroup(members).run()


class _ProcessGroup:
    def __init__(self, members: Sequence[ProcessSpec]) -> None:
        from rota.runtime.supervisor import Rests

        self._members = members
        self._pids: dict[int, int] = {}
        """The living processes, with the member that each belongs to."""
        self._born_s = [0.0] * len(members)
        self._rests: list[Rests] = [Rests() for _ in members]
        self._due_s: dict[int, float] = {}
        """The time at which each dead member is started again."""
        self._is_stopping = False

    def run(self) -> int:
        signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
        for number in STOPPING:
            signal.signal(number, self._forward)
        reader, writer = os.pipe()  # what a signal has to say must not be slept over
        for end in (reader, writer):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, _nothing)
        for at in range(len(self._members)):
            self._start(at)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
        codes = [0]
        while self._pids or self._due_s:
            codes += self._ended()
            self._start_due()
            self._sleep(reader)
        return max(codes)

    def _start(self, at: int) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
        self._born_s[at] = elapsed_s()
        self._pids[fork(self._members[at].work, os.getpid())] = at
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)

    def _start_due(self) -> None:
        for at, due_s in tuple(self._due_s.items()):
            if self._is_stopping or due_s <= elapsed_s():
                del self._due_s[at]
                if not self._is_stopping:
                    self._start(at)

    def _sleep(self, reader: int) -> None:
        now_s = elapsed_s()
        waits_s = min((due_s - now_s for due_s in self._due_s.values()), default=1.0)
        if self._pids or self._due_s:
            select.select([reader], [], [], max(0.0, waits_s))
            with suppress(BlockingIOError):
                os.read(reader, 512)

    def _ended(self) -> list[int]:
        """Return the exit codes of members that have ended for good."""
        codes: list[int] = []
        while self._pids:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            at = self._pids.pop(pid, None)
            code = os.waitstatus_to_exitcode(status)
            if at is None:  # a child that somebody left to us
                continue
            if self._is_stopping:
                codes.append(0 if code in TOLD_EARLY else _shown(code))
            elif self._comes_again(at, code):
                self._plan(at, code)
            else:
                codes.append(_shown(code))
                self._stop_all()
        return codes

    def _comes_again(self, at: int, code: int) -> bool:
        """Whether a member that ended unasked is started again.

        It is not if it exited with a code of its own, or failed before it had lived for long.
        """
        lived_s = elapsed_s() - self._born_s[at]
        return code <= 0 or (code == BROKEN and lived_s > STEADY_S)

    def _plan(self, at: int, code: int) -> None:
        pause_s = self._rests[at].after(elapsed_s() - self._born_s[at])
        self._due_s[at] = elapsed_s() + pause_s
        name = self._members[at].name
        emit("process.died", process=name, exit_code=_shown(code), restart_in_s=pause_s)

    def _stop_all(self) -> None:
        self._is_stopping = True
        for pid in tuple(self._pids):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)

    def _forward(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002  # signal's protocol
        self._stop_all()


def fork(work: Callable[[], int], parent: int) -> int:
    """Start `work` in a process that dies with its parent; call it with signals blocked."""
    from rota.runtime.supervisor import die_with

    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return pid
    code = BROKEN
    try:
        signal.set_wakeup_fd(-1)
        # Own process group: Ctrl-C in a terminal reaches our parent, which signals each of us once.
        os.setpgid(0, 0)
        for number in (*STOPPING, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
        die_with(parent)
        code = work()
    except BaseException:  # noqa: BLE001  # nothing may return into the parent's code
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _shown(code: int) -> int:
    return 128 - code if code < 0 else code


def _nothing(number: int, frame: FrameType | None) -> None:
    """Do nothing: the byte of the signal in the pipe has woken us."""
