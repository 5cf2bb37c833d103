"""The nth business day of each month, counted from either end."""

from __future__ import annotations

from datetime import datetime

from rota.errors import BadOption
from rota.model.schedules.definitions import BusinessDay, Calendar
from rota.rules.schedules.calendars import BusinessDays, business_days
from rota.rules.schedules.triggers.wall_times import Walls
from rota.rules.text.checks import whole_number
from rota.rules.text.moments import LATEST, read_time

MAX_NTH = 31
_MONTHS_AHEAD = 12 * 50
"""Months to search for a business day that high; fifty years without one mean never."""
_MONTHS = 12


class NthBusinessDay:
    """Fires at a time of day; a month with too few business days is skipped."""

    def __init__(self, days: BusinessDays, trigger: BusinessDay) -> None:
        self._days = days
        self._nth = trigger.nth
        self._time = read_time("time", trigger.time)

    def after(self, wall: datetime) -> datetime | None:
        first = wall.year * _MONTHS + wall.month - 1
        for months in range(first, first + _MONTHS_AHEAD):
            year, month = divmod(months, _MONTHS)
            if year > LATEST.year:
                return None
            instant_found = self._in_month(year, month + 1)
            if instant_found is not None and instant_found > wall:
                return instant_found
        return None

    def _in_month(self, year: int, month: int) -> datetime | None:
        days = self._days.open_days(year, month)
        if abs(self._nth) > len(days):
            return None
        day = days[self._nth - 1 if self._nth > 0 else self._nth]
        return datetime.combine(day, self._time)


def business_walls(trigger: BusinessDay, calendar: Calendar | None) -> Walls:
    """Compile the trigger; without a calendar, Monday to Friday are business days."""
    if whole_number("business_day", trigger.nth, -MAX_NTH, MAX_NTH) == 0:
        raise BadOption("business_day=0 is not a day; 1 is the first of the month, -1 the last")
    return NthBusinessDay(business_days(calendar or Calendar()), trigger)
