"""Upcoming: the firings of all schedules between two instants, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from heapq import merge
from itertools import islice
from typing import NamedTuple

import msgspec

from rota.engine.fire import load_calendars, plan_of
from rota.engine.timetables import Plan, Timetables
from rota.errors import BadInput
from rota.rules.timetable import firings
from rota.store.base import Row, Tx

SCHEDULES = 5_000
"""Schedules that are looked at, those that fire next first."""


class Coming(msgspec.Struct, frozen=True, order=True):
    """A firing to come."""

    at: int
    schedule: str
    job: str


class Upcoming(msgspec.Struct, frozen=True, kw_only=True):
    """Some firings, and whether there are more in the same time."""

    firings: list[Coming]
    is_cut: bool
    frequent: list[str]
    """Schedules that fire more often than is told of each; none of their firings is among these."""


def upcoming(  # noqa: PLR0913  # when, how many and whose, all named
    tx: Tx,
    *,
    namespace: str,
    start: int,
    end: int,
    limit: int,
    most_each: int | None = None,
    timetables: Timetables,
    is_wanted: Callable[[str], bool] = lambda _: True,
) -> Upcoming:
    """From `start`, or now if that is later, to `end`, both included; of jobs that are wanted."""
    asked = planned(tx, namespace=namespace, end=end, timetables=timetables)
    each = [_of(one, start=start, end=end) for one in asked.all if is_wanted(one.row["job"])]
    frequent: list[str] = []
    if most_each is not None:
        each = [iter(rare) for rare in _rare(each, most_each, frequent)]
    found = list(islice(merge(*each), limit + 1))
    is_cut = len(found) > limit or asked.is_cut
    return Upcoming(firings=found[:limit], is_cut=is_cut, frequent=frequent)


class Planned(NamedTuple):
    """A schedule on record, and what it says."""

    row: Row
    plan: Plan

    def next_after(self, start: int) -> int:
        """Firings later than this one are still to come."""
        cursor_at, now = int(self.row["cursor_at"]), int(self.row["now"])
        return max(start - 1, cursor_at, now - 1)

    @property
    def left(self) -> int | None:
        """How often it may fire; None for ever."""
        count = self.plan.schedule.count
        return None if count is None else max(0, count - self.row["fired"])


class AllPlanned(NamedTuple):
    """Schedules that fire by themselves, and whether there are more of them."""

    all: list[Planned]
    is_cut: bool


def planned(tx: Tx, *, namespace: str, end: int, timetables: Timetables) -> AllPlanned:
    """Those that fire until then. What cannot be read is left out: a scheduler says so there."""
    rows = tx.all("upcoming_schedules", namespace=namespace, until=end, limit=SCHEDULES + 1)
    mine = rows[:SCHEDULES]
    calendars = load_calendars(tx, mine)
    found = []
    for row in mine:
        with suppress(BadInput):
            plan = plan_of({**row, "version": 0}, timetables, calendars)
            found.append(Planned(row, plan))
    return AllPlanned(found, len(rows) > SCHEDULES)


def _rare(each: list[Iterator[Coming]], most: int, frequent: list[str]) -> Iterator[list[Coming]]:
    """Those of schedules with at most so many; the names of the others are put aside."""
    for instants in each:
        found = list(islice(instants, most + 1))
        if len(found) <= most:
            yield found
        else:
            frequent.append(found[0].schedule)


def _of(one: Planned, *, start: int, end: int) -> Iterator[Coming]:
    after, next_at = one.next_after(start), one.row["next_at"]
    instants: Iterator[int]
    if one.plan.follows_end:
        instants = iter((next_at,) if after < next_at else ())
    else:
        instants = firings(one.plan.table, after, end)
    for at in islice(instants, one.left):
        yield Coming(at, one.row["name"], one.row["job"])
