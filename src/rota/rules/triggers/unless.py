"""A trigger less the instants, or the days, of another.

Both searches are bounded: who excludes so much in a row is taken to exclude all of it.
"""

from __future__ import annotations

from datetime import date

from rota.rules.timetable import Timetable
from rota.rules.triggers.days import SEARCH_MS, after_day, firings_on
from rota.rules.zones import Zone

MAX_EXCLUDED = 100_000


class UnlessAt:
    """Leaves out the instants at which the other fires."""

    def __init__(self, timetable: Timetable, exclude: Timetable) -> None:
        self._timetable = timetable
        self._exclude = exclude

    def after(self, instant: int) -> int | None:
        at = self._timetable.after(instant)
        for _ in range(MAX_EXCLUDED):
            if at is None or self._exclude.after(at - 1) != at:
                return at
            at = self._timetable.after(at)
        return None

    def marks(self, instant: int) -> tuple[str, ...]:
        return self._timetable.marks(instant)


class UnlessDay:
    """Leaves out the days, by the wall clock, on which the other fires."""

    def __init__(self, timetable: Timetable, exclude: Timetable, zone: Zone) -> None:
        self._timetable = timetable
        self._exclude = exclude
        self._zone = zone

    def after(self, instant: int) -> int | None:
        at = first = self._timetable.after(instant)
        while at is not None and first is not None and at <= first + SEARCH_MS:
            if not self._is_excluded(self._zone.wall(at).date()):
                return at
            at = after_day(self._timetable, at, self._zone)
        return None

    def marks(self, instant: int) -> tuple[str, ...]:
        return self._timetable.marks(instant)

    def _is_excluded(self, day: date) -> bool:
        return any(True for _ in firings_on(self._exclude, day, self._zone))
