"""Every n days or months at a fixed wall time.

Each firing is counted from the start, not from the one before: a month that is too short does not
shorten the months after it.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import datetime, timedelta

from rota.errors import BadOption
from rota.model.schedules.definitions import CalendarEvery
from rota.rules.schedules.triggers.wall_times import Walls
from rota.rules.text.checks import whole_number
from rota.rules.text.moments import LATEST, read_wall

MAX_STEP = 10_000
_MONTHS = 12
_DAYS = 7


class EveryDays:
    """Fires at the start plus a multiple of whole days."""

    def __init__(self, start: datetime, days: int) -> None:
        self._start = start
        self._step = timedelta(days=days)

    def after(self, wall: datetime) -> datetime | None:
        count = max(0, (wall - self._start) // self._step + 1)
        if self._step * count > LATEST - self._start:
            return None
        return self._start + self._step * count


class EveryMonths:
    """Fires on a fixed day of the month; a month that lacks the day fires on its last day."""

    def __init__(self, start: datetime, months: int) -> None:
        self._start = start
        self._step = months

    def after(self, wall: datetime) -> datetime | None:
        apart = (wall.year - self._start.year) * _MONTHS + wall.month - self._start.month
        count = max(0, apart // self._step)
        following = self._nth(count)
        if following is not None and following <= wall:
            following = self._nth(count + 1)
        return following

    def _nth(self, count: int) -> datetime | None:
        months = self._start.year * _MONTHS + self._start.month - 1 + count * self._step
        year, month = divmod(months, _MONTHS)
        if year > LATEST.year:
            return None
        last = monthrange(year, month + 1)[1]
        return self._start.replace(year=year, month=month + 1, day=min(self._start.day, last))


def calendar_walls(trigger: CalendarEvery) -> Walls:
    """Compile the interval; zero, or a mix of days and months, is refused."""
    for field in ("days", "weeks", "months", "years"):
        whole_number(field, getattr(trigger, field), 0, MAX_STEP)
    days = trigger.days + _DAYS * trigger.weeks
    months = trigger.months + _MONTHS * trigger.years
    start = read_wall("start", trigger.start)
    if days and months:
        raise BadOption("days or weeks cannot be mixed with months or years; give one kind")
    if not days and not months:
        raise BadOption("a calendar interval of zero; give days, weeks, months or years")
    return EveryDays(start, days) if days else EveryMonths(start, months)
