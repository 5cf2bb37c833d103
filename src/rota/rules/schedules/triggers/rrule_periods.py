"""The wall times of a recurrence rule, one period (year, month, week or day) at a time.

This replaces python-dateutil, which walks from the start of the rule at each query. A rule that
never matches (the 30th of February, by days) keeps it busy until the year 9999, whatever UNTIL
says. The tests compare the two.
"""

from __future__ import annotations

from bisect import bisect_right
from calendar import isleap, monthrange
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from itertools import product

from rota.rules.schedules.triggers.rrule_text import Rule
from rota.rules.text.moments import LATEST

_MONTHS = 12
_WEEK = 7
_HALF_WEEK = 4
_DAY = timedelta(days=1)
_KEPT = 8
MAX_TURNS = 366 * 50
"""The most unmatched days in a row; a rule of days without a match for fifty years is over."""

Test = Callable[[date], bool]


class RruleWalls:
    """The wall times of a rule, without COUNT and exceptions, which are applied elsewhere."""

    def __init__(self, rule: Rule, start: datetime) -> None:
        self._rule = _spelled_out(rule, start)
        self._start = start
        self._origin = _period_of(self._rule, start.date())
        self._last = LATEST if rule.until is None else min(rule.until, LATEST)
        self._tests = _tests(self._rule)
        self._times = _times(self._rule)
        self._known: dict[int, list[datetime]] = {}

    def after(self, wall: datetime) -> datetime | None:
        apart = _period_of(self._rule, wall.date()) - self._origin
        turn = max(0, apart // self._rule.interval)
        for following in range(turn, turn + MAX_TURNS):
            if self._begin(following) > self._last.date():
                return None
            next_wall = self._in(following)
            index = bisect_right(next_wall, wall)
            if index < len(next_wall):
                return next_wall[index] if next_wall[index] <= self._last else None
        return None

    def _begin(self, turn: int) -> date:
        return _first_day(self._rule, self._origin + turn * self._rule.interval)

    def _in(self, turn: int) -> list[datetime]:
        walls = self._known.get(turn)
        if walls is None:
            walls = [wall for wall in self._set(turn) if wall >= self._start]
            recent = list(self._known.items())[1 - _KEPT :]
            self._known = dict(recent) | {turn: walls}
        return walls

    def _set(self, turn: int) -> Sequence[datetime]:
        days = _days(self._rule, self._begin(turn))
        walls = [
            datetime.combine(day, at)
            for day in days
            if all(test(day) for test in self._tests)
            for at in self._times
        ]
        if "BYSETPOS" not in self._rule.numbers:
            return walls
        places = {at - 1 if at > 0 else len(walls) + at for at in self._rule.numbers["BYSETPOS"]}
        return [walls[place] for place in sorted(places) if 0 <= place < len(walls)]


def _spelled_out(rule: Rule, start: datetime) -> Rule:
    """Fill in unset parts from the start: month, day, weekday, time."""
    numbers = dict(rule.numbers)
    weekdays = rule.weekdays
    if not weekdays and not numbers.keys() & {"BYWEEKNO", "BYYEARDAY", "BYMONTHDAY"}:
        if rule.freq == "YEARLY":
            numbers.setdefault("BYMONTH", (start.month,))
        if rule.freq in {"YEARLY", "MONTHLY"}:
            numbers["BYMONTHDAY"] = (start.day,)
        if rule.freq == "WEEKLY":
            weekdays = ((start.weekday(), 0),)
    numbers.setdefault("BYHOUR", (start.hour,))
    numbers.setdefault("BYMINUTE", (start.minute,))
    numbers.setdefault("BYSECOND", (start.second,))
    return rule.with_parts(weekdays, numbers)


def _period_of(rule: Rule, day: date) -> int:
    """Return the number of the period that contains a day."""
    if rule.freq == "YEARLY":
        return day.year
    if rule.freq == "MONTHLY":
        return day.year * _MONTHS + day.month - 1
    if rule.freq == "WEEKLY":
        return (day.toordinal() - 1 - rule.week_start) // _WEEK
    return day.toordinal()


def _first_day(rule: Rule, period: int) -> date:
    """Return the first day of a period; `date.max` for those beyond all dates."""
    if rule.freq == "YEARLY":
        return date(period, 1, 1) if period <= LATEST.year else date.max
    if rule.freq == "MONTHLY":
        year, month = divmod(period, _MONTHS)
        return date(year, month + 1, 1) if year <= LATEST.year else date.max
    ordinal = period * _WEEK + 1 + rule.week_start if rule.freq == "WEEKLY" else period
    return date.fromordinal(min(ordinal, date.max.toordinal()))


def _days(rule: Rule, first: date) -> Iterator[date]:
    lengths = {
        "YEARLY": 365 + isleap(first.year),
        "MONTHLY": monthrange(first.year, first.month)[1],
        "WEEKLY": _WEEK,
    }
    return (first + _DAY * index for index in range(lengths.get(rule.freq, 1)))


def _times(rule: Rule) -> list[time]:
    parts = (sorted(set(rule.numbers[name])) for name in ("BYHOUR", "BYMINUTE", "BYSECOND"))
    return [time(hour, minute, second) for hour, minute, second in product(*parts)]


def _tests(rule: Rule) -> list[Test]:
    """Return the tests that a day must pass, the cheapest first."""
    by_part: dict[str, Callable[[frozenset[int]], Test]] = {
        "BYMONTH": lambda months: lambda day: day.month in months,
        "BYMONTHDAY": _by_month_day,
        "BYYEARDAY": _by_year_day,
        "BYWEEKNO": lambda weeks: lambda day: _is_in_week(day, weeks, rule.week_start),
    }
    tests = [
        make(frozenset(rule.numbers[name]))
        for name, make in by_part.items()
        if name in rule.numbers
    ]
    if rule.weekdays:
        in_month = rule.freq == "MONTHLY" or "BYMONTH" in rule.numbers
        tests.append(_by_day(frozenset(rule.weekdays), in_month=in_month))
    return tests


def _by_month_day(days: frozenset[int]) -> Test:
    def is_one(day: date) -> bool:
        return bool(days & {day.day, day.day - monthrange(day.year, day.month)[1] - 1})

    return is_one


def _by_year_day(days: frozenset[int]) -> Test:
    def is_one(day: date) -> bool:
        number = day.timetuple().tm_yday
        return bool(days & {number, number - 366 - isleap(day.year)})

    return is_one


def _by_day(weekdays: frozenset[tuple[int, int]], *, in_month: bool) -> Test:
    def is_one(day: date) -> bool:
        place, length = day.day, monthrange(day.year, day.month)[1]
        if not in_month:
            place, length = day.timetuple().tm_yday, 365 + isleap(day.year)
        numbers = (0, (place - 1) // _WEEK + 1, -((length - place) // _WEEK + 1))
        return any((day.weekday(), number) in weekdays for number in numbers)

    return is_one


def _is_in_week(day: date, weeks: frozenset[int], week_start: int) -> bool:
    """Whether the day is in one of the weeks: week 1 has four days in the year, -1 is the last."""
    middle = day + _DAY * (_HALF_WEEK - 1 - (day.weekday() - week_start) % _WEEK)
    number = (middle.timetuple().tm_yday - 1) // _WEEK + 1
    days_left = (365 + isleap(middle.year) - middle.timetuple().tm_yday) // _WEEK
    return bool(weeks & {number, -days_left - 1})
