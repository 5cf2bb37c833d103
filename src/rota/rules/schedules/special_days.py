"""Special days in a range of time: holidays of calendars, and shifts of clocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, timedelta

import msgspec

from rota.rules.schedules.calendars import BusinessDays
from rota.rules.schedules.zones import Zone

FEW = 100
"""The most calendars and zones to query; more give long answers that nobody reads."""


class DayOff(msgspec.Struct, frozen=True, order=True):
    """A day on which a calendar is closed, other than its weekends."""

    day: date
    why: str
    calendar: str


class Shift(msgspec.Struct, frozen=True, order=True):
    """Clocks of a zone go forward, or back if `by_ms` is negative."""

    at: int
    by_ms: int
    zone: str


def days_off(name: str, calendar: BusinessDays, zone: Zone, start: int, end: int) -> list[DayOff]:
    """Return the days off between two instants in a zone, in order."""
    return [
        DayOff(day, why, name)
        for day in _days(zone.wall(start).date(), zone.wall(end).date())
        if (why := calendar.holiday(day)) is not None
    ]


def shifts(zones: Iterable[Zone], start: int, end: int) -> list[Shift]:
    """Return the clock shifts between two instants, in order."""
    return sorted(
        Shift(at, zone.offset(at) - zone.offset(at - 1), zone.name)
        for zone in zones
        for at in zone.between(start, end)
    )


def _days(first: date, last: date) -> Iterator[date]:
    for number in range((last - first).days + 1):
        yield first + timedelta(days=number)
