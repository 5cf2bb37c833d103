"""iCalendar recurrence rules: days and longer by the wall clock, hours and shorter in real time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import islice

from rota.errors import BadOption
from rota.model.schedules.definitions import Fold, Gap, Rrule
from rota.rules.schedules.timetable import Timetable
from rota.rules.schedules.triggers.at import Instants
from rota.rules.schedules.triggers.every import Steps
from rota.rules.schedules.triggers.rrule_periods import RruleWalls
from rota.rules.schedules.triggers.rrule_text import Rule, read_rule
from rota.rules.schedules.triggers.unless import UnlessAt, UnlessDay
from rota.rules.schedules.triggers.wall_times import Listed, OnWalls, Walls
from rota.rules.schedules.zones import Zone
from rota.rules.text.duration import UNIT_MS
from rota.rules.text.moments import LATEST_MS, TICK, day_start, read_bound, read_wall, resolve

_REAL = {"HOURLY": UNIT_MS["h"], "MINUTELY": UNIT_MS["m"], "SECONDLY": UNIT_MS["s"]}


class Without:
    """Wall times without single exceptions and excluded days."""

    def __init__(self, walls: Walls, rule: Rule) -> None:
        self._walls = walls
        self._rule = rule

    def after(self, wall: datetime) -> datetime | None:
        next_wall = self._walls.after(wall)
        while next_wall is not None and self._is_off(next_wall):
            next_wall = self._walls.after(next_wall)
        return next_wall

    def _is_off(self, wall: datetime) -> bool:
        return wall in self._rule.off or wall.date() in self._rule.off_days


def compile_rrule(trigger: Rrule, *, zone: Zone, gap: Gap, fold: Fold) -> Timetable:
    """Compile a rule that is counted from a wall time.

    The start itself is a firing only if the rule matches it.
    """
    rule = read_rule(trigger.rule, zone)
    start = read_wall("start", trigger.start).replace(microsecond=0)
    if rule.freq in _REAL:
        return _real_time(rule, trigger.start, zone)
    walls: Walls = RruleWalls(rule, start)
    if rule.count is not None:
        walls = Listed(list(islice(_all(walls, start), rule.count)))
    if rule.off or rule.off_days:
        walls = Without(walls, rule)
    return OnWalls(walls, zone=zone, gap=gap, fold=fold)


def _all(walls: Walls, start: datetime) -> Iterator[datetime]:
    wall = walls.after(start - TICK)
    while wall is not None:
        yield wall
        wall = walls.after(wall)


def _real_time(rule: Rule, start: str, zone: Zone) -> Timetable:
    """Compile steps of real time: by the wall clock, an hour that comes twice would be lost."""
    if rule.has_by:
        raise BadOption(
            f"rrule: FREQ={rule.freq} with BY parts has no clear meaning on days when clocks "
            "change; use every or cron"
        )
    anchor = read_bound("start", start, zone)
    every = _REAL[rule.freq] * rule.interval
    last = LATEST_MS
    if rule.count is not None:
        last = anchor + every * (rule.count - 1)
    elif rule.until is not None:
        last = resolve(rule.until, zone=zone, gap="next", fold="both")[-1]
    steps: Timetable = Steps(anchor, every, last)
    if rule.off:
        off = Instants(at for wall in rule.off for at in zone.instants(wall))
        steps = UnlessAt(steps, off, zone)
    if rule.off_days:
        days = Instants(day_start(day, zone) for day in rule.off_days)
        steps = UnlessDay(steps, days, zone)
    return steps
