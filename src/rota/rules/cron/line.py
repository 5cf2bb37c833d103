"""A cron line, read: what it means, no matter how or in which dialect it was written."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from rota.rules.cron.days import DayCalendar, Days, calendar_of

DAY_S = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Matches wall times; knows nothing of zones."""

    seconds: tuple[int, ...]
    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: Days
    is_wildcard: bool
    """The minute or the hour field starts with `*`; such a line follows real time."""
    hashed: frozenset[str] = frozenset()
    """The fields in which `H` stands; what they hold depends on the seed."""


@dataclass(frozen=True, slots=True)
class Interval:
    """`@every 90s`: a distance of real time, counted from the Unix epoch."""

    every_ms: int


class WallClock:
    """Finds the next wall time of a line, in seconds as if the wall clock showed UTC."""

    __slots__ = ("_days", "_first", "_minutes", "_seconds")

    def __init__(self, line: Line) -> None:
        self._seconds = line.seconds
        self._minutes = tuple(
            hour * 3_600 + minute * 60 for hour in line.hours for minute in line.minutes
        )
        self._first = self._minutes[0] + self._seconds[0]
        self._days: DayCalendar = calendar_of(line.days)

    def next(self, local: int) -> int | None:
        """The first match, not earlier than this one; None when there is none any more."""
        today, second = divmod(local, DAY_S)
        day = self._days.next(today)
        if day == today:
            time = self._time(second)
            if time >= 0:
                return today * DAY_S + time
            day = self._days.next(today + 1)
        return None if day is None else day * DAY_S + self._first

    def _time(self, second: int) -> int:
        """The first time of day at or after this second of the day, or -1."""
        minutes = self._minutes
        over = second % 60
        place = bisect_left(minutes, second - over)
        if place == len(minutes):
            return -1
        if over and minutes[place] == second - over:
            later = bisect_left(self._seconds, over)
            if later < len(self._seconds):
                return minutes[place] + self._seconds[later]
            place += 1
            if place == len(minutes):
                return -1
        return minutes[place] + self._seconds[0]
