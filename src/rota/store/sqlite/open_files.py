"""The three files of a SQLite store, watched for what nobody may do to them while they are open.

SQLite notices little of it: it writes on into a log that was cut off, and beside an index (`-shm`)
that the next process makes anew. What it keeps in that index tells what the other two must look
like; https://sqlite.org/walformat.html describes it.
"""

from __future__ import annotations

import os
from pathlib import Path
from struct import Struct
from typing import NamedTuple

from rota.store.sqlite.file_reader import FileReader
from rota.store.sqlite.folder_watch import FolderWatch

_INDEX = Struct("=14xHI12xII56xI28xI")
"""Bytes of a page, frames in use, two salts; frames copied back, and tried to."""
_LOG_HEAD, _FRAME_HEAD = 32, 24
_HEAD = 100
"""Bytes at the start of the database, which tell its size and how often it was changed."""


class WalIndex(NamedTuple):
    """What the processes that share the log have agreed upon; steady for who holds the lock."""

    page_bytes: int
    frames: int
    salt: int
    more_salt: int
    copied: int
    tried: int

    @property
    def log_bytes(self) -> int:
        """How long the log is at least."""
        page_bytes = 65_536 if self.page_bytes == 1 else self.page_bytes
        return _LOG_HEAD + self.frames * (_FRAME_HEAD + page_bytes) if self.frames else 0

    @property
    def copying(self) -> tuple[int, int, int, int]:
        """Another one whenever frames were copied from the log into the database."""
        return self.salt, self.more_salt, self.copied, self.tried


_NONE_YET = WalIndex(0, 0, 0, 0, 0, 1)
"""Until there is one; says that frames are being copied, which excuses every change."""


class StoreFiles:
    """Database, log and index as they were when they were looked at last."""

    def __init__(self, path: Path, log: Path) -> None:
        self.path = path
        self.log = log
        self._index = log.with_name(log.name.removesuffix("-wal") + "-shm") if log.name else path
        # Before the first look at the files, so that no change falls between the two.
        names = (self._index.name.removesuffix("-shm"), log.name, self._index.name)
        self._watch = FolderWatch(log.parent, names)
        self._is_link = os.path.realpath(path) != os.path.abspath(path)  # noqa: PTH100
        self._its_file, self._its_log, self._its_index = self._identities()
        self._are_known = False
        """They were ours at the last look, which is true until the folder has changed."""
        self._log_bytes = 0
        self._was = _NONE_YET
        self._changed_ns = 0
        self._head = b""
        self._file_eye = FileReader(path)
        self._log_eye = FileReader(log)
        self._index_eye = FileReader(self._index)

    def close(self) -> None:
        """Once all connections of the store are closed."""
        self._watch.close()
        for eye in (self._file_eye, self._log_eye, self._index_eye):
            eye.close()

    def are_others(self) -> bool:
        """Whether one was moved, deleted or replaced."""
        if self._are_known and not self._watch.has_changed():
            return False
        file, log, index = self._identities()
        if self._its_log is None:  # there from the first transaction until the last close
            self._its_log = log
        if self._its_index is None:
            self._its_index = index
        are_others = log != self._its_log
        are_others |= index != self._its_index
        are_others |= file != self._its_file
        # A link may be changed in a folder that we do not watch.
        is_whole = log is not None and index is not None
        self._are_known = is_whole and not are_others and not self._is_link
        return are_others

    def is_log_of_another(self) -> bool:
        log = _identity(self.log)
        return log is not None and log != self._its_log

    def index(self) -> WalIndex | None:
        """What the index says now; None if there is none that we may read. One read."""
        seen = self._index_eye.look(_INDEX.size)
        return WalIndex._make(_INDEX.unpack(seen)) if len(seen) == _INDEX.size else None

    def harm(self, index: WalIndex | None) -> str | None:
        """What was done to their contents, if anything, before `are_others` was asked last.

        For who holds the lock of writers. The index was read before that: who copies frames says
        there that he begins, and then writes.
        """
        log_bytes, changed_ns = self._log_eye.size(), self._file_eye.changed_ns()
        if index is None or log_bytes is None or changed_ns is None:
            return None
        if log_bytes < self._log_bytes and log_bytes < index.log_bytes:
            # It never gets shorter, unless somebody asks SQLite for it: then no frame is in use.
            return "its write-ahead log was cut off"
        self._log_bytes = log_bytes
        return self._harm_of_file(index, changed_ns)

    def _identities(self) -> list[tuple[int, int] | None]:
        return [_identity(each) for each in (self.path, self.log, self._index)]

    def _harm_of_file(self, now: WalIndex, changed_ns: int) -> str | None:
        """It changes when frames are copied from the log, which the index tells, and not else.

        Another time alone proves nothing (`touch`): the head has to differ as well.
        """
        was, self._was = self._was, now
        if changed_ns == self._changed_ns:
            return None
        head, self._head = self._head, self._file_eye.look(_HEAD)
        self._changed_ns = changed_ns
        is_excused = was.copying != now.copying or was.copied != was.tried
        return None if is_excused or head == self._head else "something was copied over it"


def _identity(path: Path) -> tuple[int, int] | None:
    """What the system knows the file by that this name leads to; None if it leads to none."""
    try:
        found = os.stat(path)  # noqa: PTH116  # as quick as can be
    except OSError:
        return None
    return found.st_dev, found.st_ino
