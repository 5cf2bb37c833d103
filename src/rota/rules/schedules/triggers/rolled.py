"""Firings on days off: removed, or moved to a business day at the same wall time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from datetime import date, datetime, timedelta

from rota.errors import BadOption
from rota.model.schedules.definitions import Fold, Gap, Roll
from rota.rules.schedules.calendars import BusinessDays
from rota.rules.schedules.timetable import Timetable
from rota.rules.schedules.triggers.days import SEARCH_MS, after_day, firings_on
from rota.rules.schedules.zones import Zone
from rota.rules.text.moments import EARLIEST_MS, LATEST_MS, day_start, long_date, resolve

MAX_TURNS = 1_000
MAX_A_DAY = 1_440
"""The most firings of one day that may be moved: once a minute."""
TOO_MANY = (
    f"roll moves at most {MAX_A_DAY:,} firings of one day; fire less often, or leave out "
    "days off with roll='skip'"
)
_DAY = timedelta(days=1)
_KEPT_DAYS = 8


class OpenDays:
    """Keeps only firings on business days."""

    def __init__(self, timetable: Timetable, days: BusinessDays, zone: Zone) -> None:
        self._timetable = timetable
        self._days = days
        self._zone = zone

    def after(self, instant: int) -> int | None:
        at = first = self._timetable.after(instant)
        while at is not None and first is not None and at <= first + SEARCH_MS:
            if self._days.is_open(self._zone.wall(at).date()):
                return at
            at = after_day(self._timetable, at, self._zone)
        return None

    def marks(self, instant: int) -> tuple[str, ...]:
        return self._timetable.marks(instant)


class Rolled:
    """Moves firings on days off; those that then coincide become one firing.

    Rolling keeps the order of days, so the days that end up on one business day are neighbours.
    Their firings are computed once for each business day.
    """

    def __init__(
        self,
        timetable: Timetable,
        days: BusinessDays,
        roll: Roll,
        *,
        zone: Zone,
        gap: Gap,
        fold: Fold,
    ) -> None:
        self._timetable = timetable
        self._days = days
        self._roll: Roll = roll
        self._zone = zone
        self._gap: Gap = gap
        self._fold: Fold = fold
        self._known: dict[date, Mapping[int, date]] = {}

    def after(self, instant: int) -> int | None:
        if instant >= LATEST_MS:
            return None
        # A day earlier: clocks put back past midnight come to yesterday again.
        source = self._zone.wall(max(instant, EARLIEST_MS)).date() - _DAY
        best: int | None = None
        for _ in range(MAX_TURNS):
            target = self._days.roll(source, self._roll)
            if target is None:
                return best
            if best is not None and target > self._zone.wall(best).date() + _DAY:
                return best
            rolled = self._first(target, instant)
            best = rolled if best is None else min(best, rolled or best)
            following = self._timetable.after(
                day_start(self._sources(target)[-1] + _DAY, self._zone) - 1
            )
            if following is None:
                return best
            source = max(self._sources(target)[-1] + _DAY, self._zone.wall(following).date())
        return best

    def marks(self, instant: int) -> tuple[str, ...]:
        day = self._zone.wall(instant).date()
        source = self._on(day).get(instant, day)
        if source == day:
            return self._timetable.marks(instant)
        return (f"moved from {long_date(source)} ({self._days.why_closed(source)})",)

    def _first(self, target: date, instant: int) -> int | None:
        """Return the first later firing of a business day."""
        instants = list(self._on(target))
        index = bisect_right(instants, instant)
        return instants[index] if index < len(instants) else None

    def _on(self, target: date) -> Mapping[int, date]:
        """Return the firings of a business day in order, each with its original day."""
        cached = self._known.get(target)
        if cached is None:
            cached = self._gather(target)
            recent = list(self._known.items())[1 - _KEPT_DAYS :]
            self._known = dict(recent) | {target: cached}
        return cached

    def _gather(self, target: date) -> Mapping[int, date]:
        sources: dict[int, date] = {}
        for source in self._sources(target):
            for number, at in enumerate(firings_on(self._timetable, source, self._zone)):
                if number >= MAX_A_DAY:
                    raise BadOption(TOO_MANY)
                if source == target:
                    sources[at] = target
                else:
                    moved = datetime.combine(target, self._zone.wall(at).time())
                    for to in self._resolve(moved):
                        sources.setdefault(to, source)
        return dict(sorted(sources.items()))

    def _resolve(self, wall: datetime) -> tuple[int, ...]:
        return resolve(wall, zone=self._zone, gap=self._gap, fold=self._fold)

    def _sources(self, target: date) -> list[date]:
        """Return the days whose firings end up on this one, in order."""
        days = [target]
        while self._goes_to(days[0] - _DAY, target):
            days.insert(0, days[0] - _DAY)
        while self._goes_to(days[-1] + _DAY, target):
            days.append(days[-1] + _DAY)
        return days

    def _goes_to(self, day: date, target: date) -> bool:
        return not self._days.is_open(day) and self._days.roll(day, self._roll) == target
