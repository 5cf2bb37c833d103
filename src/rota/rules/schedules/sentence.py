"""Describe a schedule in one sentence for people."""

from __future__ import annotations

from typing import assert_never

from rota.model.schedules.definitions import (
    AnyOf,
    At,
    Blackout,
    BusinessDay,
    Calendar,
    CalendarEvery,
    Cron,
    Every,
    OnEvent,
    Rrule,
    Schedule,
    Trigger,
    Unless,
)
from rota.rules.schedules.cron.words import describe as describe_cron
from rota.rules.schedules.triggers.every import read_every
from rota.rules.schedules.triggers.rrule_text import Rule, read_rule
from rota.rules.schedules.zones import zone
from rota.rules.text.duration import UNIT_MS, parse_duration
from rota.rules.text.moments import long_date, read_moment, read_time, short_time

_UNITS = (("day", "d"), ("hour", "h"), ("minute", "m"), ("second", "s"), ("millisecond", "ms"))
_ORDINALS = {1: "first", 2: "second", 3: "third", -1: "last", -2: "second to last"}
_ROLLS = {
    "skip": "only on business days",
    "next": "moved to the next business day",
    "previous": "moved to the previous business day",
    "modified_following": "moved to the next business day of the month, else to the previous one",
}
_FREQUENCIES = {
    "YEARLY": "year",
    "MONTHLY": "month",
    "WEEKLY": "week",
    "DAILY": "day",
    "HOURLY": "hour",
    "MINUTELY": "minute",
    "SECONDLY": "second",
}
_SHOWN_TIMES = 3


def describe(schedule: Schedule, *, seed: str = "") -> str:
    """Return e.g. `On the last business day of the month at 18:00, FR holidays, Europe/Paris`."""
    parts = [_trigger(schedule.trigger, schedule.zone, seed)]
    if schedule.calendar is not None:
        parts += _calendar(schedule)
    if schedule.calendar is not None or _has_walls(schedule.trigger):
        parts.append(schedule.zone)
    if schedule.start is not None:
        parts.append(f"from {_moment(schedule.start)}")
    if schedule.end is not None:
        parts.append(f"until {_moment(schedule.end)}")
    if schedule.count is not None:
        parts.append("once in all" if schedule.count == 1 else f"{schedule.count:,} times in all")
    return ", ".join(parts)


def describe_window(window: Blackout) -> str:
    """Return a sentence such as `At 02:00, on Sunday, for 2 hours, Europe/Paris`."""
    if window.trigger is None:
        return _span(window)
    length = _counted(*_in_one_unit(parse_duration(window.duration or "")))
    parts = [_trigger(window.trigger, window.zone, ""), f"for {length}"]
    return ", ".join([*parts, window.zone] if _has_walls(window.trigger) else parts)


def _span(window: Blackout) -> str:
    start, end = (read_moment("time", each) for each in (window.start, window.end))
    is_same_day = start.date() == end.date() and start.tzinfo is end.tzinfo is None
    until = short_time(end) if is_same_day else _moment(window.end or "")
    zones = "" if start.tzinfo and end.tzinfo else f", {window.zone}"
    return f"From {_moment(window.start or '')} to {until}{zones}"


def _trigger(trigger: Trigger, zone_name: str, seed: str) -> str:
    if isinstance(trigger, AnyOf):
        each = [_trigger(one, zone_name, seed) for one in trigger.triggers]
        return "; or ".join([*each[:1], *map(_lowered, each[1:])])
    if isinstance(trigger, Unless):
        left_out = _lowered(_trigger(trigger.exclude, zone_name, seed))
        how = "except on the days of" if trigger.whole_day else "except"
        return f"{_trigger(trigger.trigger, zone_name, seed)}; {how}: {left_out}"
    return _alone(trigger, zone_name, seed)


def _alone(  # noqa: PLR0911  # one each
    trigger: Cron | Every | CalendarEvery | At | Rrule | BusinessDay | OnEvent,
    zone_name: str,
    seed: str,
) -> str:
    match trigger:
        case Cron():
            return describe_cron(trigger, zone_name, seed=seed).replace(f", {zone_name}", "")
        case Every():
            return _every(trigger)
        case CalendarEvery():
            return _calendar_every(trigger)
        case At():
            return _at(trigger)
        case Rrule():
            return _rrule(trigger, zone_name)
        case BusinessDay():
            clock = short_time(read_time("time", trigger.time))
            return f"On the {_ordinal(trigger.nth)} business day of the month at {clock}"
        case OnEvent():
            return f"When {trigger.event} is sent"
    assert_never(trigger)


