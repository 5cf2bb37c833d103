"""Presence on one machine: a process is known by its pid and start, within its pid namespace.

For SQLite, whose users share a machine. Without /proc nobody can be seen, and leases decide.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

_PROC = Path("/proc")
_AFTER_NAME = 2  # pid and (name) come before; the name may hold anything, also spaces and brackets
_STATE, _START = 2 - _AFTER_NAME, 21 - _AFTER_NAME
_DEAD = {"Z", "X", "x"}


class Processes:
    """Sees the processes of this machine and of this process's pid namespace."""

    is_certain = True

    def mine(self) -> str | None:
        """Return `boot/namespace/pid/start`; pids of other boots or containers mean others."""
        locality, start = _locality(), _start(os.getpid())
        return f"{locality}/{os.getpid()}/{start}" if locality and start else None

    def gone(self, presences: Collection[str]) -> set[str]:
        locality = _locality()
        return {each for each in presences if locality and _is_gone(each, locality)}


def _is_gone(presence: str, locality: str) -> bool:
    where, pid, start = presence.rsplit("/", 2)
    return where == locality and _start(int(pid)) != start


def _locality() -> str | None:
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{(_PROC / 'self/ns/pid').stat().st_ino}"
    except OSError:
        return None


def _start(pid: int) -> str | None:
    """Return when the process started, in ticks since boot; None when it has ended."""
    try:
        fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[_STATE] in _DEAD else fields[_START]
