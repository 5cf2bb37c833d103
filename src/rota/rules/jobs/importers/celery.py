"""Import the beat_schedule of a Celery app, as objects or as JSON, without Celery installed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from rota.errors import BadFile
from rota.rules.jobs.importers.celery_called import CeleryFunction
from rota.rules.jobs.importers.celery_routes import ROUTES, routed
from rota.rules.jobs.importers.celery_when import NotKept, get, read_when, seconds_of
from rota.rules.jobs.importers.report import Collector, Imported, Note
from rota.rules.text.duration import format_duration

MAX_ENTRIES = 10_000
_SCHEDULES = ("beat_schedule", "CELERY_BEAT_SCHEDULE", "CELERYBEAT_SCHEDULE")
_ZONES = ("timezone", "CELERY_TIMEZONE")
_UTC = ("enable_utc", "CELERY_ENABLE_UTC")
_ENTRY = ("task", "schedule", "args", "kwargs", "options", "enabled", "relative")
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


class Zones(NamedTuple):
    """The time zones known from outside the configuration."""

    told: str | None = None
    """The zone that the user named; it overrides the configuration."""
    machine: str = "UTC"
    """The zone of this machine, which Celery uses without timezone and with enable_utc=False."""


UNKNOWN = Zones()


def read_beat(app: Any, where: str, *, zones: Zones = UNKNOWN, beside: Any = None) -> Imported:
    """Import from a Celery app, its configuration, a beat_schedule, or JSON of the same.

    `beside` is the module that holds a plain beat_schedule, because settings stand there, too.
    """
    conf = getattr(app, "conf", app)
    entries = _first(conf, _SCHEDULES)
    if entries is None and isinstance(app, Mapping):
        entries, conf = app, (beside or app)
    if not isinstance(entries, Mapping):
        raise BadFile(f"{where}: this is neither a Celery app nor a mapping of beat entries")
    if len(entries) > MAX_ENTRIES:
        raise BadFile(f"{where}: {len(entries):,} entries are more than {MAX_ENTRIES:,}")
    collector = Collector()
    for key in _unread(app, entries):
        collector.warn(f"{where}: {key} is not kept")
    beat = _Beat(_zone(conf, zones), functions=get(app, "tasks", {}), has_app=hasattr(app, "conf"))
    beat.routes = _first(conf, ROUTES)
    for name, entry in entries.items():
        if name in (*_ZONES, *_UTC, *ROUTES):
            continue
        try:
            job, notes = beat.translated(entry)
            collector.add(str(name), f"{where}[{name}]", job, notes)
        except NotKept as error:
            collector.skip(f"{where}[{name}]", str(name), str(error))
    return collector.imported()


def read_beat_json(data: bytes, file: str, *, zones: Zones = UNKNOWN) -> Imported:
    """Import a JSON file: an object of entries, or one with beat_schedule and timezone."""
    try:
        document = msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"), type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadFile(f"{file}: not a JSON object: {error}") from error
    return read_beat(document, file, zones=zones)


def _unread(source: Any, entries: Mapping[Any, Any]) -> Iterator[str]:
    """Yield the keys of a mapping that are neither entries nor settings that are read."""
    if isinstance(source, Mapping) and source is not entries:
        understood = (*_SCHEDULES, *_ZONES, *_UTC, *ROUTES)
        yield from (str(key) for key in source if key not in understood)


def _first(holder: Any, names: tuple[str, ...]) -> Any:
    return next((it for name in names if (it := get(holder, name, None)) is not None), None)


def _zone(conf: Any, zones: Zones) -> tuple[str, Note]:
    """Return the zone by Celery's order: timezone, then UTC, then that of the machine."""
    if zones.told is not None:
        return zones.told, Note(topic="zone", old="as you said", chose=f"timezone: {zones.told}")
    zone_name = _first(conf, _ZONES)
    if zone_name:
        return str(zone_name), Note(
            topic="zone", old=f"timezone={zone_name}", chose=f"timezone: {zone_name}"
        )
    if _first(conf, _UTC) is False:
        says = "no timezone, and enable_utc=False: the zone of the machine that beat runs on"
        return zones.machine, Note(
            topic="zone",
            old=says,
            default="UTC",
            chose=f"timezone: {zones.machine}, that of this machine; --zone names another",
        )
    return "UTC", Note(
        topic="zone",
        old="no timezone is set here, so Celery counts in UTC",
        chose="timezone: UTC; --zone names another",
    )


