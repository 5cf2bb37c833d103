"""Wake-ups: hints to look at the store now. They may be early or lost; a poll is the truth."""

from __future__ import annotations

from collections.abc import Callable, Collection
from threading import Event, Thread

EVERYWHERE = "*"


class _Watch:
    def __init__(self, wakeups: Wakeups, wake: Callable[[str], None]) -> None:
        self._wakeups = wakeups
        self.wake = wake

    def close(self) -> None:
        self._wakeups.forget(self)


class Wakeups:
    """Who in this process wants to hear of changes."""

    def __init__(self) -> None:
        self._watches: tuple[_Watch, ...] = ()

    def watch(self, wake: Callable[[str], None]) -> _Watch:
        watch = _Watch(self, wake)
        self._watches = (*self._watches, watch)
        return watch

    def forget(self, watch: _Watch) -> None:
        self._watches = tuple(each for each in self._watches if each is not watch)

    def ring(self, keys: Collection[str]) -> None:
        for watch in self._watches:
            for key in keys:
                watch.wake(key)


class FileWatch:
    """Notices that another process changed the SQLite file.

    Reading the version costs about 2 us; fifty times a second is not measurable.
    """

    interval_s = 0.02

    def __init__(self, version: Callable[[], int | None], wakeups: Wakeups) -> None:
        self._version = version
        self._wakeups = wakeups
        self._stopping = Event()
        self._thread: Thread | None = None

    def start(self) -> None:
        if self._thread is None:
            self._thread = Thread(target=self._watch, name="rota-file-watch", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def _watch(self) -> None:
        seen = self._version()
        while not self._stopping.wait(self.interval_s):
            version = self._version()
            if version is not None and version != seen:
                seen = version
                self._wakeups.ring((EVERYWHERE,))
