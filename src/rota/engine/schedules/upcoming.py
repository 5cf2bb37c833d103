"""Upcoming: the firings of all schedules between two instants, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from heapq import merge
from itertools import islice
from typing import NamedTuple

from rota.clock import moment
from rota.engine.schedules.compiled import CompiledSchedule, CompiledSchedules
from rota.engine.schedules.fire import load_calendars, plan_of
from rota.engine.schedules.next_firings import mark_of
from rota.errors import BadInput
from rota.model.schedules.definitions import Calendar
from rota.model.schedules.firing import CalendarDayOff, ClockShift, UpcomingFiring, UpcomingFirings
from rota.rules.schedules.calendars import business_days, find_calendar
from rota.rules.schedules.special_days import FEW, days_off, shifts
from rota.rules.schedules.timetable import firings
from rota.rules.schedules.zones import zone
from rota.store.base import Row, Tx

SCHEDULES = 5_000
"""The most schedules read, those that fire next first."""


class _Instant(NamedTuple):
    """A coming firing, ordered by time."""

    at: int
    schedule: str
    job: str


def upcoming(  # noqa: PLR0913  # when, how many and whose, all named
    tx: Tx,
    *,
    namespace: str,
    start: int,
    end: int,
    limit: int,
    most_each: int | None = None,
    compiled: CompiledSchedules,
    is_wanted: Callable[[str], bool] = lambda _: True,
) -> UpcomingFirings:
    """The firings of wanted jobs from `start`, or now if later, to `end`, both included."""
    plans = planned(tx, namespace=namespace, end=end, compiled=compiled)
    chosen = [one for one in plans.all if is_wanted(one.row["job"])]
    each = [_of(one, start=start, end=end) for one in chosen]
    frequent: list[str] = []
    if most_each is not None:
        each = [iter(rare) for rare in _rare(each, most_each, frequent)]
    instants = list(islice(merge(*each), limit + 1))
    return UpcomingFirings(
        firings=_mark(instants[:limit], chosen),
        is_cut=len(instants) > limit or plans.is_cut,
        frequent=frequent,
        days_off=_days_off(chosen, plans.calendars, start=start, end=end),
        shifts=_shifts(chosen, start=start, end=end),
    )


def _mark(instants: list[_Instant], plans: Sequence[StoredPlan]) -> list[UpcomingFiring]:
    tables = {one.row["name"]: one.plan.table for one in plans}
    firings_to_come = []
    for at, schedule, job in instants:
        marks = tables[schedule].marks(at)
        firings_to_come.append(
            UpcomingFiring(
                at=moment(at), schedule=schedule, job=job, mark=mark_of(marks), marks=marks
            )
        )
    return firings_to_come


def _days_off(
    plans: Sequence[StoredPlan], calendars: Mapping[str, Calendar], *, start: int, end: int
) -> list[CalendarDayOff]:
    """Days off by calendar, in the zone of the first schedule that names the calendar."""
    zones: dict[tuple[str, Calendar], str] = {}
    for one in plans:
        calendar_name = one.plan.schedule.calendar
        calendar = find_calendar(calendar_name, calendars)
        if calendar is not None and len(zones) < FEW:
            name = calendar_name if isinstance(calendar_name, str) else calendar.country or ""
            zones.setdefault((name, calendar), one.plan.schedule.zone)
    days = sorted(
        day
        for (name, calendar), where in zones.items()
        for day in days_off(name, business_days(calendar), zone(where), start, end)
    )
    return [CalendarDayOff(day=each.day, calendar=each.calendar, why=each.why) for each in days]


def _shifts(plans: Sequence[StoredPlan], *, start: int, end: int) -> list[ClockShift]:
    names = dict.fromkeys(one.plan.schedule.zone for one in plans)
    return [
        ClockShift(at=moment(each.at), zone=each.zone, seconds=each.by_ms / 1_000)
        for each in shifts(map(zone, islice(names, FEW)), start, end)
    ]


class StoredPlan(NamedTuple):
    """A stored schedule and its plan."""

    row: Row
    plan: CompiledSchedule

    def next_after(self, start: int) -> int:
        """The instant after which the coming firings lie."""
        cursor_at, now = int(self.row["cursor_at"]), int(self.row["now"])
        return max(start - 1, cursor_at, now - 1)

    @property
    def left(self) -> int | None:
        """Return how often the schedule may still fire; None for no limit."""
        count = self.plan.schedule.count
        return None if count is None else max(0, count - self.row["fired"])


class StoredPlans(NamedTuple):
    """Schedules that fire by time, and whether there are more of them."""

    all: list[StoredPlan]
    is_cut: bool
    calendars: Mapping[str, Calendar]


def planned(tx: Tx, *, namespace: str, end: int, compiled: CompiledSchedules) -> StoredPlans:
    """The schedules that fire by `end`, without unreadable ones, which a scheduler reports."""
    rows = tx.all("upcoming_schedules", namespace=namespace, until=end, limit=SCHEDULES + 1)
    mine = rows[:SCHEDULES]
    calendars = load_calendars(tx, mine)
    plans = []
    for row in mine:
        with suppress(BadInput):
            plan = plan_of({**row, "version": 0}, compiled, calendars)
            plans.append(StoredPlan(row, plan))
    stored_calendars = {name: each.calendar for name, each in calendars.get(namespace, {}).items()}
    return StoredPlans(plans, len(rows) > SCHEDULES, stored_calendars)


def _rare(
    each: list[Iterator[_Instant]], most: int, frequent: list[str]
) -> Iterator[list[_Instant]]:
    """The firings of schedules with at most `most`; adds the names of others to `frequent`."""
    for instants in each:
        firings = list(islice(instants, most + 1))
        if len(firings) <= most:
            yield firings
        else:
            frequent.append(firings[0].schedule)


def _of(one: StoredPlan, *, start: int, end: int) -> Iterator[_Instant]:
    after, next_at = one.next_after(start), one.row["next_at"]
    instants: Iterator[int]
    if one.plan.follows_end:
        instants = iter((next_at,) if after < next_at else ())
    else:
        instants = firings(one.plan.table, after, end)
    for at in islice(instants, one.left):
        yield _Instant(at, one.row["name"], one.row["job"])
