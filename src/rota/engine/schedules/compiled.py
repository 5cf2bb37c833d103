"""Compiled schedules: parsed into the form that decisions need, once for each text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib.metadata import version as version_of
from typing import TypeVar

import msgspec

from rota.errors import BadOption
from rota.model.schedules.definitions import Calendar, Every, OnEvent, Schedule
from rota.rules.schedules.misfire import Lateness, ripe_at
from rota.rules.schedules.overlap import Policy
from rota.rules.schedules.timetable import Timetable
from rota.rules.schedules.triggers import compile_schedule, is_spread
from rota.rules.schedules.zones import data_version, zone
from rota.rules.text.duration import parse_duration
from rota.rules.text.moments import read_bound

K = TypeVar("K")
V = TypeVar("V")

KEPT = 10_000
"""The number of schedule texts whose plans are kept."""

_schedule = msgspec.json.Decoder(Schedule)
_duration = lru_cache(maxsize=KEPT)(parse_duration)


def rules_version() -> str:
    """The version of this process's zones and holidays; other versions may give other times."""
    return f"{data_version()}/{version_of('holidays')}"


def seed_of(namespace: str, name: str) -> str:
    """The seed that spreads a schedule apart from others with the same expression."""
    return f"{namespace}/{name}"


class StoredCalendar(msgspec.Struct, frozen=True):
    """A named calendar of a namespace, and the number of its changes."""

    version: int
    calendar: Calendar


class CompiledSchedule(msgspec.Struct, frozen=True, kw_only=True):
    """The parsed content of a schedule."""

    schedule: Schedule
    table: Timetable
    lateness: Lateness
    policy: Policy
    follows_end: bool = False
    """Whether its times count from the end of the previous run."""
    event: str | None = None
    """The name of the only event that starts it; None for a schedule by time."""
    start_at: int | None = None
    rules_version: str = ""


class _Read(msgspec.Struct, frozen=True):
    """A parsed schedule text, and the other inputs that its plan depends on."""

    schedule: Schedule
    calendar: str | None
    is_spread: bool


class CompiledSchedules:
    """Parses and caches schedules; one per process. `roll` returns numbers from [0, 1)."""

    def __init__(self, rules_version: str, roll: Callable[[], float]) -> None:
        self.rules_version = rules_version
        self._roll = roll
        self._read: dict[str, _Read] = {}
        self._plans: dict[tuple[str, str, StoredCalendar | None], CompiledSchedule] = {}

    def plan(
        self, spec: str, *, seed: str, calendars: Mapping[str, StoredCalendar] | None = None
    ) -> CompiledSchedule:
        """Compile the text of a schedule; BadInput when it can no longer be understood."""
        read = self._read.get(spec)
        if read is None:
            read = _keep(self._read, spec, _read(spec))
        # Only an `H` in a cron line makes schedules of the same text differ by their names.
        stored = (calendars or {}).get(read.calendar) if read.calendar else None
        key = spec, seed if read.is_spread else "", stored
        cached = self._plans.get(key)
        if cached is None:
            plan = self.compile(read.schedule, seed=seed, calendars=calendars)
            cached = _keep(self._plans, key, plan)
        return cached

    def compile(
        self,
        schedule: Schedule,
        *,
        seed: str,
        calendars: Mapping[str, StoredCalendar] | None = None,
    ) -> CompiledSchedule:
        """Compile a schedule that is already parsed."""
        name = schedule.calendar if isinstance(schedule.calendar, str) else None
        stored = (calendars or {}).get(name) if name else None
        by_name = {name: stored.calendar} if name and stored else {}
        version = f"{self.rules_version}#{stored.version}" if stored else self.rules_version
        table = compile_schedule(schedule, seed=seed, calendars=by_name)
        return CompiledSchedule(
            schedule=schedule,
            table=table,
            lateness=_lateness(schedule),
            policy=_policy(schedule),
            follows_end=_follows_end(schedule),
            event=schedule.trigger.event if isinstance(schedule.trigger, OnEvent) else None,
            start_at=_bound("start", schedule.start, schedule),
            rules_version=version,
        )

    def look_at(self, plan: CompiledSchedule, instant: int, *, seed: str) -> int:
        """When to look at what is due at an instant: the instant plus its jitter."""
        return ripe_at(plan.table, instant, rule=plan.lateness, seed=seed, random=self._roll())


def _keep(cache: dict[K, V], key: K, value: V) -> V:
    if len(cache) >= KEPT:
        cache.clear()
    cache[key] = value
    return value


def _read(text: str) -> _Read:
    schedule = read_schedule(text)
    calendar = schedule.calendar if isinstance(schedule.calendar, str) else None
    return _Read(schedule, calendar, is_spread(schedule.trigger))


def read_schedule(text: str) -> Schedule:
    """Parse the text of a schedule; BadOption when it is not one."""
    try:
        return _schedule.decode(text)
    except (msgspec.MsgspecError, ValueError) as error:
        raise BadOption(f"the stored schedule cannot be read: {error}") from error


def timing(schedule: Schedule) -> Schedule:
    """The part of a schedule that decides when it fires: equal timings fire at the same times."""
    return Schedule(
        trigger=schedule.trigger,
        zone=schedule.zone,
        gap=schedule.gap,
        fold=schedule.fold,
        start=schedule.start,
        end=schedule.end,
        calendar=schedule.calendar,
        roll=schedule.roll,
    )


def _lateness(schedule: Schedule) -> Lateness:
    within = schedule.start_within
    return Lateness(
        grace_ms=_duration(schedule.grace),
        catchup=schedule.catchup,
        limit=schedule.catchup_limit,
        window_ms=_duration(schedule.catchup_window),
        start_within_ms=None if within is None else _duration(within),
        end_at=_bound("end", schedule.end, schedule),
        jitter_ms=0 if schedule.jitter is None else _duration(schedule.jitter),
        jitter_kind=schedule.jitter_kind,
    )


def _bound(field: str, text: str | None, schedule: Schedule) -> int | None:
    return None if text is None else read_bound(field, text, zone(schedule.zone))


def _follows_end(schedule: Schedule) -> bool:
    return isinstance(schedule.trigger, Every) and schedule.trigger.from_end


def _policy(schedule: Schedule) -> Policy:
    """The overlap policy; a schedule counted from the end of its last run never overlaps."""
    alone = _follows_end(schedule) and schedule.overlap == "allow"
    return Policy(
        overlap="skip" if alone else schedule.overlap,
        parallel=schedule.parallel,
        backlog=schedule.backlog,
    )
