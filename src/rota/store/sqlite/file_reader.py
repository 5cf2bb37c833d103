"""Reads a file that SQLite has open in this process, without harm to its locks.

The locks of a file belong to the process, and closing any descriptor of the file drops them all. So
a descriptor that we open stays open until no connection is left that has such locks; all readers of
one file share it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from threading import Lock

import apsw

from rota.store.sqlite.file_guard import by_ourselves

_lock = Lock()
_open: dict[tuple[int, int], tuple[int, int]] = {}
"""Descriptor and number of users, by the file's device and inode."""


class FileReader:
    """Reads the start of one file; opened at the first read, for it may not be there before."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._key: tuple[int, int] | None = None
        self._handle = -1

    def look(self, size: int) -> bytes:
        """Return `size` bytes from the start; fewer if it is shorter, none if it cannot be read."""
        if self._handle < 0:
            self._open()
        try:
            return os.pread(self._handle, size, 0)
        except OSError:
            return b""

    def size(self) -> int | None:
        """Return the length of the file; None if it cannot be told.

        Queried without its times: since Linux 6.13 a query for the time of a change makes the next
        write note a new time, and a commit after that took 140 us on ext4 instead of 90.
        """
        if self._handle < 0:
            self._open()
        try:
            return os.lseek(self._handle, 0, os.SEEK_END)
        except OSError:
            return None

    def close(self) -> None:
        """Stop reading; call it when the connections of this user are closed."""
        if self._key is None:
            return
        with _lock:
            handle, users = _open[self._key]
            _open[self._key] = handle, users - 1
            if users == 1 and not _has_locks(self._path):
                del _open[self._key]
                os.close(handle)
        self._key, self._handle = None, -1

    def _open(self) -> None:
        with _lock, suppress(OSError):
            status = os.stat(self._path)  # noqa: PTH116
            key = status.st_dev, status.st_ino
            if key not in _open:
                _open[key] = self._new(), 0
            self._handle, users = _open[key]
            _open[key] = self._handle, users + 1
            self._key = key

    def _new(self) -> int:
        with by_ourselves():
            return os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)


def _has_locks(path: Path) -> bool:
    """Whether any connection to a database of this folder is open, ours or the program's."""
    folder = os.path.realpath(path.parent)
    return any(_is_in(folder, each) for each in apsw.connections())


def _is_in(folder: str, connection: apsw.Connection) -> bool:
    try:
        return os.path.dirname(os.path.realpath(connection.filename)) == folder  # noqa: PTH120
    except apsw.ThreadingViolationError:  # busy in another thread, so it may be
        return True
    except apsw.ConnectionClosedError:
        return False
