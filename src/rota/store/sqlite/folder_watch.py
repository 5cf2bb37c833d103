"""Watches the files of a store with inotify, for changes since the last look.

The system notes a change before the call that makes it returns, so a look that finds nothing proves
that each name still leads to the same file. It costs a microsecond; checking three files by their
names costs ten, in every commit.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection
from fcntl import ioctl
from pathlib import Path
from struct import Struct
from termios import FIONREAD
from threading import Lock
from typing import NamedTuple

from rota.store.descriptors import StillPoll
from rota.store.sqlite.inotify import CREATE, DELETE, DELETE_SELF, MODIFY, MOVE_SELF, MOVED, watched

_NAMES = CREATE | DELETE | MOVED
_EVENT = Struct("iIII")
"""Watch, kind, cookie, bytes of the name that follows."""
_NO_BYTES = bytes(4)

_generation = [0]
"""How many forks lie between the first process and this one; cheaper to read than its id."""


def _forked() -> None:
    _generation[0] += 1


os.register_at_fork(after_in_child=_forked)


class Changes(NamedTuple):
    """Changes that may have happened."""

    is_moved: bool
    """Whether one of the names leads to another file, or to none."""
    is_written: bool
    """Whether the database itself was written to."""


NOTHING = Changes(is_moved=False, is_written=False)
ANYTHING = Changes(is_moved=True, is_written=True)


class FolderWatch:
    """Watches names of a folder, and writes to one of them; from any thread.

    Without inotify, it reports that anything may have happened.
    """

    def __init__(self, folder: Path, names: Collection[str], *, database: str) -> None:
        self._names = {os.fsencode(name) for name in names}
        self._generation = _generation[0]
        self._looking = Lock()
        watches = watched((folder, _NAMES | DELETE_SELF | MOVE_SELF), (folder / database, MODIFY))
        self._handle = None if watches is None else watches[0]
        self._of_database = -1 if watches is None else watches[1][1]
        self._still = None if watches is None else StillPoll(watches[0])

    def is_quiet(self) -> bool:
        """Whether nothing happened since the last look, which may still be in progress."""
        if self._handle is None or self._generation != _generation[0]:
            return False
        try:
            return ioctl(self._handle, FIONREAD, _NO_BYTES) == _NO_BYTES
        except OSError:
            return False

    def is_still(self) -> bool:
        """Whether nothing happened since the last look and the canary lives.

        For one thread at a time. One `poll` answers both, in half the time of `is_quiet`.
        """
        is_ours = self._generation == _generation[0]
        return is_ours and self._still is not None and self._still.is_still()

    def look(self) -> Changes:
        """Return the changes since the last call."""
        if self._handle is None or self._generation != _generation[0]:
            return ANYTHING  # a fork would take the events of its parent
        with self._looking:  # so that no other thread just found something
            try:
                waiting = int.from_bytes(ioctl(self._handle, FIONREAD, _NO_BYTES), sys.byteorder)
                return self._read(os.read(self._handle, waiting)) if waiting else NOTHING
            except OSError:
                return ANYTHING

    def close(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = self._still = None

    def _read(self, events: bytes) -> Changes:
        is_moved = is_written = False
        at = 0
        while at < len(events):
            watch, kind, _, size = _EVENT.unpack_from(events, at)
            at += _EVENT.size + size
            if kind & MODIFY and watch == self._of_database:
                is_written = True
            elif not kind & _NAMES:
                return ANYTHING  # the folder itself, or more events than the system keeps
            elif events[at - size : at].rstrip(b"\0") in self._names:
                is_moved = True
        return Changes(is_moved, is_written)
