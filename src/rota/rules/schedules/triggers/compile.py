"""Compile the data of a schedule into a timetable.

Equal inputs share a timetable: of a million schedules with `0 6 * * *` in one zone, only the first
is compiled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import assert_never

import msgspec

from rota.errors import BadOption
from rota.model.schedules.definitions import (
    AnyOf,
    At,
    BusinessDay,
    Calendar,
    CalendarEvery,
    Cron,
    Every,
    Fold,
    Gap,
    OnEvent,
    Roll,
    Rrule,
    Schedule,
    Trigger,
    Unless,
)
from rota.rules.schedules.calendars import business_days, find_calendar
from rota.rules.schedules.cron import compile_cron
from rota.rules.schedules.timetable import Never, Timetable
from rota.rules.schedules.triggers.any_of import Union
from rota.rules.schedules.triggers.at import compile_at
from rota.rules.schedules.triggers.bounds import Bounded
from rota.rules.schedules.triggers.business_day import business_walls
from rota.rules.schedules.triggers.calendar_every import calendar_walls
from rota.rules.schedules.triggers.every import compile_every
from rota.rules.schedules.triggers.rolled import OpenDays, Rolled
from rota.rules.schedules.triggers.rrule import compile_rrule
from rota.rules.schedules.triggers.unless import UnlessAt, UnlessDay
from rota.rules.schedules.triggers.wall_times import OnWalls, Walls
from rota.rules.schedules.zones import Zone, zone
from rota.rules.text.moments import read_bound
from rota.rules.text.names import check_name

MAX_DEPTH = 8
MAX_TRIGGERS = 100
_HASHED = re.compile(r"(?<![a-z])h(?![a-z])", re.IGNORECASE)


class _Question(msgspec.Struct, frozen=True, kw_only=True):
    """All inputs that determine a timetable."""

    trigger: Trigger
    zone: str
    gap: Gap
    fold: Fold
    start: str | None = None
    end: str | None = None
    calendar: Calendar | None = None
    roll: Roll = "skip"
    seed: str = ""


def compile_schedule(
    schedule: Schedule, *, seed: str, calendars: Mapping[str, Calendar]
) -> Timetable:
    """Compile a schedule: trigger, days off, bounds. BadInput says what is wrong.

    `seed` decides the values of `H` in cron lines; schedules pass their name. `calendars` are the
    stored ones by name.
    """
    return _compile(
        _Question(
            trigger=schedule.trigger,
            zone=schedule.zone,
            gap=schedule.gap,
            fold=schedule.fold,
            start=schedule.start,
            end=schedule.end,
            calendar=find_calendar(schedule.calendar, calendars),
            roll=schedule.roll,
            seed=seed if is_spread(schedule.trigger) else "",
        )
    )


def compile_trigger(trigger: Trigger, *, zone: str = "UTC", seed: str = "") -> Timetable:
    """Compile a trigger alone, with the default policies."""
    return compile_schedule(Schedule(trigger=trigger, zone=zone), seed=seed, calendars={})


def each_trigger(trigger: Trigger, depth: int = 1) -> Iterator[Trigger]:
    """Yield a trigger and those inside it; BadOption if they are nested too deep."""
    if depth > MAX_DEPTH:
        raise BadOption(f"trigger: nested more than {MAX_DEPTH} deep")
    yield trigger
    if isinstance(trigger, AnyOf):
        for each in trigger.triggers:
            yield from each_trigger(each, depth + 1)
    elif isinstance(trigger, Unless):
        yield from each_trigger(trigger.trigger, depth + 1)
        yield from each_trigger(trigger.exclude, depth + 1)


def is_spread(trigger: Trigger) -> bool:
    """Whether a cron line in it has an `H`: then schedules of other names fire at other times."""
    crons = (each for each in each_trigger(trigger) if isinstance(each, Cron))
    return any(_HASHED.search(str(cron.expression)) for cron in crons)


@lru_cache(maxsize=4_096)
def _compile(question: _Question) -> Timetable:
    where = zone(question.zone)
    start = None if question.start is None else read_bound("start", question.start, where)
    end = None if question.end is None else read_bound("end", question.end, where)
    if start is not None and end is not None and end < start:
        raise BadOption(
            f"end={question.end!r} is before start={question.start!r}; nothing would fire"
        )
    _check_shape(question)
    timetable = _on_open_days(_timetable(question.trigger, question, where, start), question, where)
    return timetable if start is None and end is None else Bounded(timetable, start, end)


def _check_shape(question: _Question) -> None:
    triggers = list(each_trigger(question.trigger))
    if len(triggers) > MAX_TRIGGERS:
        raise BadOption(f"trigger: {len(triggers)} of them joined, more than {MAX_TRIGGERS}")
    counts_from_end = any(isinstance(each, Every) and each.from_end for each in triggers)
    if counts_from_end and len(triggers) > 1:
        raise BadOption("every: from_end counts from runs, so it cannot be joined with triggers")
    if counts_from_end and question.calendar is not None:
        raise BadOption("every: from_end counts from runs, so it cannot have a calendar")
    _check_event(question, triggers)
    if question.calendar is None and question.roll != "skip":
        raise BadOption(f"roll={question.roll!r} moves firings on days off; give the calendar too")


def _check_event(question: _Question, triggers: list[Trigger]) -> None:
    events = [each for each in triggers if isinstance(each, OnEvent)]
    for each in events:
        check_name("event", each.event)
    if events and len(triggers) > 1:
        raise BadOption(
            "event: an event is not a rule of time and cannot be joined; make two schedules"
        )
    if events and question.calendar is not None:
        raise BadOption("event: an event has no times of its own, so it cannot have a calendar")


def _on_open_days(timetable: Timetable, question: _Question, where: Zone) -> Timetable:
    if question.calendar is None or isinstance(question.trigger, BusinessDay):
        return timetable
    days = business_days(question.calendar)
    if question.roll == "skip":
        return OpenDays(timetable, days, where)
    return Rolled(timetable, days, question.roll, zone=where, gap=question.gap, fold=question.fold)


def _timetable(  # noqa: PLR0911  # one each
    trigger: Trigger, question: _Question, where: Zone, start: int | None
) -> Timetable:
    match trigger:
        case Cron():
            return compile_cron(
                trigger, zone=where, gap=question.gap, fold=question.fold, seed=question.seed
            )
        case Every():
            return compile_every(trigger, zone=where, start=start)
        case At():
            return compile_at(trigger, zone=where, gap=question.gap, fold=question.fold)
        case Rrule():
            return compile_rrule(trigger, zone=where, gap=question.gap, fold=question.fold)
        case CalendarEvery() | BusinessDay():
            walls = _walls(trigger, question.calendar)
            return OnWalls(walls, zone=where, gap=question.gap, fold=question.fold)
        case OnEvent():
            return Never()
        case AnyOf() | Unless():
            return _join(trigger, question, where)
    assert_never(trigger)


def _walls(trigger: CalendarEvery | BusinessDay, calendar: Calendar | None) -> Walls:
    if isinstance(trigger, BusinessDay):
        return business_walls(trigger, calendar)
    return calendar_walls(trigger)


def _join(trigger: AnyOf | Unless, question: _Question, where: Zone) -> Timetable:
    if isinstance(trigger, AnyOf):
        if not trigger.triggers:
            raise BadOption("any_of is empty; give at least one trigger")
        return Union([_timetable(each, question, where, None) for each in trigger.triggers])
    base = _timetable(trigger.trigger, question, where, None)
    exclude = _timetable(trigger.exclude, question, where, None)
    return (UnlessDay if trigger.whole_day else UnlessAt)(base, exclude, where)
