"""Monitors: when a foreign job is expected to ping, and what its pings have told."""

from __future__ import annotations

from typing import Literal

import msgspec

from rota.clock import Moment
from rota.model.schedules.definitions import Dialect
from rota.model.view import View

MonitorState = Literal["new", "up", "late", "down", "paused", "started"]
PingKind = Literal["success", "start", "fail", "log"]
"""A log line says nothing about the job's state; an exit code is a success or a failure."""
PING_BODY_BYTES = 100_000
"""The part of a ping's body that is kept."""
KEPT_PINGS = 100
"""The newest pings of each monitor are kept."""


class Monitor(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The promise of a foreign job: a ping every so often, or at the times of a cron line."""

    every: str | None = None
    """The longest time from one ping to the next."""
    cron: str | None = None
    """Instead: the cron line of the foreign job."""
    dialect: Dialect = "vixie"
    """The dialect of the cron line."""
    zone: str = "UTC"
    """The zone of the cron line."""
    grace: str = "1h"
    """How late a ping may be, and how long the job may take from its start to its end."""
    manual_resume: bool = False
    """Whether pings of a paused monitor are recorded without ending the pause."""
    note: str = ""


class PingFacts(msgspec.Struct, frozen=True, kw_only=True):
    """One ping as it came."""

    kind: PingKind
    exit_status: int | None = None
    rid: str | None = None
    """The id of the foreign run, by which a start and its end are paired."""
    method: str = "GET"
    address: str = ""
    agent: str = ""
    body: str = ""
    size: int = 0
    """The bytes that were sent, of which the body holds the first."""


class MonitorFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The facts that the pings of a monitor have told so far."""

    status: Literal["new", "up", "failed", "paused"] = "new"
    """The word of the last end of the job, or of a person; time alone does not change it."""
    last_at: int | None = None
    """The last success or failure."""
    started_at: int | None = None
    """The start of a run that has not ended yet."""
    started_rid: str | None = None
    expected_at: int | None = None
    down_at: int | None = None
    """From when on the monitor is down if nothing comes before."""


class PingMark(View, frozen=True):
    """One ping in the short history of a monitor."""

    kind: PingKind
    at: Moment
    exit_status: int | None = None
    duration_ms: int | None = None


class PingView(View, frozen=True):
    """One ping."""

    number: int
    """Counts the pings of the monitor, from 1."""
    kind: PingKind
    at: Moment
    exit_status: int | None
    rid: str | None
    duration_ms: int | None
    """The time since the start that this end belongs to."""
    method: str
    address: str
    agent: str
    size: int
    """The bytes of the body that was sent."""


class PingDetail(PingView, frozen=True):
    """One ping with what was sent along."""

    body: str
    """The first 100 kB."""
    is_cut: bool


class MonitorView(View, frozen=True):
    """A monitor as people see it."""

    name: str
    state: MonitorState
    reason: str | None
    """Why it is down or paused, in a sentence."""
    every: str | None
    cron: str | None
    dialect: Dialect
    zone: str
    grace: str
    manual_resume: bool
    note: str
    description: str
    """When pings are expected, in a sentence."""
    path: str
    """The path that the job pings; its secret is masked for viewers."""
    slug_path: str
    """The path with the ping key of the namespace and the name."""
    is_masked: bool
    last_at: Moment | None
    """The last success or failure."""
    last_duration_ms: int | None
    started_at: Moment | None
    expected_at: Moment | None
    """When the next ping is expected."""
    down_at: Moment | None
    """When it goes, or went, down without a ping."""
    pings: int
    """The number of all pings."""
    changed_at: Moment
    recent: tuple[PingMark, ...] = ()
    """The newest pings, the oldest first."""
    verbs: tuple[str, ...] = ()
    """The verbs that the caller may use on it now."""
