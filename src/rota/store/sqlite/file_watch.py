"""Watches for writes of other processes to a SQLite file (ADR 34)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from select import POLLIN, poll
from threading import Event, Lock, Thread
from time import sleep
from typing import Protocol

from rota.store.sqlite.inotify import MODIFY, watched
from rota.store.wakeups import EVERYWHERE, Wakeups

LOOK_S = 0.02
"""The pause between looks without a cause: reading the version costs about 2 us."""
SOON_S = (0.0003, 0.0003, 0.0005, 0.0005, 0.001, 0.001, 0.002, 0.002, 0.004)
"""Looks after a touch: the log is written before its commit counts, by what the disk takes."""
DEAF_S = 0.005
"""The pause before listening again: a busy process looks anyway, and needs the interpreter."""
MANY_EVENTS = 4096


class Watched(Protocol):
    """A file that several processes write to."""

    log: Path
    touches: int
    """Counts the beginnings and ends of writes by this process."""

    def version(self) -> int | None:
        """Return a number that changes when another process writes; None while it is unknown."""


class FileWatch:
    """Rings when another process changed the file: looks after touches of its log, and at times."""

    def __init__(self, file: Watched, wakeups: Wakeups) -> None:
        self._file = file
        self._wakeups = wakeups
        self._starting = Lock()
        self._stopping = Event()
        self._thread: Thread | None = None
        self._seen: int | None = None

    def start(self) -> None:
        with self._starting:
            if self._thread is None and not self._stopping.is_set():
                self._seen = self._file.version()
                thread = Thread(target=self._watch, name="rota-file-watch", daemon=True)
                thread.start()
                self._thread = thread

    def stop(self) -> None:
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def _watch(self) -> None:
        with closing(FileListener(self._file.log)) as ear:
            while not self._stopping.is_set():
                self._look()
                touches = self._file.touches
                if ear.hears(LOOK_S):
                    is_ours = touches % 2 == 1 or touches != self._file.touches
                    self._look_soon(() if is_ours else SOON_S)
                    self._stopping.wait(DEAF_S)
                    ear.forget()

    def _look_soon(self, pauses_s: Sequence[float]) -> None:
        for pause_s in pauses_s:
            if self._look() or self._stopping.wait(pause_s):
                return

    def _look(self) -> bool:
        version = self._file.version()
        if version is None or version == self._seen:
            return False
        self._seen = version
        self._wakeups.ring((EVERYWHERE,))
        return True


class FileListener:
    """Waits for writes to a file by any process; never sees one where the system has no inotify."""

    def __init__(self, path: Path) -> None:
        watches = watched((path, MODIFY))
        self._handle = None if watches is None else watches[0]
        self._poll = poll()  # select() knows no descriptor above 1,023
        if self._handle is not None:
            self._poll.register(self._handle, POLLIN)

    def hears(self, timeout_s: float) -> bool:
        """Whether the file is written to in this time, or was since the last `forget`."""
        if self._handle is None:
            sleep(timeout_s)
            return False
        return bool(self._poll.poll(timeout_s * 1000))

    def forget(self) -> None:
        """Forget the writes until now."""
        if self._handle is not None and self.hears(0):
            os.read(self._handle, MANY_EVENTS)

    def close(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
