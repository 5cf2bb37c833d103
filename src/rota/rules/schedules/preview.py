"""Upcoming firings, with notes on what is special about them."""

from __future__ import annotations

from itertools import islice

import msgspec

from rota.model.schedules.definitions import Schedule
from rota.rules.schedules.timetable import Timetable, firings
from rota.rules.text.checks import whole_number
from rota.rules.text.moments import LATEST_MS, wall_text

MAX_COUNT = 10_000


class Firing(msgspec.Struct, frozen=True, kw_only=True):
    """One instant of a schedule."""

    at: int
    wall: str
    """The wall time in the schedule's zone, with the offset."""
    marks: tuple[str, ...] = ()


def preview(
    schedule: Schedule,
    timetable: Timetable,
    *,
    after: int,
    count: int = 20,
    until: int | None = None,
) -> list[Firing]:
    """Return the next firings, at most `count`, and no more than the schedule has left in total."""
    whole_number("count", count, 1, MAX_COUNT)
    if schedule.count is not None:
        count = min(count, schedule.count)
    last = LATEST_MS if until is None else until
    return [
        Firing(at=at, wall=wall_text(at, schedule.zone), marks=timetable.marks(at))
        for at in islice(firings(timetable, after, last), count)
    ]