def _every(trigger: Every) -> str:
    count, name = _in_one_unit(read_every(trigger.every))
    if trigger.from_end:
        return f"{_counted(count, name)} after the end of the previous run"
    since = "" if trigger.anchor is None else f", counted from {_moment(trigger.anchor)}"
    return f"Every {name if count == 1 else _counted(count, name)}{since}"


def _in_one_unit(ms: int) -> tuple[int, str]:
    name, unit = next(each for each in _UNITS if ms % UNIT_MS[each[1]] == 0)
    return ms // UNIT_MS[unit], name


def _calendar_every(trigger: CalendarEvery) -> str:
    names = ("year", "month", "week", "day")
    counts = (trigger.years, trigger.months, trigger.weeks, trigger.days)
    each = [_counted(count, name) for name, count in zip(names, counts, strict=True) if count]
    shown = " and ".join(each)
    start = read_moment("start", trigger.start)
    return f"Every {shown.removeprefix('1 ')} at {short_time(start)}, from {long_date(start)}"


def _at(trigger: At) -> str:
    shown = "; ".join(f"on {_moment(time)}" for time in trigger.times[:_SHOWN_TIMES])
    if len(trigger.times) == 1:
        return f"Once, {shown}"
    hidden = len(trigger.times) - _SHOWN_TIMES
    more = f"; and at {_counted(hidden, 'more time')}" if hidden > 0 else ""
    return f"{_capital(shown)}{more}"


def _rrule(trigger: Rrule, zone_name: str) -> str:
    rule = read_rule(trigger.rule, zone(zone_name))
    name = _FREQUENCIES[rule.freq]
    start = read_moment("start", trigger.start)
    often = name if rule.interval == 1 else _counted(rule.interval, name)
    by = _by_parts(trigger.rule)
    ends = _rule_end(rule)
    return f"Every {often}{by}, from {long_date(start)} at {short_time(start)}{ends}"


def _by_parts(text: str) -> str:
    """Return the BY parts as written in the rule: people who write BYSETPOS read it too."""
    parts = [part for part in text.upper().replace("\n", ";").split(";") if part.startswith("BY")]
    return f" by {' '.join(parts)}" if parts else ""


def _rule_end(rule: Rule) -> str:
    if rule.count is not None:
        return f", {_counted(rule.count, 'time')}"
    return "" if rule.until is None else f", until {long_date(rule.until)}"


def _calendar(schedule: Schedule) -> list[str]:
    calendar = schedule.calendar
    code = calendar.country if isinstance(calendar, Calendar) else calendar
    parts = [f"{code} holidays"] if code else ["own days off"]
    is_business = isinstance(schedule.trigger, BusinessDay)
    return parts if is_business else [_ROLLS[schedule.roll], *parts]


def _has_walls(trigger: Trigger) -> bool:
    if isinstance(trigger, AnyOf):
        return any(_has_walls(each) for each in trigger.triggers)
    if isinstance(trigger, Unless):
        return trigger.whole_day or _has_walls(trigger.trigger) or _has_walls(trigger.exclude)
    if isinstance(trigger, At):
        return any(read_moment("at", time).tzinfo is None for time in trigger.times)
    return not isinstance(trigger, Every | OnEvent)


def _moment(text: str) -> str:
    moment = read_moment("time", text)
    offset = moment.tzname() or ""
    return f"{long_date(moment)} at {short_time(moment)}{offset and ' '}{offset}"


def _ordinal(nth: int) -> str:
    if nth in _ORDINALS:
        return _ORDINALS[nth]
    count = abs(nth)
    ending = {1: "st", 2: "nd", 3: "rd"}.get(count % 10, "th") if count > 20 else "th"  # noqa: PLR2004
    return f"{count}{'rd' if count == 3 else ending}{'' if nth > 0 else ' to last'}"  # noqa: PLR2004


def _counted(count: int, name: str) -> str:
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def _lowered(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
