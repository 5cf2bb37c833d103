"""Schedules as people see them: with their next instant, counters and last outcome."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from rota.clock import Moment
from rota.model.schedules.definitions import Catchup, Overlap, Schedule
from rota.model.schedules.firing import FiringView, NextFiring
from rota.model.view import View

ScheduleState = Literal["active", "paused", "error", "ended"]
ScheduleOrigin = Literal["code", "file", "api"]


class ScheduleView(View, frozen=True):
    """A schedule."""

    id: str
    name: str
    job: str
    trigger: str
    """The cron line, `@every 90s`, or the trigger as JSON."""
    description: str
    """Its rule in words, with the times that H stands for; the note where it cannot be read."""
    zone: str
    state: ScheduleState
    note: str | None
    next_at: Moment | None
    """Its next instant; None while it is paused, in error or ended."""
    last_at: Moment | None
    """The last instant that was dealt with."""
    last_state: str | None
    """The state in which its last run ended."""
    last_run: str | None = msgspec.field(name="lastExecutionId")
    last_ended_at: Moment | None
    last_success: str | None
    """The last run that succeeded."""
    last_success_at: Moment | None
    overlap: Overlap | None
    catchup: Catchup | None
    origin: ScheduleOrigin
    app: str | None
    """The app whose code declares it, if that has a name."""
    revision: int
    running: int
    waiting: int
    fired: int
    missed: int
    skipped: int
    failures: int
    """Runs in a row that failed."""
    blocked_by: str | None
    """With strict order: the failed run that has to be mended first."""
    changed_by: str | None
    changed_at: Moment
    created_at: Moment
    schedule: Schedule | None = msgspec.field(name="spec")
    """All of it, if that was asked for; None as well when its text cannot be read any more."""
    verbs: tuple[str, ...] = ()
    """The verbs that the caller may use on it now."""


class ScheduleDetail(ScheduleView, frozen=True, kw_only=True):
    """A schedule with its firings to come and the last ones."""

    definition: dict[str, Any]
    """The definition in the form that PUT takes."""
    coming: list[NextFiring]
    past: list[FiringView]


class ScheduleHeld(View, frozen=True):
    """The state of a schedule."""

    name: str
    state: Literal["paused", "active", "unblocked"]
