"""The days of a month that a line matches. Sunday is 0 here, whatever the dialect.

A month is only its length and the weekday of its first day: 28 shapes. Each shape is computed once
per rule as a mask whose bit n is day n, and a whole calendar is built from these masks. That also
proves whether a rule ever matches a day.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from calendar import monthrange
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from rota.rules.schedules.zones import LAST_YEAR

_EPOCH = date(1970, 1, 1).toordinal()
LAST_DAY = date(LAST_YEAR, 12, 31).toordinal() - _EPOCH
SATURDAY = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthDays:
    """The day-of-month field."""

    days: frozenset[int] = frozenset()
    from_end: frozenset[int] = frozenset()
    """Days from the end: `L` is 0, `L-3` is 3."""
    nearest: frozenset[int] = frozenset()
    """`15W`: the nearest Monday to Friday within the month."""
    nearest_from_end: frozenset[int] = frozenset()
    """`LW` is 0, `L-3W` is 3."""

    def mask(self, length: int, first: int) -> int:
        if self is EVERY_DAY:
            return _bits(length)
        days = {*self.days, *(length - back for back in self.from_end)}
        working = {*self.nearest, *(length - back for back in self.nearest_from_end)}
        days |= {_nearest(day, length, first) for day in working if 1 <= day <= length}
        return sum(1 << day for day in days if 1 <= day <= length)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekDays:
    """The day-of-week field."""

    days: frozenset[int] = frozenset()
    nth: frozenset[tuple[int, int]] = frozenset()
    """`MON#2` is (1, 2)."""
    last: frozenset[int] = frozenset()
    """`5L`: the last Friday."""

    def mask(self, length: int, first: int) -> int:
        if self is EVERY_WEEKDAY:
            return _bits(length)
        return sum(1 << day for day in range(1, length + 1) if self._means(day, length, first))

    def _means(self, day: int, length: int, first: int) -> bool:
        weekday = (first + day - 1) % 7
        return (
            weekday in self.days
            or (weekday, (day + 6) // 7) in self.nth
            or (weekday in self.last and day > length - 7)
        )


EVERY_DAY = MonthDays(days=frozenset(range(1, 32)))
EVERY_WEEKDAY = WeekDays(days=frozenset(range(7)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Days:
    """Both day fields, the months and the years together."""

    month_days: MonthDays = EVERY_DAY
    week_days: WeekDays = EVERY_WEEKDAY
    is_either: bool = False
    """Whether one of the two day fields is enough; else a day must match both."""
    months: frozenset[int] = frozenset(range(1, 13))
    years: frozenset[int] | None = None

    def mask(self, length: int, first: int) -> int:
        by_month, by_week = self.month_days.mask(length, first), self.week_days.mask(length, first)
        return by_month | by_week if self.is_either else by_month & by_week

    def is_possible(self) -> bool:
        """Whether any year (of those named) has such a day."""
        if self.years is not None:
            calendar = calendar_of(self)
            return any(calendar.year(year) for year in self.years)
        return any(
            self.mask(length, first)
            for month in self.months
            for length in {monthrange(year, month)[1] for year in _COMMON_AND_LEAP}
            for first in range(7)
        )


_COMMON_AND_LEAP = (2023, 2024)


class DayCalendar:
    """Finds the next day of a rule; days are counted from 1 January 1970."""

    def __init__(self, days: Days) -> None:
        self._days = days
        self._is_daily = days.years is None and self._has_all()
        self._shapes: dict[tuple[int, int], int] = {}
        self._years: dict[int, array[int]] = {}

    def next(self, day: int) -> int | None:
        """Return the first matching day that is not before this one."""
        if self._is_daily:
            return day if day <= LAST_DAY else None
        if day > LAST_DAY:
            return None
        year = date.fromordinal(day + _EPOCH).year
        mask = self._years.get(year) or self.year(year)
        place = bisect_left(mask, day)
        if place < len(mask):
            return mask[place]
        for later in range(year + 1, LAST_YEAR + 1):
            if mask := self.year(later):
                return mask[0]
        return None

    def year(self, year: int) -> array[int]:
        """Return all matching days of a year, in order."""
        cached = self._years.get(year)
        if cached is None:
            cached = self._years[year] = self._work_out(year)
        return cached

    def _work_out(self, year: int) -> array[int]:
        matching = array("i")
        if self._days.years is not None and year not in self._days.years:
            return matching
        for month in sorted(self._days.months):
            monday_first, length = monthrange(year, month)
            mask = self._shape(length, (monday_first + 1) % 7)
            before = date(year, month, 1).toordinal() - _EPOCH - 1
            matching.extend(before + day for day in range(1, length + 1) if mask >> day & 1)
        return matching

    def _shape(self, length: int, first: int) -> int:
        cached = self._shapes.get((length, first))
        if cached is None:
            cached = self._shapes[length, first] = self._days.mask(length, first)
        return cached

    def _has_all(self) -> bool:
        return self._days == Days(is_either=self._days.is_either)


@lru_cache(maxsize=4_096)
def calendar_of(days: Days) -> DayCalendar:
    """Return one calendar for all lines with the same days, as most lines have few variants."""
    return DayCalendar(days)


def _bits(length: int) -> int:
    """Return the mask of all days of a month."""
    return (2 << length) - 2


def _nearest(day: int, length: int, first: int) -> int:
    weekday = (first + day - 1) % 7
    if weekday == SATURDAY:
        return day - 1 if day > 1 else day + 2
    if weekday == 0:
        return day + 1 if day < length else day - 2
    return day
