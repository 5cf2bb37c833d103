"""A clock of several processes: it runs by itself, and whoever holds the file may move it.

It stands in for the clock of the database, which all processes read and only root can set.
"""

from __future__ import annotations

import mmap
from pathlib import Path

from rota.clock import elapsed_s

_OFFSET, _STILL, _MARKS = 0, 1, 2
MOST_MARKS = 30
SIZE = 8 * (_MARKS + MOST_MARKS)


class SharedClock:
    """Milliseconds in a mapped file; each number is written and read in one piece."""

    def __init__(self, path: Path) -> None:
        with path.open("r+b") as file:
            self._numbers = memoryview(mmap.mmap(file.fileno(), SIZE)).cast("q")

    @classmethod
    def at(cls, path: Path, ms: int) -> SharedClock:
        """A new one that stands still."""
        path.write_bytes(bytes(SIZE))
        clock = cls(path)
        clock.stop(ms)
        return clock

    def __call__(self) -> int:
        return self._numbers[_STILL] or self._numbers[_OFFSET] + _host_ms()

    def go(self) -> None:
        """Run on from where it stands."""
        self._numbers[_OFFSET] = self() - _host_ms()
        self._numbers[_STILL] = 0

    def jump(self, ms: int) -> int:
        """Forward, or back with a negative number; gives the time before the jump."""
        before = self()
        self._numbers[_OFFSET] += ms
        return before

    def stop(self, ms: int) -> None:
        self._numbers[_STILL] = ms

    def mark(self, seat: int, *, is_busy: bool) -> None:
        """Tell whoever kills that this process is in the middle of something."""
        self._numbers[_MARKS + seat] = int(is_busy)

    def is_busy(self, seat: int) -> bool:
        return bool(self._numbers[_MARKS + seat])


def _host_ms() -> int:
    return round(elapsed_s() * 1000)
