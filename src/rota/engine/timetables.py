"""Timetables: what schedules say, compiled once for each distinct expression and zone."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TypeVar

import msgspec

from rota.clock import to_ms
from rota.errors import BadOption
from rota.model.schedule import Calendar, Every, Schedule
from rota.rules.duration import parse_duration
from rota.rules.misfire import Lateness
from rota.rules.overlap import Policy
from rota.rules.timetable import Timetable

KEPT = 10_000
"""Distinct expressions and zones, and distinct texts, of which the compiled form is kept."""

T = TypeVar("T")
_schedule = msgspec.json.Decoder(Schedule)


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """A schedule in the form that decisions need."""

    schedule: Schedule
    table: Timetable
    lateness: Lateness
    policy: Policy
    follows_end: bool = False
    """Counted from the end of the run before."""
    start_at: int | None = None
    rules_version: str = ""


class Timetables:
    """Compiles schedules and remembers; one per process, used by one thread at a time."""

    def __init__(self, rules_version: str) -> None:
        self.rules_version = rules_version
        """Of the zones and holidays this process knows; another one may reckon otherwise."""
        self._tables = _Kept[Timetable]()
        self._plans = _Kept[Plan]()

    def plan(
        self, spec: str, *, seed: str, calendars: Mapping[str, StoredCalendar] | None = None
    ) -> Plan:
        """From the text of a schedule; BadInput when it cannot be understood any more."""
        if calendars:
            return self.compile(read_schedule(spec), seed=seed, calendars=calendars)
        key = spec, seed if "H" in spec else ""
        found = self._plans.get(key)
        if found is None:
            found = self._plans[key] = self.compile(read_schedule(spec), seed=seed)
        return found

    def compile(
        self,
        schedule: Schedule,
        *,
        seed: str,
        calendars: Mapping[str, StoredCalendar] | None = None,
    ) -> Plan:
        """The same from a schedule that was read before."""
        name = schedule.calendar if isinstance(schedule.calendar, str) else None
        stored = (calendars or {}).get(name) if name else None
        version = f"{self.rules_version}#{stored.version}" if stored else self.rules_version
        key = timing(schedule), seed if _is_spread(schedule) else "", version
        table = self._tables.get(key)
        if table is None:
            known = {name: stored.calendar} if name and stored else {}
            table = self._tables[key] = _compile(schedule, seed, known)
        return Plan(
            schedule=schedule,
            table=table,
            lateness=_lateness(schedule),
            policy=_policy(schedule),
            follows_end=_follows_end(schedule),
            start_at=None if schedule.start is None else _instant(schedule.start),
            rules_version=version,
        )


class StoredCalendar(msgspec.Struct, frozen=True):
    """A named calendar of a namespace, and how often it was changed."""

    version: int
    calendar: Calendar


def read_schedule(text: str) -> Schedule:
    """BadOption when it is not the text of a schedule."""
    try:
        return _schedule.decode(text)
    except (msgspec.MsgspecError, ValueError) as error:
        raise BadOption(f"the stored schedule cannot be read: {error}") from error


def timing(schedule: Schedule) -> str:
    """What decides when it fires, as text: two schedules with the same fire at the same times."""
    when = Schedule(
        trigger=schedule.trigger,
        zone=schedule.zone,
        gap=schedule.gap,
        fold=schedule.fold,
        start=schedule.start,
        end=schedule.end,
        calendar=schedule.calendar,
        roll=schedule.roll,
    )
    return msgspec.json.encode(when).decode()


class _Kept(dict[tuple[str, ...], T]):
    """Forgets everything when it is full: simple, and rare."""

    def __setitem__(self, key: tuple[str, ...], value: T) -> None:
        if len(self) >= KEPT:
            self.clear()
        super().__setitem__(key, value)


def _lateness(schedule: Schedule) -> Lateness:
    within = schedule.start_within
    return Lateness(
        grace_ms=parse_duration(schedule.grace),
        catchup=schedule.catchup,
        limit=schedule.catchup_limit,
        window_ms=parse_duration(schedule.catchup_window),
        start_within_ms=None if within is None else parse_duration(within),
        end_at=None if schedule.end is None else _instant(schedule.end),
        jitter_ms=0 if schedule.jitter is None else parse_duration(schedule.jitter),
        jitter_kind=schedule.jitter_kind,
    )


def _follows_end(schedule: Schedule) -> bool:
    return isinstance(schedule.trigger, Every) and schedule.trigger.from_end


def _policy(schedule: Schedule) -> Policy:
    """What counts from the end of the run before never overlaps with it."""
    alone = _follows_end(schedule) and schedule.overlap == "allow"
    return Policy(
        overlap="skip" if alone else schedule.overlap,
        parallel=schedule.parallel,
        backlog=schedule.backlog,
    )


def _instant(text: str) -> int:
    return to_ms(datetime.fromisoformat(text))


def _is_spread(schedule: Schedule) -> bool:
    """Whether its instants hang on its name: `H` in a cron line."""
    return '"cron"' in (text := timing(schedule)) and "H" in text


class _Steps:
    def __init__(self, every: int) -> None:
        self._every = every

    def after(self, instant: int) -> int | None:
        return instant - instant % self._every + self._every

    def marks(self, instant: int) -> tuple[str, ...]:  # noqa: ARG002  # the protocol
        return ()


class _FromEnd(_Steps):
    def after(self, instant: int) -> int | None:
        return instant + self._every


def _compile(schedule: Schedule, seed: str, calendars: Mapping[str, Calendar]) -> Timetable:
    trigger = schedule.trigger
    if not isinstance(trigger, Every):
        raise BadOption(f"no timetable for {type(trigger).__name__}")
    every = parse_duration(trigger.every)
    return _FromEnd(every) if trigger.from_end else _Steps(every)
