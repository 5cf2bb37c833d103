"""The firings of a cron line, computed the slow way and without `rota.rules`.

It walks over wall times minute by minute and lets the standard library's zoneinfo (with the same
zone data) convert them to instants. It reads lines with a small matcher of its own.
"""

from __future__ import annotations

import calendar
import io
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from importlib.resources import files
from zoneinfo import ZoneInfo

MONTH_NAMES = [name.upper() for name in calendar.month_abbr]
DAY_NAMES = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
MINUTE = timedelta(minutes=1)
SECOND = timedelta(seconds=1)
DAY = timedelta(days=1)

DayTest = Callable[[date], bool]


@cache
def zone_info(name: str) -> ZoneInfo:
    data = files("tzdata").joinpath("zoneinfo", *name.split("/")).read_bytes()
    return ZoneInfo.from_file(io.BytesIO(data), key=name)


@cache
def zone_names() -> list[str]:
    return sorted(files("tzdata").joinpath("zones").read_text().split())


def shifts(name: str) -> list[datetime]:
    """Return every change of the offset from 1970 to 2037."""
    return _shifts(files("tzdata").joinpath("zoneinfo", *name.split("/")).read_bytes())


@cache
def _shifts(data: bytes) -> list[datetime]:
    """Find shifts by sampling and halving; many zones have two names and one file."""
    info = ZoneInfo.from_file(io.BytesIO(data))
    found = []
    low = datetime(1970, 1, 2, tzinfo=UTC)
    before = _offset(info, low)
    while low.year < 2038:
        high = low + 8 * DAY
        after = _offset(info, high)
        if before != after:
            found.append(_halve(info, low, high))
        low, before = high, after
    return found


def _offset(info: ZoneInfo, moment: datetime) -> timedelta:
    offset = moment.astimezone(info).utcoffset()
    assert offset is not None
    return offset


def _halve(info: ZoneInfo, low: datetime, high: datetime) -> datetime:
    before = _offset(info, low)
    while high - low > SECOND:
        middle = low + (high - low) // 2
        middle = middle.replace(microsecond=0)
        low, high = (middle, high) if _offset(info, middle) == before else (low, middle)
    return high


class Oracle:
    """The firings of one line in one zone."""

    def __init__(self, expression: str, dialect: str, zone: str, *, gap: str, fold: str) -> None:
        fields = expression.upper().split()
        if len(fields) == 5:
            fields = ["0", *fields]
        if len(fields) == 6:
            fields = [*fields, "*"]
        second, minute, hour, day, month, weekday, year = fields
        self.seconds = sorted(_numbers(second, 0, 59))
        self.minutes = _numbers(minute, 0, 59)
        self.hours = _numbers(hour, 0, 23)
        self.months = _numbers(month, 1, 12, MONTH_NAMES)
        self.years = None if year == "*" else _numbers(year, 1970, 2199)
        self.fits_day = _day_test(day, weekday, dialect)
        is_wildcard = minute[0] == "*" or hour[0] == "*"
        self.gap = ("skip" if is_wildcard else "next") if gap == "cron" else gap
        self.fold = ("both" if is_wildcard else "first") if fold == "cron" else fold
        self.info = zone_info(zone)

    def between(self, low: datetime, high: datetime) -> list[datetime]:
        """Return all firings later than `low` and not later than `high`."""
        # A gap of a day moves the times of the day before; a fold at midnight (Goose Bay) ends
        # in the day before.
        first = (low.astimezone(self.info) - timedelta(hours=25)).date()
        last = (high.astimezone(self.info) + timedelta(hours=8)).date()
        moments = {moment for wall in self.walls(first, last) for moment in self.moments(wall)}
        return sorted(moment for moment in moments if low < moment <= high)

    def walls(self, first: date, last: date) -> Iterator[datetime]:
        day = first
        while day <= last:
            if self.is_day(day):
                midnight = datetime.combine(day, time())
                for hour in range(24):
                    if hour in self.hours:
                        yield from self.in_hour(midnight + timedelta(hours=hour))
            day += DAY

    def in_hour(self, hour: datetime) -> Iterator[datetime]:
        for minute in range(60):
            if minute in self.minutes:
                for second in self.seconds:
                    yield hour.replace(minute=minute, second=second)

    def is_day(self, day: date) -> bool:
        if day.month not in self.months or (self.years and day.year not in self.years):
            return False
        return self.fits_day(day)

    def moments(self, wall: datetime) -> list[datetime]:
        times = self.when(wall)
        if not times:
            return self.jumped_over(wall)
        return {"first": times[:1], "second": times[-1:], "both": times}[self.fold]

    def when(self, wall: datetime) -> list[datetime]:
        """Return the instants at which the wall clock shows this time."""
        both = {wall.replace(tzinfo=self.info, fold=fold).astimezone(UTC) for fold in (0, 1)}
        return sorted(one for one in both if self.shown(one) == wall)

    def shown(self, moment: datetime) -> datetime:
        return moment.astimezone(self.info).replace(tzinfo=None, fold=0)

    def jumped_over(self, wall: datetime) -> list[datetime]:
        if self.gap == "skip":
            return []
        if self.gap == "same":
            # Before a gap, fold=0 means the offset that was in force until then (PEP 495).
            return [wall.replace(tzinfo=self.info, fold=0).astimezone(UTC)]
        later = wall
        while not self.when(later):
            later += MINUTE
        moment = self.when(later)[0]
        while self.shown(moment - SECOND) > wall:
            moment -= SECOND
        return [moment]


