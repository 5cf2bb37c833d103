"""A canary among the file descriptors of this process.

Code that closes descriptors which it did not open (`os.closerange(3, 4096)`) takes those of our
databases, too, and their numbers soon belong to other files: what we write would go there. The
canary is a pipe that nobody uses; when its number is free, or somebody else's, nothing of ours can
be trusted any more.
"""

from __future__ import annotations

import os
from threading import Lock

from rota.errors import StoreLost

_lock = Lock()
_canary: list[tuple[int, int]] = []
"""Its number and what the system knows it by; empty until a store is opened."""


def set_canary() -> None:
    """Called when a store is opened; one is enough for a process and for its forks."""
    with _lock:
        if not _canary:
            reader, writer = os.pipe()
            os.close(writer)
            _canary.append((reader, os.fstat(reader).st_ino))


def are_closed() -> bool:
    """Whether somebody has closed descriptors that are not theirs."""
    if not _canary:
        return False
    number, known = _canary[0]
    try:
        return os.fstat(number).st_ino != known
    except OSError:
        return True


def check_descriptors() -> None:
    """Refuse to write into what may be anybody's file; costs less than a microsecond."""
    if are_closed():
        raise StoreLost(
            "file descriptors of this process were closed by code that had not opened them "
            "(os.closerange, for instance), those of the database among them; start the process "
            "again"
        )
