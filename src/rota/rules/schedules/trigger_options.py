"""Triggers as people give them: a cron line, a struct, or the mapping of a YAML file.

"0 6 * * mon-fri"                                {cron: "0 6 * * *", dialect: quartz}
"@daily", "@every 90s", timedelta(seconds=90)    {every: 90s, anchor: "2026-01-01T00:10Z"}
datetime(2026, 3, 8, 7)                          {at: ["2026-03-08T07:00", "2026-04-01"]}
Rrule(rule="FREQ=DAILY", start="2026-01-01")     {rrule: FREQ=DAILY, start: 2026-01-01T06:00}
CalendarEvery(months=1, start="2026-01-31")      {every: {months: 1}, start: 2026-01-31T06:00}
BusinessDay(nth=-1, time="18:00")                {business_day: -1, time: "18:00"}
AnyOf(triggers=(...))                            {any_of: ["@daily", {every: 90s}]}
Unless(trigger=..., exclude=...)                 {trigger: "@hourly", unless: "0 2 * * *"}
OnEvent("orders.closed")                         {event: orders.closed}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from typing import Any, get_args

import msgspec
from msgspec.structs import replace

from rota.errors import BadOption
from rota.model.schedules.definitions import (
    AnyOf,
    At,
    BusinessDay,
    CalendarEvery,
    Cron,
    Dialect,
    Every,
    OnEvent,
    Rrule,
    Trigger,
    Unless,
)
from rota.rules.schedules.triggers.business_day import MAX_NTH
from rota.rules.schedules.triggers.compile import MAX_DEPTH, each_trigger
from rota.rules.schedules.triggers.every import read_every
from rota.rules.text.checks import hint, one_of, whole_number
from rota.rules.text.duration import format_duration
from rota.rules.text.names import check_name

_BESIDE: Mapping[str, frozenset[str]] = {
    "cron": frozenset({"dialect"}),
    "every": frozenset({"anchor", "from_end"}),
    "at": frozenset(),
    "rrule": frozenset({"start"}),
    "business_day": frozenset({"time"}),
    "any_of": frozenset(),
    "trigger": frozenset(),
    "event": frozenset(),
}
"""The key of each kind of trigger, and the keys that may stand beside it."""
_ANYWHERE = frozenset({"unless", "whole_day"})
_STEPS = ("days", "weeks", "months", "years")
_EVERY, _EVENT = "@every", "@event"
_FORMS = "give a cron line, a trigger, or a mapping with one of " + ", ".join(_BESIDE)


def read_trigger(value: object, *, field: str = "schedule", depth: int = 1) -> Trigger:
    """Read a trigger, with its texts kept as written; BadOption says what is wrong."""
    if depth > MAX_DEPTH:
        raise BadOption(f"{field}: triggers are nested more than {MAX_DEPTH} deep")
    if isinstance(value, str):
        return _from_text(field, value)
    if isinstance(value, timedelta):
        return Every(every=duration_text(value))
    if isinstance(value, date):
        return At(times=(time_text(field, value),))
    if isinstance(value, get_args(Trigger)):
        return _check(field, value)
    if isinstance(value, Mapping):
        own, rest = split_mapping(field, value)
        if rest:
            name = min(map(str, rest))
            allowed = {*_BESIDE, *_ANYWHERE}.union(*_BESIDE.values())
            raise BadOption(f"{field}: a trigger has no {name!r:.40}.{hint(name, allowed)}")
        return _from_mapping(field, own, depth)
    raise BadOption(f"{field}={value!r:.64} is not a trigger; {_FORMS}")


def split_mapping(
    field: str, values: Mapping[Any, Any]
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Split a mapping into the keys of the trigger and the policies of the schedule."""
    kinds = [kind for kind in _BESIDE if kind in values]
    if len(kinds) != 1:
        kinds_text = " and ".join(kinds) or "none"
        raise BadOption(f"{field}: it has {kinds_text} of {', '.join(_BESIDE)}; give exactly one")
    own = {kinds[0]} | _BESIDE[kinds[0]] | _ANYWHERE
    if isinstance(values.get("every"), Mapping):
        own = {"every", "start"} | _ANYWHERE
    return (
        {key: value for key, value in values.items() if key in own},
        {key: value for key, value in values.items() if key not in own},
    )


def duration_text(value: Any) -> str:
    """Return a duration as text: texts as written, numbers of seconds and timedeltas converted."""
    if isinstance(value, str):
        return value
    return format_duration(read_every(value))


def time_text(field: str, value: object) -> str:
    """Return the text of a time, a datetime or a date."""
    if isinstance(value, str):
        return value
    if isinstance(value, datetime | date):
        return value.isoformat()
    raise BadOption(f"{field}={value!r:.64} is neither a text nor a datetime")


def _from_text(field: str, text: str) -> Trigger:
    if text.strip().lower().startswith(_EVERY):
        return Every(every=text.strip()[len(_EVERY) :].strip())
    if text.strip().lower().startswith(_EVENT):
        return OnEvent(event=check_name("event", text.strip()[len(_EVENT) :].strip()))
    if not text.strip():
        raise BadOption(f"{field} is empty; {_FORMS}")
    return Cron(expression=text)


