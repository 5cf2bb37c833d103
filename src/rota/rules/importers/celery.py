"""Celery beat: the beat_schedule of an app, as objects or as JSON. Celery need not be installed."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import msgspec

from rota.errors import BadFile
from rota.rules.duration import format_duration
from rota.rules.importers.days import WEEKDAYS, both_days, numbers
from rota.rules.importers.report import Collector, Imported, Note

MAX_ENTRIES = 10_000
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
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_KEPT = (
    Note(topic="overlap", old="a new start never waits for the old one", chose="overlap: allow"),
    Note(
        topic="catch-up",
        old="an overdue entry starts once when beat comes back",
        chose="catchup: last",
    ),
    Note(
        topic="retries",
        old="only what the function asks for (autoretry_for, self.retry)",
        default="3 retries",
        chose="retries: 0",
    ),
    Note(
        topic="delivery",
        old="acknowledged before it runs, so a crash of the worker loses it (unless acks_late)",
        default="started again after a crash; delivery: at_most_once gives Celery's way",
    ),
)


class _Untranslatable(Exception):
    """Why an entry is left out."""


def read_beat(found: Any, where: str) -> Imported:
    """From a Celery app, its configuration, a beat_schedule, or the same from JSON."""
    conf = getattr(found, "conf", found)
    entries = _get(conf, "beat_schedule", _get(conf, "CELERYBEAT_SCHEDULE", None))
    if entries is None and isinstance(found, Mapping):
        entries = found
    if not isinstance(entries, Mapping):
        raise BadFile(f"{where}: this is neither a Celery app nor a mapping of beat entries")
    if len(entries) > MAX_ENTRIES:
        raise BadFile(f"{where}: {len(entries):,} entries are more than {MAX_ENTRIES:,}")
    beat = _Beat(zone=str(_get(conf, "timezone", None) or "UTC"), known=_get(found, "tasks", {}))
    collector = Collector()
    for name, entry in entries.items():
        if name in ("timezone", "enable_utc"):
            continue
        try:
            job, notes = beat.translated(entry)
            collector.add(str(name), f"{where}[{name}]", job, notes)
        except _Untranslatable as error:
            collector.skip(f"{where}[{name}]", str(name), str(error))
    return collector.imported()


def read_beat_json(data: bytes, file: str) -> Imported:
    """From a JSON file: an object of entries, or one with beat_schedule and timezone."""
    try:
        found = msgspec.json.decode(data, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadFile(f"{file}: not a JSON object: {error}") from error
    return read_beat(found, file)


def _get(holder: Any, name: str, default: Any) -> Any:
    if isinstance(holder, Mapping):
        return holder.get(name, default)
    return getattr(holder, name, default)


class _Beat:
    """Translates entries of one beat."""

    def __init__(self, *, zone: str, known: Any) -> None:
        self._zone = zone
        self._known = known if isinstance(known, Mapping) else {}

    def translated(self, entry: Any) -> tuple[dict[str, Any], list[Note]]:
        ref = _get(entry, "task", None)
        if not isinstance(ref, str) or not _NAME.fullmatch(ref):
            raise _Untranslatable(
                f"{ref!r:.80} is no path of a function; write python: module:function by hand"
            )
        notes: list[Note] = []
        module, _, function = ref.rpartition(".")
        job: dict[str, Any] = {"python": f"{module}:{function}"}
        job |= self._options(_get(entry, "options", None) or {}, notes)
        schedule = self._schedule(_get(entry, "schedule", None), notes)
        schedule |= {"timezone": self._zone, "overlap": "allow", "catchup": "last"}
        if _get(entry, "enabled", None) is False:
            schedule["paused"] = True
            notes.append(Note(topic="pause", old="not enabled", chose="paused: true"))
        arguments = self._arguments(ref, entry)
        if arguments:
            schedule["arguments"] = arguments
        notes.append(
            Note(
                topic="code",
                old="a function of a Celery app",
                default="called as a plain function; self, retry() and signatures of Celery are "
                "not there",
            )
        )
        return job | {"retries": 0, "schedule": schedule}, [*notes, *_KEPT]

    def _arguments(self, ref: str, entry: Any) -> dict[str, Any]:
        args, kwargs = _get(entry, "args", None) or (), _get(entry, "kwargs", None) or {}
        if not isinstance(kwargs, Mapping) or not isinstance(args, list | tuple):
            raise _Untranslatable("args is a list and kwargs a mapping")
        named = dict(zip(self._names(ref), args, strict=False))
        if len(named) < len(args):
            raise _Untranslatable(
                "it has positional arguments, and the function is not at hand to name them; "
                "use kwargs, or import from the app itself"
            )
        try:
            return msgspec.to_builtins({**named, **kwargs})  # type: ignore[no-any-return]
        except (TypeError, msgspec.MsgspecError) as error:
            raise _Untranslatable(f"its arguments are no JSON: {error}") from error

    def _names(self, ref: str) -> list[str]:
        known = self._known.get(ref)
        function: Callable[..., Any] | None = getattr(known, "run", known)
        if not callable(function):
            return []
        return [name for name in inspect.signature(function).parameters if name != "self"]

    def _options(self, options: Any, notes: list[Note]) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        if not isinstance(options, Mapping):
            return kept
        for name, value in options.items():
            if name == "queue" and isinstance(value, str):
                kept["queue"] = value
            elif name == "expires" and _seconds(value) is not None:
                kept["expires"] = format_duration(round((_seconds(value) or 0) * 1000))
            elif name == "priority":
                notes.append(
                    Note(
                        topic="priority",
                        old=f"priority {value} (0 is highest with Redis, lowest with RabbitMQ)",
                        default="not kept; say priority: high, medium or low",
                    )
                )
            else:
                notes.append(Note(topic="options", old=f"option {name}", default="not kept"))
        return kept

    def _schedule(self, given: Any, notes: list[Note]) -> dict[str, Any]:
        given = _unwrapped(given)
        if _is_crontab(given):
            return self._crontab(given, notes)
        if _get(given, "event", None) is not None and _get(given, "lat", None) is not None:
            raise _Untranslatable("solar schedules have no counterpart; use a time of day")
        seconds = _interval(given)
        if seconds is None or seconds <= 0:
            raise _Untranslatable(f"its schedule {given!r:.80} is of no known kind")
        notes.append(
            Note(
                topic="interval",
                old="counted from the last start of beat or of the entry",
                chose="every: counted from the Unix epoch, so it does not drift",
            )
        )
        return {"every": format_duration(round(seconds * 1000))}

    def _crontab(self, given: Any, notes: list[Note]) -> dict[str, Any]:
        minute, hour, day, month, weekday = (_field(given, name) for name in _FIELDS)
        names = {name: at for at, name in enumerate(_MONTHS, start=1)}
        try:
            times = f"{_shown(minute, numbers(minute, 0, 59))} {_shown(hour, numbers(hour, 0, 23))}"
            weekdays = numbers(weekday, 0, 6, _DAYS)
            days, months = numbers(day, 1, 31), numbers(month, 1, 12, names)
        except ValueError as error:
            raise _Untranslatable(f"crontab: {error}") from error
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


def _unwrapped(given: Any) -> Any:
    """`{"crontab": {...}}` and `{"crontab": "0 6 * * *"}`, as files of others have it."""
    if not isinstance(given, Mapping) or len(given) != 1:
        return given
    (kind, inner), *_ = given.items()
    if kind == "crontab" and isinstance(inner, str):
        fields = inner.split()
        if len(fields) != len(_FIELDS):
            raise _Untranslatable(f"crontab: {inner!r:.80} has {len(fields)} fields, not 5")
        return dict(zip(_FIELDS, fields, strict=True))
    if kind == "crontab" and isinstance(inner, Mapping):
        unknown = set(inner) - {*_FIELDS, "type", "__type__"}
        if unknown:
            known = ", ".join(_FIELDS)
            raise _Untranslatable(f"crontab: it has {min(unknown)!r:.40}; fields are {known}")
        return {"type": "crontab", **inner}
    if kind == "solar":
        raise _Untranslatable("solar schedules have no counterpart; use a time of day")
    if kind == "clocked":
        raise _Untranslatable("clocked schedules start once; write schedule: {at: ...} by hand")
    return given


def _is_crontab(given: Any) -> bool:
    if isinstance(given, Mapping):
        kind = given.get("__type__", given.get("type"))
        return kind == "crontab" or (kind is None and bool(set(_FIELDS) & given.keys()))
    return hasattr(given, "_orig_minute") or hasattr(given, "month_of_year")


def _field(given: Any, name: str) -> str:
    value = _get(given, f"_orig_{name}", None)
    if value is None:
        value = _get(given, name, "*")
    if isinstance(value, set | frozenset | list | tuple):
        return ",".join(str(each) for each in sorted(value, key=str))
    return str(value).replace(" ", "")


def _shown(text: str, values: list[int] | None) -> str:
    """As it was written where cron reads it the same, else spelled out (a range that wraps)."""
    if values is None:
        return "*"
    ranges = [part.partition("/")[0].partition("-") for part in text.split(",")]
    is_same = _PLAIN.fullmatch(text) and all(
        not end or int(start) <= int(end) for start, _, end in ranges
    )
    return text if is_same else ",".join(map(str, values))


def _interval(given: Any) -> float | None:
    if isinstance(given, Mapping):
        given = given.get("interval", given)
    if isinstance(given, Mapping):
        every, period = given.get("every"), given.get("period", "seconds")
        seconds = _seconds(every)
        return None if seconds is None or period not in _PERIODS else seconds * _PERIODS[period]
    return _seconds(getattr(given, "run_every", given))


def _seconds(given: Any) -> float | None:
    if isinstance(given, timedelta):
        return given.total_seconds()
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    return float(given) if 0 < given < _LONGEST_S else None