class _Beat:
    """Translates the entries of one beat."""

    def __init__(self, zone: tuple[str, Note], *, functions: Any, has_app: bool) -> None:
        self._zone, self._zone_note = zone
        self._known = functions if isinstance(functions, Mapping) else {}
        self._has_app = has_app
        self.routes: Any = None

    def translated(self, entry: Any) -> tuple[dict[str, Any], list[Note]]:
        called = CeleryFunction(get(entry, "task", None), self._known, has_app=self._has_app)
        notes: list[Note] = [*called.notes()]
        job: dict[str, Any] = {"python": called.ref}
        arguments = self._arguments(called, entry)
        parameters = called.parameters_for(arguments)
        if parameters:
            job["parameters"] = parameters
        job |= called.limits(notes)
        job |= self._options(get(entry, "options", None) or {}, notes)
        job |= routed(self.routes, get(entry, "task", None), notes, has_queue="queue" in job)
        schedule = read_when(get(entry, "schedule", None), notes)
        schedule |= {"timezone": self._zone, "overlap": "allow", "catchup": "last"}
        notes.append(self._zone_note)
        if get(entry, "relative", None):
            notes.append(
                Note(topic="interval", old="relative: rounded to the clock", default="so, too")
            )
        if get(entry, "enabled", None) is False:
            schedule["paused"] = True
            notes.append(Note(topic="pause", old="not enabled", chose="paused: true"))
        if arguments:
            schedule["arguments"] = arguments
        lost = (
            [str(key) for key in entry if key not in _ENTRY] if isinstance(entry, Mapping) else []
        )
        if lost:
            notes.append(Note(topic="not kept", old=f"{', '.join(lost)} of the entry"))
        notes.append(
            Note(
                topic="code",
                old="a function of a Celery app",
                default="called by a worker of Rota; retry() and signatures of Celery are not "
                "there",
            )
        )
        return job | {"retries": 0, "schedule": schedule}, [*notes, *_KEPT]

    def _arguments(self, called: CeleryFunction, entry: Any) -> dict[str, Any]:
        args, kwargs = get(entry, "args", None) or (), get(entry, "kwargs", None) or {}
        if not isinstance(kwargs, Mapping) or not isinstance(args, list | tuple):
            raise NotKept("args is a list and kwargs a mapping")
        arguments = {**called.arguments(args), **kwargs}
        if _holds_bytes(arguments):
            raise NotKept("its arguments hold bytes, which JSON has not; give them as a text")
        try:
            return msgspec.to_builtins(arguments)  # type: ignore[no-any-return]
        except (TypeError, msgspec.MsgspecError) as error:
            raise NotKept(f"its arguments are no JSON: {error}") from error

    def _options(self, options: Any, notes: list[Note]) -> dict[str, Any]:
        entry_options: dict[str, Any] = {}
        if not isinstance(options, Mapping):
            notes.append(Note(topic="options", old=f"options {options!r:.60}", default="not kept"))
            return entry_options
        for name, value in options.items():
            if name == "queue" and isinstance(value, str):
                entry_options["queue"] = value
            elif name == "expires" and seconds_of(value) is not None:
                entry_options["expires"] = format_duration(round((seconds_of(value) or 0) * 1000))
            elif name == "priority":
                notes.append(
                    Note(
                        topic="priority",
                        old=f"priority {value} (0 is highest with Redis, lowest with RabbitMQ)",
                        default="not kept; set priority: high, medium or low",
                    )
                )
            else:
                notes.append(Note(topic="options", old=f"option {name}", default="not kept"))
        return entry_options


def _holds_bytes(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(_holds_bytes(each) for pair in value.items() for each in pair)
    if isinstance(value, list | tuple | set | frozenset):
        return any(map(_holds_bytes, value))
    return isinstance(value, bytes | bytearray | memoryview)