def _numbers(text: str, low: int, high: int, names: list[str] | None = None) -> set[int]:
    found: set[int] = set()
    for item in text.split(","):
        span, _, step = item.partition("/")
        first, _, last = span.partition("-")
        if first == "*":
            begin, end = low, high
        else:
            begin = _number(first, names)
            end = _number(last, names) if last else (high if step else begin)
        if end < begin:
            end += high - low + 1
        found |= {(n - low) % (high - low + 1) + low for n in range(begin, end + 1, int(step or 1))}
    return found


def _number(text: str, names: list[str] | None) -> int:
    return names.index(text) if names and text in names else int(text)


def _day_test(day: str, weekday: str, dialect: str) -> DayTest:
    by_month = [_month_day_test(item) for item in day.split(",")]
    by_week = [_weekday_test(item, dialect) for item in weekday.split(",")]

    def fits(when: date) -> bool:
        fits_month = any(test(when) for test in by_month)
        fits_week = any(test(when) for test in by_week)
        if _is_open(day, dialect) or _is_open(weekday, dialect):
            return fits_month and fits_week
        return fits_month or fits_week

    return fits


def _is_open(text: str, dialect: str) -> bool:
    if dialect == "kubernetes":
        return any(item in {"*", "?", "*/1"} for item in text.split(","))
    return text[0] in "*?"


def _length(when: date) -> int:
    return calendar.monthrange(when.year, when.month)[1]


def _month_day_test(item: str) -> DayTest:
    if item == "?":
        return lambda _: True
    if item.startswith("L") or item.endswith("W"):
        return lambda when: when.day == _special_day(item, when)
    days = _numbers(item, 1, 31)
    return lambda when: when.day in days


def _special_day(item: str, when: date) -> int | None:
    length = _length(when)
    text = item.removesuffix("W")
    target = length - int(text[2:] or 0) if text.startswith("L") else int(text)
    if not 1 <= target <= length:
        return None
    if not item.endswith("W"):
        return target
    working = [n for n in range(1, length + 1) if when.replace(day=n).isoweekday() < 6]
    return min(working, key=lambda n: (abs(n - target), n))


def _weekday_test(item: str, dialect: str) -> DayTest:
    if item in {"?", "*"}:
        return lambda _: True
    shift = 1 if dialect == "quartz" else 0
    if "#" in item:
        name, nth = item.split("#")
        wanted = _weekday(name, shift)
        return lambda when: when.isoweekday() % 7 == wanted and (when.day - 1) // 7 + 1 == int(nth)
    if item.endswith("L"):
        wanted = _weekday(item[:-1], shift)
        return lambda when: when.isoweekday() % 7 == wanted and when.day + 7 > _length(when)
    names = [*DAY_NAMES] if shift == 0 else ["", *DAY_NAMES]
    high = 6 + shift
    numbers = {(n - shift) % 7 for n in _numbers(item, shift, high, names)}
    return lambda when: when.isoweekday() % 7 in numbers


def _weekday(text: str, shift: int) -> int:
    return DAY_NAMES.index(text) if text in DAY_NAMES else (int(text) - shift) % 7
