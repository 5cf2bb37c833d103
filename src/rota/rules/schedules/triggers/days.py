"""Firings by the day of the wall clock."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from rota.rules.schedules.timetable import Timetable, firings
from rota.rules.schedules.zones import Zone
from rota.rules.text.moments import day_end, day_start, midnight

SEARCH_MS = 50 * 366 * 86_400_000
"""Only days left out for fifty years mean that no firing will follow."""


def firings_on(timetable: Timetable, day: date, zone: Zone) -> Iterator[int]:
    """Yield the firings of one day, in order."""
    first, last = day_start(day, zone), day_end(day, zone)
    return (at for at in firings(timetable, first - 1, last) if zone.wall(at).date() == day)


def after_day(timetable: Timetable, at: int, zone: Zone) -> int | None:
    """Return the next firing that may be on another day than `at`.

    Clocks that are put back past midnight (St. John's, 00:01 to 23:01) leave a day and return to
    it; then the rest of the day cannot be skipped.
    """
    day = zone.wall(at).date()
    starts = zone.instants(midnight(day))
    if len(starts) > 1 and at < starts[-1]:
        return timetable.after(at)
    return timetable.after(max(at, day_start(day + timedelta(days=1), zone) - 1))
