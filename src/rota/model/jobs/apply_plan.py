"""The plan of an apply: its changes, and the stored definitions that it is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from rota.clock import Moment, moment
from rota.model.alerts.channel import AlertChannel
from rota.model.alerts.rule import AlertRule
from rota.model.jobs.spec import JobSpec
from rota.model.schedules.definitions import Blackout, Calendar, Schedule
from rota.model.view import View

Verb = Literal["add", "change", "remove"]
Kind = Literal[
    "calendar", "blackout", "alert channel", "alert rule", "job", "graph", "schedule"
]  # fmt: skip


class FieldChange(View, frozen=True):
    """One field before and after; None where there is nothing."""

    field: str
    old: Any = None
    new: Any = None


class Change(View, frozen=True):
    """One thing that is added, changed or removed."""

    kind: Kind
    name: str
    verb: Verb
    fields: tuple[FieldChange, ...] = ()


class RunChange(View, frozen=True):
    """A future run that comes, goes or moves."""

    schedule: str
    verb: Literal["add", "remove", "move"]
    old: Moment | None = None
    new: Moment | None = None


class Leftover(View, frozen=True):
    """In the store from this bundle, and not in it any more."""

    kind: Kind
    name: str


class Plan(View, frozen=True):
    """Everything an apply would do, in the order it does it."""

    applied: bool = False
    """Whether it was done."""
    changes: tuple[Change, ...] = ()
    unchanged: int = 0
    leftovers: tuple[Leftover, ...] = ()
    """The definitions that pruning would remove, if it was not requested."""
    runs: tuple[RunChange, ...] = ()
    until: Moment = moment(0)
    """The time up to which runs were compared."""
    cut: tuple[str, ...] = ()
    """Schedules of which not all runs were compared, since there are too many."""


class StoredSchedule(msgspec.Struct, frozen=True, kw_only=True):
    """A schedule on record; its `schedule` is None for a text that cannot be read any more."""

    job: str
    schedule: Schedule | None
    origin: str
    state: str


class StoredJob(msgspec.Struct, frozen=True, kw_only=True):
    """A job on record, and the source of its definition."""

    spec: JobSpec
    origin: str


class Stored(msgspec.Struct, frozen=True, kw_only=True):
    """The stored definitions that bundles may touch."""

    now: int
    jobs: Mapping[str, StoredJob] = {}
    others: Mapping[str, JobSpec] = {}
    """All jobs, whatever their origin: nodes of graphs may name them, and they may name ours."""
    origins: Mapping[str, str] = {}
    """The source of each job's definition."""
    schedules: Mapping[str, StoredSchedule] = {}
    calendars: Mapping[str, Calendar] = {}
    blackouts: Mapping[str, Blackout] = {}
    channels: Mapping[str, AlertChannel] = {}
    alert_rules: Mapping[str, AlertRule] = {}


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """The options of an apply."""

    start: int | None = None
    """The time from which runs are compared; None for now."""
    horizon_ms: int = 7 * 86_400_000
    prune: bool = False
    take_over: bool = False
    """Whether jobs that belong to code or to another file may be changed."""
