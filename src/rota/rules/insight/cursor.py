"""A cursor over rows that carry the time of their statement and may commit in another order.

A row can appear with a time in the past, because its transaction was open that long. The cursor
never moves past a moment while a transaction is open that may have written before it.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

APART_MS = 200
"""Milliseconds between two marks that are kept."""


class Mark(NamedTuple):
    """A snapshot of the store: its clock, and which transactions have ended."""

    now: int
    oldest: int
    """All transactions with smaller numbers have ended."""
    next: int
    """The number of the next transaction."""


class Cursor:
    """A position in time; from `floor` on rows may still appear."""

    def __init__(self, *, longest_ms: int) -> None:
        self.floor = 0
        self._longest_ms = longest_ms
        self._marks: deque[Mark] = deque()
        self._given_up: int | None = None
        """Open transactions up to this number are not awaited: too old, or open for too long."""

    @property
    def is_settled(self) -> bool:
        """Whether every open transaction is awaited."""
        return self._given_up is None

    def advance(self, mark: Mark) -> bool:
        """Take a snapshot; True if a transaction ended unawaited, so changes may be missing.

        Marks need not be dense: a floor that is earlier than necessary costs reading, but loses no
        change.
        """
        if not self._marks:
            self.floor = mark.now
            if mark.oldest < mark.next:  # they began at times that nobody noted
                self._given_up = mark.next - 1
        elif mark.now < self._marks[-1].now:  # the clock was set back
            self._marks.clear()
            self.floor = min(self.floor, mark.now)
        if not self._marks or mark.now - self._marks[-1].now >= APART_MS:
            self._marks.append(mark)
        while len(self._marks) > 1 and self._marks[1].next <= mark.oldest:
            self._marks.popleft()
        if self._marks[0].next <= mark.oldest:
            self.floor = max(self.floor, self._marks[0].now)
        return self._give_up(mark)

    def _give_up(self, mark: Mark) -> bool:
        is_missing = self._given_up is not None and mark.oldest > self._given_up
        if is_missing:
            self._given_up = None
        if mark.now - self.floor > self._longest_ms:
            self.floor = mark.now - self._longest_ms
            self._given_up = max(mark.oldest, self._given_up or 0)
            while len(self._marks) > 1 and self._marks[0].now < self.floor:
                self._marks.popleft()
        return is_missing
