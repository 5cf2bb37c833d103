"""The times of Celery beat entries: crontabs and intervals, as objects or as JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from rota.rules.jobs.importers.days import WEEKDAYS, both_days, numbers
from rota.rules.jobs.importers.report import Note
from rota.rules.text.duration import format_duration

_FIELDS = ("minute", "hour", "day_of_month", "month_of_year", "day_of_week")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = {name: at for at, name in enumerate(WEEKDAYS)} | {
    name: at
    for at, name in enumerate(
        ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
    )
}
_PERIODS = {"days": 86_400.0, "hours": 3_600.0, "minutes": 60.0, "seconds": 1.0,
            "microseconds": 1e-6}  # fmt: skip
_PLAIN = re.compile(r"(?:(?:\*|[0-9]+-[0-9]+)(?:/[0-9]+)?|[0-9]+)(?:,(?:[0-9]+-[0-9]+|[0-9]+))*")
_LONGEST_S = 1e10


class NotKept(Exception):
    """The reason why an entry is left out."""


def get(holder: Any, name: str, default: Any) -> Any:
    """Return an attribute of an object or a key of a mapping."""
    if isinstance(holder, Mapping):
        return holder.get(name, default)
    return getattr(holder, name, default)


def read_when(value: Any, notes: list[Note]) -> dict[str, Any]:
    """Return the trigger in job-file form; NotKept says why there is none."""
    value = _unwrap(value)
    if _is_crontab(value):
        return _crontab(value, notes)
    if get(value, "event", None) is not None and get(value, "lat", None) is not None:
        raise NotKept("solar schedules have no counterpart; use a time of day")
    seconds = _interval(value)
    if seconds is None or seconds <= 0:
        raise NotKept(f"its schedule {value!r:.80} is of an unknown kind")
    if get(value, "relative", False):
        notes.append(
            Note(topic="interval", old="relative: rounded to the clock", default="so, too")
        )
    notes.append(
        Note(
            topic="interval",
            old="counted from the last start of beat or of the entry",
            chose="every: counted from the Unix epoch, so it does not drift",
        )
    )
    return {"every": format_duration(round(seconds * 1000))}


def _refuse_unknown(kind: str, value: Any, understood: tuple[str, ...]) -> None:
    """Refuse an unknown field, since ignoring it would change when the entry starts."""
    unknown = set(value) - {*understood, "type", "__type__"} if isinstance(value, Mapping) else ()
    if unknown:
        raise NotKept(
            f"{kind}: it has {min(map(str, unknown))!r:.40}; fields are {', '.join(understood)}"
        )


def _crontab(value: Any, notes: list[Note]) -> dict[str, Any]:
    _refuse_unknown("crontab", value, _FIELDS)
    minute, hour, day, month, weekday = (_field(value, name) for name in _FIELDS)
    names = {name: at for at, name in enumerate(_MONTHS, start=1)}
    try:
        times = f"{_shown(minute, numbers(minute, 0, 59))} {_shown(hour, numbers(hour, 0, 23))}"
        weekdays = numbers(weekday, 0, 6, _DAYS)
        days, months = numbers(day, 1, 31), numbers(month, 1, 12, names)
    except ValueError as error:
        raise NotKept(f"crontab: {error}") from error
    notes.append(
        Note(
            topic="dst",
            old="in the hour of a change, what the version of Celery in use happens to do",
            chose="gap: cron, fold: cron (Rota's default: nothing lost, nothing doubled)",
        )
    )
    if days is not None and weekdays is not None:
        notes.append(
            Note(
                topic="days",
                old="day of month and day of week must both match",
                default="in a cron line either is enough",
                chose="unless: the other weekdays",
            )
        )
    return both_days(times, _shown(day, days), _shown(month, months), weekdays)


def _unwrap(value: Any) -> Any:
    """Unwrap `{"crontab": {...}}` and `{"crontab": "0 6 * * *"}`, which some tools write."""
    if not isinstance(value, Mapping) or len(value) != 1:
        return value
    (kind, inner), *_ = value.items()
    if kind == "crontab" and isinstance(inner, str):
        fields = inner.split()
        if len(fields) != len(_FIELDS):
            raise NotKept(f"crontab: {inner!r:.80} has {len(fields)} fields, not 5")
        return dict(zip(_FIELDS, fields, strict=True))
    if kind == "crontab" and isinstance(inner, Mapping):
        return {"type": "crontab", **inner}
    if kind == "solar":
        raise NotKept("solar schedules have no counterpart; use a time of day")
    if kind == "clocked":
        raise NotKept("clocked schedules start once; write schedule: {at: ...} by hand")
    return value


def _is_crontab(value: Any) -> bool:
    if isinstance(value, Mapping):
        kind = value.get("__type__", value.get("type"))
        return kind == "crontab" or (kind is None and bool(set(_FIELDS) & value.keys()))
    return hasattr(value, "_orig_minute") or hasattr(value, "month_of_year")


def _field(raw: Any, name: str) -> str:
    value = get(raw, f"_orig_{name}", None)
    if value is None:
        value = get(raw, name, "*")
    if isinstance(value, set | frozenset | list | tuple):
        return ",".join(str(each) for each in sorted(value, key=str))
    return str(value).replace(" ", "")


def _shown(text: str, values: list[int] | None) -> str:
    """Return the field as written if cron reads it alike, else spelled out (a range that wraps)."""
    if values is None:
        return "*"
    ranges = [part.partition("/")[0].partition("-") for part in text.split(",")]
    is_same = _PLAIN.fullmatch(text) and all(
        not end or int(start) <= int(end) for start, _, end in ranges
    )
    return text if is_same else ",".join(map(str, values))


def _interval(value: Any) -> float | None:
    if isinstance(value, Mapping):
        value = value.get("interval", value)
    if isinstance(value, Mapping):
        if "every" in value:
            _refuse_unknown("interval", value, ("every", "period"))
        every, period = value.get("every"), value.get("period", "seconds")
        seconds = seconds_of(every)
        return None if seconds is None or period not in _PERIODS else seconds * _PERIODS[period]
    return seconds_of(getattr(value, "run_every", value))


def seconds_of(value: Any) -> float | None:
    """Return the seconds of a timedelta or a number; None for anything else."""
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 < value < _LONGEST_S else None
