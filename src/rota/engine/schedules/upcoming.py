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
    asked = planned(tx, namespace=namespace, end=end, compiled=compiled)
    wanted = [one for one in asked.all if is_wanted(one.row["job"])]
    each = [_of(one, start=start, end=end) for one in wanted]
    frequent: list[str] = []
    if most_each is not None:
        each = [iter(rare) for rare in _rare(each, most_each, frequent)]
    found = list(islice(merge(*each), limit + 1))
    return UpcomingFirings(
        firings=_marked(found[:limit], wanted),
        is_cut=len(found) > limit or asked.is_cut,
        frequent=frequent,
        days_off=_days_off(wanted, asked.calendars, start=start, end=end),
        shifts=_shifts(wanted, start=start, end=end),
    )


def _marked(found: list[_Instant], wanted: Sequence[StoredPlan]) -> list[UpcomingFiring]:
    tables = {one.row["name"]: one.plan.table for one in wanted}
    firings_to_come = []
    for at, schedule, job in found:
        marks = tables[schedule].marks(at)
        firings_to_come.append(
            UpcomingFiring(
                at=moment(at), schedule=schedule, job=job, mark=mark_of(marks), marks=marks
            )
        )
    return firings_to_come


def _days_off(
    wanted: Sequence[StoredPlan], known: Mapping[str, Calendar], *, start: int, end: int
) -> list[CalendarDayOff]:
    """Days off by calendar, in the zone of the first schedule that names the calendar."""
    zones: dict[tuple[str, Calendar], str] = {}
    for one in wanted:
        given = one.plan.schedule.calendar
        calendar = find_calendar(given, known)
        if calendar is not None and len(zones) < FEW:
            name = given if isinstance(given, str) else calendar.country or ""
            zones.setdefault((name, calendar), one.plan.schedule.zone)
    found = sorted(
        day
        for (name, calendar), where in zones.items()
        for day in days_off(name, business_days(calendar), zone(where), start, end)
    )
    return [CalendarDayOff(day=each.day, calendar=each.calendar, why=each.why) for each in found]


def _shifts(wanted: Sequence[StoredPlan], *, start: int, end: int) -> list[ClockShift]:
    names = dict.fromkeys(one.plan.schedule.zone for one in wanted)
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
        """How often it may still fire; None for no limit."""
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
    found = []
    for row in mine:
        with suppress(BadInput):
            plan = plan_of({**row, "version": 0}, compiled, calendars)
            found.append(StoredPlan(row, plan))
    known = {name: each.calendar for name, each in calendars.get(namespace, {}).items()}
    return StoredPlans(found, len(rows) > SCHEDULES, known)


def _rare(
    each: list[Iterator[_Instant]], most: int, frequent: list[str]
) -> Iterator[list[_Instant]]:
    """The firings of schedules with at most `most`; adds the names of others to `frequent`."""
    for instants in each:
        found = list(islice(instants, most + 1))
        if len(found) <= most:
            yield found
        else:
            frequent.append(found[0].schedule)


def _of(one: StoredPlan, *, start: int, end: int) -> Iterator[_Instant]:
    after, next_at = one.next_after(start), one.row["next_at"]
    instants: Iterator[int]
    if one.plan.follows_end:
        instants = iter((next_at,) if after < next_at else ())
    else:
        instants = firings(one.plan.table, after, end)
    for at in islice(instants, one.left):
        yield _Instant(at, one.row["name"], one.row["job"])
