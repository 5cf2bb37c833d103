"""A trigger without the instants, or the days, of another.

Both searches are bounded: a trigger that excludes too much in a row counts as excluding all.
"""

from __future__ import annotations

from bisect import bisect_right
from datetime import date

from rota.rules.schedules.cron.timetable import CronTimetable
from rota.rules.schedules.timetable import Timetable
from rota.rules.schedules.triggers.days import SEARCH_MS, after_day, firings_on
from rota.rules.schedules.zones import Zone
from rota.rules.text.moments import day_end, day_start

MAX_EXCLUDED = 100_000
"""The most excluded steps in a row: a whole day of seconds and some more."""
DAY_MS = 86_400_000


class UnlessAt:
    """Leaves out the instants at which the other trigger fires.

    For two cron lines it is known beforehand at which times of a day the first fires and the second
    does not, so a day is one step however many firings it has. Others advance step by step, and the
    last excluded stretch is cached.
    """

    def __init__(self, timetable: Timetable, exclude: Timetable, zone: Zone) -> None:
        self._timetable = timetable
        self._exclude = exclude
        self._zone = zone
        self._kept_instants = _kept_instants(timetable, exclude)
        self._known = (0, 0)

    def after(self, instant: int) -> int | None:
        at = first = self._timetable.after(instant)
        low, high = self._known
        if first is not None and low <= first < high:
            return high
        for _ in range(MAX_EXCLUDED):
            if at is None or self._exclude.after(at - 1) != at:
                break
            at = self._past(at)
        else:
            return None
        if first is not None and at is not None and at != first:
            self._known = first, at
        return at

    def marks(self, instant: int) -> tuple[str, ...]:
        return self._timetable.marks(instant)

    def _past(self, at: int) -> int | None:
        """Return the next instant that may fire after the excluded `at`."""
        if self._kept_instants is None:
            return self._timetable.after(at)
        day = self._zone.wall(at).date()
        start, end = day_start(day, self._zone), day_end(day, self._zone)
        shifts = self._zone.starts
        if bisect_right(shifts, start - DAY_MS) != bisect_right(shifts, end + DAY_MS):
            return self._timetable.after(at)  # clocks are changed: each line has its own way
        place = bisect_right(self._kept_instants, (at - start) // 1_000)
        until = (
            start + self._kept_instants[place] * 1_000
            if place < len(self._kept_instants)
            else end + 1
        )
        return self._timetable.after(until - 1)


def _kept_instants(timetable: Timetable, exclude: Timetable) -> list[int] | None:
    """Return the seconds of a day at which only the first fires; None if unknown."""
    if not (isinstance(timetable, CronTimetable) and isinstance(exclude, CronTimetable)):
        return None
    return sorted({*timetable.times} - {*exclude.times})


class UnlessDay:
    """Leaves out the days, by the wall clock, on which the other trigger fires."""

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
