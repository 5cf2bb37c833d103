"""Bound a timetable: no firing before its start, none after its end."""

from __future__ import annotations

from rota.rules.schedules.timetable import Timetable


class Bounded:
    """A timetable from `start` to `end`, both included."""

    def __init__(self, timetable: Timetable, start: int | None, end: int | None) -> None:
        self._timetable = timetable
        self._start = start
        self._end = end

    def after(self, instant: int) -> int | None:
        if self._start is not None and instant < self._start:
            instant = self._start - 1
        at = self._timetable.after(instant)
        return None if at is None or (self._end is not None and at > self._end) else at

    def marks(self, instant: int) -> tuple[str, ...]:
        return self._timetable.marks(instant)
