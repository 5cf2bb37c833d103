"""A guard rail: a handler that would end its own service by a signal gets an error instead.

`os.kill(os.getppid(), 9)` and `os.kill(0, SIGTERM)` are written by people who mean a child of
theirs, and in a worker they hit the worker, its supervisor and all runs beside. It is no sandbox:
code in C, or a program, can still send any signal that the user of this process may.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from typing import Any

HARMLESS = frozenset(
    {0, signal.SIGCHLD, signal.SIGCONT, signal.SIGURG, signal.SIGWINCH}
)  # fmt: skip
_WATCHED = frozenset({"os.kill", "os.killpg"})
EVERYBODY = -1


def guard_signals(*pids: int) -> None:
    """Forbid this process and its forks to signal these processes, from now on.

    It cannot be undone; use it in processes whose only purpose is to carry out runs.
    """
    guarded = frozenset(pids)

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event not in _WATCHED:
            return
        target, number = args
        if number not in HARMLESS and _hits(guarded, target, to_group=event == "os.killpg"):
            raise PermissionError(
                errno.EPERM,
                f"a handler may not send {_name(number)} to its worker, which other runs share; "
                "raise an exception to fail this run",
            )

    sys.addaudithook(hook)


def _hits(guarded: frozenset[int], target: int, *, to_group: bool) -> bool:
    if target > 0 and not to_group:
        return target in guarded
    if target == EVERYBODY:
        return True
    group = abs(target) or os.getpgid(0)
    return any(_group_of(pid) == group for pid in guarded)


def _group_of(pid: int) -> int | None:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return None


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
