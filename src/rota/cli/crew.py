"""Several worker processes under one command, each with a supervisor of its own."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rota.runtime.supervisor import Incarnation

Serve = Callable[["Incarnation"], int]
STOPPING = (signal.SIGTERM, signal.SIGINT)


def serve_all(processes: int, serve: Serve) -> int:
    """Serve until all have ended; the highest exit code counts. TERM and INT are passed on."""
    from rota.runtime.supervisor import supervise

    if processes == 1:
        return supervise(serve)
    pids: list[int] = []

    def forward(number: int, frame: FrameType | None) -> None:  # noqa: ARG001  # signal's protocol
        for pid in pids:
            os.kill(pid, signal.SIGTERM)

    # Blocked while forking: a signal in between would miss the children not yet in the list.
    signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
    for number in STOPPING:
        signal.signal(number, forward)
    parent = os.getpid()

    pids += [fork(lambda: supervise(serve), parent) for _ in range(processes)]
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
    codes = []
    while pids:
        codes.append(_exit_code(os.waitpid(pids[0], 0)[1]))
        del pids[0]
    return max(codes)


def fork(work: Callable[[], int], parent: int) -> int:
    """Start `work` in a process that dies with its parent; call it with signals blocked."""
    from rota.runtime.supervisor import die_with

    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        # A group of its own: Ctrl-C in a terminal reaches our parent, which tells each of us once.
        os.setpgid(0, 0)
        for number in STOPPING:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
        die_with(parent)
        code = work()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _exit_code(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    return 128 - code if code < 0 else code
