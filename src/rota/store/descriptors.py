"""A canary among the file descriptors of this process.

Code that closes descriptors which it did not open (`os.closerange(3, 4096)`) takes those of our
databases, too, and their numbers soon belong to other files: what we write would go there. The
canary is a pipe that nobody uses; when its number is free, or somebody else's, nothing of ours can
be trusted any more.

Its other end is closed, so `poll` reports a hang-up for the canary and for no other file of ours. A
store that polls for something to read learns in the same call whether the canary lives.

The numbers 0, 1 and 2 are looked at beside it: when they are free, the next socket gets one of
them, and what this process logs is written to whoever is at its other end.
"""

from __future__ import annotations

import os
import select
import stat
from threading import Lock

from rota.errors import StoreLost

_lock = Lock()
_canary: list[tuple[int, int]] = []
"""The number of the canary and its identity in the system; empty until a store is opened."""
STANDARD = (0, 1, 2)
_standard: dict[int, tuple[int, int]] = {}
"""The standard descriptors that were open then."""


def set_canary() -> None:
    """Set the canary when a store is opened; one is enough for a process and for its forks."""
    with _lock:
        if not _canary:
            reader, writer = os.pipe()
            os.close(writer)
            _canary.append((reader, os.fstat(reader).st_ino))
            _standard.update(
                (number, (identity.st_dev, identity.st_ino))
                for number in STANDARD
                if (identity := _look(number)) is not None
            )


def are_closed() -> bool:
    """Whether somebody has closed descriptors that are not theirs."""
    if not _canary:
        return False
    number, identity = _canary[0]
    try:
        return os.fstat(number).st_ino != identity
    except OSError:
        return True


class StillPoll:
    """Checks in one call that a descriptor has nothing to read and that the canary lives.

    For one thread at a time. Right after a commit it takes 2 us, an fstat of the canary 5.
    """

    def __init__(self, handle: int) -> None:
        set_canary()
        number, _ = _canary[0]
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        poll.register(number, 0)
        self._ask = poll.poll
        self._stillness = [(number, select.POLLHUP)]

    def is_still(self) -> bool:
        """Whether both hold; if not, the caller looks at each."""
        return self._ask(0) == self._stillness


def are_standard_closed() -> bool:
    """Whether 0, 1 or 2 was closed, or is now something that cannot have been put there.

    Output led into a file or a pipe is fine (`os.dup2`). Takes three fstats: call it now and then,
    and before a new socket is made.
    """
    return any(_is_closed(number, identity) for number, identity in _standard.items())


def check_descriptors(*, deep: bool = False) -> None:
    """Refuse to write into a file that may not be ours; right after a commit it takes 5 us.

    `deep` checks the standard descriptors as well.
    """
    if are_closed() or (deep and are_standard_closed()):
        raise StoreLost(
            "file descriptors of this process were closed by code that had not opened them "
            "(os.closerange, for instance), those of the database among them; start the process "
            "again"
        )


def _is_closed(number: int, expected: tuple[int, int]) -> bool:
    identity = _look(number)
    if identity is None:
        return True
    is_output = stat.S_ISREG(identity.st_mode) or stat.S_ISFIFO(identity.st_mode)
    is_same = (identity.st_dev, identity.st_ino) == expected
    return not (is_same or is_output or stat.S_ISCHR(identity.st_mode))


def _look(number: int) -> os.stat_result | None:
    try:
        return os.fstat(number)
    except OSError:
        return None
