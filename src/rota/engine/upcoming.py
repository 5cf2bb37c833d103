"""Upcoming: the firings of all schedules between two instants, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import merge
from itertools import islice

import msgspec

from rota.engine.fire import Calendars, load_calendars, plan_of
from rota.engine.timetables import Timetables
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
    rows = tx.all("upcoming_schedules", namespace=namespace, until=end, limit=SCHEDULES + 1)
    mine = [row for row in rows[:SCHEDULES] if is_wanted(row["job"])]
    calendars = load_calendars(tx, mine)
    each = [_of(row, timetables, calendars, start=start, end=end) for row in mine]
    frequent: list[str] = []
    if most_each is not None:
        each = [iter(rare) for rare in _rare(each, most_each, frequent)]
    found = list(islice(merge(*each), limit + 1))
    is_cut = len(found) > limit or len(rows) > SCHEDULES
    return Upcoming(firings=found[:limit], is_cut=is_cut, frequent=frequent)


def _rare(each: list[Iterator[Coming]], most: int, frequent: list[str]) -> Iterator[list[Coming]]:
    """Those of schedules with at most so many; the names of the others are put aside."""
    for instants in each:
        found = list(islice(instants, most + 1))
        if len(found) <= most:
            yield found
        else:
            frequent.append(found[0].schedule)


def _of(
    row: Row, timetables: Timetables, calendars: Calendars, *, start: int, end: int
) -> Iterator[Coming]:
    try:
        plan = plan_of({**row, "version": 0}, timetables, calendars)
    except BadInput:
        return  # a scheduler finds the same and says so at the schedule
    after = max(start - 1, row["cursor_at"], row["now"] - 1)
    instants: Iterator[int]
    if plan.follows_end:
        instants = iter((row["next_at"],) if after < row["next_at"] else ())
    else:
        instants = firings(plan.table, after, end)
    if plan.schedule.count is not None:
        instants = islice(instants, max(0, plan.schedule.count - row["fired"]))
    for at in instants:
        yield Coming(at, row["name"], row["job"])
