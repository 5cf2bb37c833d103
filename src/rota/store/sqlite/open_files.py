"""The three files of a SQLite store, watched for forbidden changes while they are open.

SQLite notices little of them: it writes on into a log that was cut off, and beside an index
(`-shm`) that the next process makes anew. That index shows what the other two must look like;
https://sqlite.org/walformat.html describes it.
"""

from __future__ import annotations

import os
from pathlib import Path
from struct import Struct
from threading import Lock

from rota.store.sqlite.file_reader import FileReader
from rota.store.sqlite.folder_watch import FolderWatch

_INDEX = Struct("=14xHI12xII56xI28xI")
"""Bytes of a page, frames in use, two salts; frames copied back, and tried to."""
_LOG_HEAD, _FRAME_HEAD = 32, 24
_HEAD = 100
"""Bytes at the start of the database, which tell its size and how often it was changed."""
_IN_PROGRESS = b"salt" * 2 + b"none" + b"some"
"""Equal to nothing that an index holds: frames are being copied, which excuses every change."""


class StoreFiles:
    """Database, log and index as they were at the last look."""

    def __init__(self, path: Path, log: Path) -> None:
        self.path = path
        self.log = log
        self._index = log.with_name(log.name.removesuffix("-wal") + "-shm") if log.name else path
        # Before the first look at the files, so that no change falls between the two.
        file = self._index.name.removesuffix("-shm")
        self._watch = FolderWatch(log.parent, (file, log.name, self._index.name), database=file)
        self._is_link = os.path.realpath(path) != os.path.abspath(path)  # noqa: PTH100
        self._its_file, self._its_log, self._its_index = self._identities()
        self._looking = Lock()
        self._are_known = False
        """Whether they were ours at the last look; stays true until the folder has changed."""
        self._is_settled = self._is_compared = False
        """Whether all events of the folder are known, and call for no look at the contents."""
        self._is_written = True
        """Whether the database was written to since its head was read last."""
        self._log_bytes = 0
        self._copying = _IN_PROGRESS
        self._head = b""
        self._file_eye = FileReader(path)
        self._log_eye = FileReader(log)
        self._index_eye = FileReader(self._index)

    def close(self) -> None:
        """Stop watching, once all connections of the store are closed."""
        self._watch.close()
        for eye in (self._file_eye, self._log_eye, self._index_eye):
            eye.close()

    def are_untouched(self) -> bool:
        """Whether nothing at all happened to them; if not, the other methods find out what did."""
        # In this order: a thread that takes events from the watch unsettles us before.
        return self._watch.is_quiet() and self._is_settled

    def are_ready(self) -> bool:
        """Whether a write may begin without a closer look: nothing happened to any of the files.

        Also checks whether the log got shorter and the canary is alive. Call it with the lock of
        writers held. Right after a commit it takes 4 us.
        """
        if not self._watch.is_still() or not self._is_settled:
            return False
        log_bytes = self._log_eye.size()
        if log_bytes is None or log_bytes < self._log_bytes:
            return False
        self._log_bytes = log_bytes
        return True

    def are_others(self) -> bool:
        """Whether one was moved, deleted or replaced."""
        with self._looking:
            self._is_settled = False
            changes = self._watch.look()
            self._is_written = self._is_written or changes.is_written
            are_others = (changes.is_moved or not self._are_known) and self._have_moved()
            self._settle()
            return are_others

    def _settle(self) -> None:
        self._is_settled = self._are_known and self._is_compared and not self._is_written

    def is_log_of_another(self) -> bool:
        log = _identity(self.log)
        return log is not None and log != self._its_log

    def harm(self) -> str | None:
        """Return what was done to their contents, if anything, before the last `are_others`.

        Call it with the lock of writers held.
        """
        log_bytes = self._log_eye.size()
        index = self._index_eye.look(_INDEX.size)
        if log_bytes is None:
            return "its write-ahead log cannot be read any more" if self._log_bytes else None
        if len(index) < _INDEX.size:
            return None
        if log_bytes < self._log_bytes and log_bytes < _log_bytes(index):
            # It never gets shorter, unless somebody lets SQLite do it: then no frame is in use.
            return "its write-ahead log was cut off"
        self._log_bytes = log_bytes
        was, self._copying = self._copying, _copying(index)
        # Not before two looks have found the same: a commit may have begun the log anew.
        self._is_compared = was == self._copying
        harm = self._harm_of_file(was, self._copying) if self._is_written else None
        with self._looking:
            self._settle()
        return harm

    def _harm_of_file(self, was: bytes, now: bytes) -> str | None:
        """Return the harm to the database: it may change only when frames are copied from the log.

        A write alone proves nothing: the head has to differ as well. A process that copies frames
        marks the begin in the index, and then writes; so the index shows a change of the head
        before and after.
        """
        self._is_written = False  # before we look: a write after that counts again
        head, self._head = self._head, self._file_eye.look(_HEAD)
        after = _copying(self._index_eye.look(_INDEX.size))
        if now != after or now[8:12] != now[12:16]:
            self._is_written, self._copying = True, _IN_PROGRESS  # the next commit looks again
            return None
        is_excused = was != now
        return None if is_excused or head == self._head else "something was copied over it"

    def _have_moved(self) -> bool:
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

    def _identities(self) -> list[tuple[int, int] | None]:
        return [_identity(each) for each in (self.path, self.log, self._index)]


def _copying(index: bytes) -> bytes:
    """Return how far frames of which log are copied back, and how far they are meant to be."""
    return index[32:40] + index[96:100] + index[128:132]


def _log_bytes(index: bytes) -> int:
    """Return the least length of the log, by the index."""
    page, frames, *_ = _INDEX.unpack(index)
    page_bytes = 65_536 if page == 1 else page
    return _LOG_HEAD + frames * (_FRAME_HEAD + page_bytes) if frames else 0


def _identity(path: Path) -> tuple[int, int] | None:
    """Return the identity of the file that this name leads to; None if it leads to none."""
    try:
        status = os.stat(path)  # noqa: PTH116  # as quick as can be
    except OSError:
        return None
    return status.st_dev, status.st_ino
