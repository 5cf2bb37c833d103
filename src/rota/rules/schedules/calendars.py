"""Business calendars: which days are worked, and where a firing on a day off moves.

Holidays of countries and markets come from the `holidays` library. They change with laws, so a
calendar has a version: when it changes, stored next times are computed anew.
"""

from __future__ import annotations

import hashlib
from calendar import monthrange
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from functools import cache, lru_cache
from importlib.metadata import version as version_of
from types import ModuleType

import msgspec

from rota.errors import BadInput, BadOption
from rota.model.schedules.definitions import Calendar, Roll
from rota.rules.text.checks import hint, whole_number
from rota.rules.text.moments import read_date

LONGEST_CLOSURE = 366
"""The most days off in a row; a calendar that is closed for longer counts as closed for good."""
_DAY = timedelta(days=1)
_DAY_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class BusinessDays:
    """A compiled calendar; get it from `business_days()`."""

    def __init__(self, calendar: Calendar) -> None:
        self._weekend = _weekend(calendar.weekend)
        self._off = {read_date("calendar: off", text) for text in calendar.off}
        self._on = {read_date("calendar: on", text) for text in calendar.on}
        self._holidays = None if calendar.country is None else _holidays_of(calendar.country)
        if both := self._off & self._on:
            raise BadOption(f"calendar: {min(both)} is both in off and in on")
        if len(self._weekend) == len(_DAY_NAMES) and not self._on:
            raise BadOption("calendar: weekend has all seven days, so no day is a business day")

    def is_open(self, day: date) -> bool:
        """Whether the day is a business day."""
        return self.why_closed(day) is None

    def why_closed(self, day: date) -> str | None:
        """Return `Christmas Day`, `Saturday` or `day off`; None for a business day."""
        if day in self._on:
            return None
        if self._holidays is not None and day in (holidays := self._holidays(day.year)):
            return holidays[day]
        if day in self._off:
            return "day off"
        return _DAY_NAMES[day.weekday()] if day.weekday() in self._weekend else None

    def holiday(self, day: date) -> str | None:
        """Return why the day is off, unless it is a weekend."""
        why = self.why_closed(day)
        return None if why == _DAY_NAMES[day.weekday()] else why

    def next_open(self, day: date) -> date | None:
        """Return the first business day that is not earlier; None if all are off for a year."""
        return self._walk(day, _DAY)

    def previous_open(self, day: date) -> date | None:
        """Return the last business day that is not later; None if all are off for a year."""
        return self._walk(day, -_DAY)

    def roll(self, day: date, rule: Roll) -> date | None:
        """Return the day to which a firing moves, or None; the order of days never changes."""
        if rule == "skip":
            return day if self.is_open(day) else None
        if rule == "previous":
            return self.previous_open(day)
        following = self.next_open(day)
        is_kept = following is not None and following.month == day.month
        if rule == "next" or is_kept:
            return following
        return self.previous_open(day)

    def open_days(self, year: int, month: int) -> list[date]:
        """Return the business days of a month, in order."""
        days = (date(year, month, day) for day in range(1, monthrange(year, month)[1] + 1))
        return [day for day in days if self.is_open(day)]

    def _walk(self, day: date, step: timedelta) -> date | None:
        for _ in range(LONGEST_CLOSURE):
            if self.is_open(day):
                return day
            day += step
        return None


@lru_cache(maxsize=1_024)
def business_days(calendar: Calendar) -> BusinessDays:
    """Compile a calendar; BadOption says what is wrong with it."""
    return BusinessDays(calendar)


def find_calendar(
    calendar: str | Calendar | None, calendars: Mapping[str, Calendar]
) -> Calendar | None:
    """Return the calendar: a stored one by its name, or a country or market by its code.

    A code brings the weekend of the country; a calendar in full has its own.
    """
    if not isinstance(calendar, str):
        return calendar
    if calendar in calendars:
        return calendars[calendar]
    _split(calendar, calendars)
    return Calendar(country=calendar, weekend=_weekend_of(calendar))


def is_code(name: str) -> bool:
    """Whether the name is a country or a market; any other name can only be a stored calendar."""
    try:
        _split(name)
    except BadInput:
        return False
    return True


def calendar_version(calendar: Calendar) -> str:
    """Return a text that changes when the calendar, or the data behind its country, changes."""
    data = msgspec.json.encode(calendar)
    if calendar.country is not None:
        data += version_of("holidays").encode()
    return hashlib.sha256(data).hexdigest()[:16]


def _weekend(days: tuple[int, ...]) -> frozenset[int]:
    return frozenset(whole_number("calendar: weekend", day, 0, 6) for day in days)


def _holidays_of(code: str) -> Callable[[int], Mapping[date, str]]:
    """Return the holidays by year. Each year is complete before it is shared between threads."""
    name, part = _split(code)

    @cache
    def in_year(year: int) -> Mapping[date, str]:
        library = _library()
        if name in library.list_supported_countries():
            holidays = library.country_holidays(
                name, subdiv=part, years=year, expand=False, language="en_US"
            )
        else:
            holidays = library.financial_holidays(name, subdiv=part, years=year, expand=False)
        return dict(holidays)

    return in_year


@cache
def _weekend_of(code: str) -> tuple[int, ...]:
    name, part = _split(code)
    if name not in _library().list_supported_countries():
        return Calendar().weekend
    return tuple(sorted(_library().country_holidays(name, subdiv=part).weekend))


def _split(code: str, calendars: Mapping[str, Calendar] | None = None) -> tuple[str, str | None]:
    """Split `US-CA` into country and part; BadOption for a code that the library lacks."""
    name, _, part = code.partition("-")
    parts = _parts()
    if name not in parts:
        near = hint(code, calendars or ()) or hint(code.upper(), parts)
        raise BadOption(
            f"calendar={code!r:.64} is neither a stored calendar nor the code of a country or "
            f"a market such as FR, US-CA or XNYS.{near}"
        )
    if part and part not in parts[name]:
        near = hint(part.upper(), parts[name]) or f" It has: {', '.join(parts[name]) or 'none'}."
        raise BadOption(f"calendar={code!r:.64}: {name} has no part {part!r:.40}.{near}")
    return name, part or None


@cache
def _parts() -> Mapping[str, tuple[str, ...]]:
    library = _library()
    listed = library.list_supported_countries() | library.list_supported_financial()
    return {code: tuple(parts) for code, parts in listed.items()}


def _library() -> ModuleType:
    """Import the library late: it takes 0.2 s, and most schedules have no calendar."""
    import holidays  # noqa: PLC0415 - see above

    return holidays
