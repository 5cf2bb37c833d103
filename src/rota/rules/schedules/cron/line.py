"""A parsed cron line: its meaning, independent of dialect and spelling."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache

from rota.rules.schedules.cron.days import DayCalendar, Days, calendar_of

DAY_S = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class CronLine:
    """Matches wall times; it has no zone."""

    seconds: tuple[int, ...]
    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: Days
    is_wildcard: bool
    """Whether the minute or the hour field starts with `*`; such a line follows real time."""
    hashed: frozenset[str] = frozenset()
    """The fields that hold `H`; their values depend on the seed."""


@dataclass(frozen=True, slots=True)
class Interval:
    """`@every 90s`: a distance in real time, counted from the Unix epoch."""

    every_ms: int


class WallClock:
    """Finds the next wall time of a line, in seconds as if the wall clock showed UTC."""

    __slots__ = ("_days", "times")

    def __init__(self, line: CronLine) -> None:
        self.times = _times_of_day(line.hours, line.minutes, line.seconds)
        """The seconds of a day that match, in order."""
        self._days: DayCalendar = calendar_of(line.days)

    def next(self, local: int) -> int | None:
        """Return the first match that is not before this one; None after the last."""
        today, second = divmod(local, DAY_S)
        day = self._days.next(today)
        if day == today:
            place = bisect_left(self.times, second)
            if place < len(self.times):
                return today * DAY_S + self.times[place]
            day = self._days.next(today + 1)
        return None if day is None else day * DAY_S + self.times[0]


@lru_cache(maxsize=1_024)
def _times_of_day(
    hours: tuple[int, ...], minutes: tuple[int, ...], seconds: tuple[int, ...]
) -> array[int]:
    """Return the matching seconds as an array, as a line for every second has 86,400."""
    within_hours = [minute * 60 + second for minute in minutes for second in seconds]
    return array("i", [hour * 3_600 + rest for hour in hours for rest in within_hours])
