"""Firings of schedules: those to come, and the outcomes of those that were due."""

from __future__ import annotations

from datetime import date
from typing import Literal

import msgspec

from rota.clock import Moment
from rota.model.view import View

Mark = Literal["gap", "fold", "holiday"]


class NextFiring(View, frozen=True):
    """An instant to come of one schedule."""

    at: Moment
    wall: str = msgspec.field(name="local")
    """The local time in the schedule's zone, with its offset."""
    mark: Mark | None
    """Why it is not where the plain rule puts it."""
    marks: tuple[str, ...]
    """The reasons in words."""


class SchedulePreview(View, frozen=True):
    """The meaning of a rule."""

    description: str
    zone: str
    firings: list[NextFiring]


class UpcomingFiring(View, frozen=True):
    """A firing to come of any schedule."""

    at: Moment
    schedule: str
    job: str
    mark: Mark | None
    """Why it is not where the plain rule puts it."""
    marks: tuple[str, ...]
    """The reasons in words."""


class CalendarDayOff(View, frozen=True):
    """A day on which a calendar of these schedules is closed, weekends apart."""

    day: date
    calendar: str
    """Its name or code; empty for one that a schedule spells out."""
    why: str


class ClockShift(View, frozen=True):
    """Clocks are changed in a zone of these schedules."""

    at: Moment
    zone: str
    seconds: float
    """Forward, or back if it is negative."""


class UpcomingFirings(View, frozen=True):
    """The firings of all schedules, in order."""

    firings: list[UpcomingFiring] = msgspec.field(name="items")
    is_cut: bool = msgspec.field(name="cut")
    """There are more in this time than are told."""
    frequent: list[str]
    """Schedules with more firings than `each` allows, of which none is told."""
    days_off: list[CalendarDayOff]
    """By the calendars that these schedules go by."""
    shifts: list[ClockShift]
    """Shifts of the clocks that these schedules go by."""


class FiringView(View, frozen=True):
    """The outcome of an instant."""

    instant: Moment = msgspec.field(name="at")
    kind: str
    decision: str
    decided_at: Moment
    run_id: str | None = msgspec.field(name="executionId")
    state: str | None
    """The state of its run; None if there is none, or retention has removed it. A failure that was
    run again is shown by the rerun that mended it, or may still do so."""


class ScheduleTriggered(View, frozen=True):
    """The outcome of a start by hand."""

    run_id: str | None = msgspec.field(name="executionId")
    """None when the overlap policy gave the start up."""
    status: Literal["queued", "pending", "skipped"]
    decision: str