def _from_mapping(field: str, own: Mapping[str, Any], depth: int) -> Trigger:
    kind = next(kind for kind in _BESIDE if kind in own)
    trigger = _of_scalars(f"{field}: {kind}", _READERS[kind](own, f"{field}: {kind}", depth))
    if "unless" not in own:
        if "whole_day" in own:
            raise BadOption(f"{field}: whole_day= belongs to unless=; give that too")
        return trigger
    return Unless(
        trigger=trigger,
        exclude=read_trigger(own["unless"], field=f"{field}: unless", depth=depth + 1),
        whole_day=flag("whole_day", own.get("whole_day", False)),
    )


def flag(field: str, value: object) -> bool:
    """Return True or False; a value that only looks like one is refused."""
    if not isinstance(value, bool):
        raise BadOption(f"{field}={value!r:.64} is not true or false")
    return value


def _cron(own: Mapping[str, Any], field: str, _: int) -> Trigger:
    if not isinstance(own["cron"], str):
        raise BadOption(f"{field}={own['cron']!r:.64} is not a text; write it in quotes")
    dialect: Dialect = one_of("dialect", own.get("dialect", "vixie"), get_args(Dialect))
    return Cron(expression=own["cron"], dialect=dialect)


def _every(own: Mapping[str, Any], field: str, _: int) -> Trigger:
    every = own["every"]
    if isinstance(every, Mapping):
        return _calendar_every(own, every, field)
    anchor = own.get("anchor")
    return Every(
        every=duration_text(every),
        anchor=None if anchor is None else time_text("anchor", anchor),
        from_end=flag("from_end", own.get("from_end", False)),
    )


def _calendar_every(own: Mapping[str, Any], steps: Mapping[str, Any], field: str) -> Trigger:
    for name in steps:
        if name not in _STEPS:
            raise BadOption(f"{field} has no {name!r:.40}.{hint(name, _STEPS)}")
    if "start" not in own:
        raise BadOption(f"{field}: days, weeks, months and years count from start=; give it")
    return CalendarEvery(start=time_text("start", own["start"]), **steps)


def _at(own: Mapping[str, Any], _: str, __: int) -> Trigger:
    times = own["at"]
    each = times if isinstance(times, list | tuple) else [times]
    return At(times=tuple(time_text("at", time) for time in each))


def _rrule(own: Mapping[str, Any], field: str, _: int) -> Trigger:
    if "start" not in own:
        raise BadOption(f"{field}: a rule counts from start=, a wall time; give it")
    return Rrule(rule=own["rrule"], start=time_text("start", own["start"]))


def _business_day(own: Mapping[str, Any], _: str, __: int) -> Trigger:
    nth = whole_number("business_day", own["business_day"], -MAX_NTH, MAX_NTH)
    return BusinessDay(nth=nth, time=own.get("time", "00:00"))


def _any_of(own: Mapping[str, Any], field: str, depth: int) -> Trigger:
    each = own["any_of"]
    if not isinstance(each, list | tuple):
        raise BadOption(f"{field}={each!r:.64} is not a list of triggers")
    return AnyOf(triggers=tuple(read_trigger(one, field=field, depth=depth + 1) for one in each))


def _trigger(own: Mapping[str, Any], field: str, depth: int) -> Trigger:
    value = own["trigger"]
    if isinstance(value, Mapping) and "type" in value:
        return _convert(field, value)
    return read_trigger(value, field=field, depth=depth + 1)


def _event(own: Mapping[str, Any], _: str, __: int) -> Trigger:
    return OnEvent(event=check_name("event", own["event"]))


_READERS: Mapping[str, Callable[[Mapping[str, Any], str, int], Trigger]] = {
    "cron": _cron,
    "every": _every,
    "at": _at,
    "rrule": _rrule,
    "business_day": _business_day,
    "any_of": _any_of,
    "trigger": _trigger,
    "event": _event,
}


def _check(field: str, trigger: Any) -> Trigger:
    """Check a struct against its types, as one from Python may hold anything."""
    if isinstance(trigger, AnyOf | Unless):
        list(each_trigger(trigger))  # refuses those that are nested without end
    if isinstance(trigger, Every):
        trigger = replace(trigger, every=duration_text(trigger.every))
    if isinstance(trigger, At):
        trigger = _at({"at": trigger.times}, field, 1)
    try:
        data = msgspec.to_builtins(trigger)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadOption(f"{field}: {error}") from error
    return _convert(field, data)


def _of_scalars(field: str, trigger: Trigger) -> Trigger:
    """Refuse a list or a mapping as a part; other wrong types are named where a part is read."""
    try:
        hash(trigger)
    except TypeError:
        return _check(field, trigger)
    return trigger


def _convert(field: str, data: object) -> Trigger:
    try:
        trigger: Trigger = msgspec.convert(data, type=Trigger)
    except (msgspec.ValidationError, RecursionError) as error:
        raise BadOption(f"{field}: {error}") from error
    return trigger
