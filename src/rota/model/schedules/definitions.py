"""Schedules as data: a trigger with the instants, and policies for the starts at them.

Texts stay as people wrote them (`90s`, `2026-03-08T07:00:00Z`); `rota.rules` reads them.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from rota.clock import Moment
from rota.model.runs.labels import Labels
from rota.model.view import View

Dialect = Literal["vixie", "quartz", "kubernetes"]
Gap = Literal["cron", "next", "skip", "same"]
"""A wall time that does not exist fires as cron(8) does, at the first valid minute, not at all, or
at the instant it would have been without the change.
"""
Fold = Literal["cron", "first", "second", "both"]
"""A wall time that comes twice fires as cron(8) does, or at the time or times that are named."""
Roll = Literal["skip", "next", "previous", "modified_following"]
Overlap = Literal["allow", "skip", "queue_one", "queue_all", "cancel_old", "newest", "strict"]
Catchup = Literal["none", "last", "all"]
JitterKind = Literal["random", "hash", "fixed"]


class _Data(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The base of schedule data: encoded without defaults; an unknown field is refused."""


class Cron(_Data, frozen=True, tag="cron"):
    """A cron line of 5, 6 (seconds first) or 7 (year last) fields."""

    expression: str
    dialect: Dialect = "vixie"


class Every(_Data, frozen=True, tag="every"):
    """A fixed distance of real time: from an anchor, or from the end of the previous run."""

    every: str
    anchor: str | None = None
    """The instant it counts from; without one, the Unix epoch, so that `1h` is on the hour."""
    from_end: bool = False


class CalendarEvery(_Data, frozen=True, tag="calendar"):
    """Every so many days, weeks, months or years at the same wall time, counted from `start`."""

    start: str
    """A wall time such as `2026-01-31T06:00`, the first firing."""
    days: int = 0
    weeks: int = 0
    months: int = 0
    years: int = 0


class At(_Data, frozen=True, tag="at"):
    """Once; or, of several times, once each. With an offset an instant, without it a wall time."""

    times: tuple[str, ...]


class Rrule(_Data, frozen=True, tag="rrule"):
    """An iCalendar recurrence rule, counted from the wall time `start`."""

    rule: str
    start: str


class BusinessDay(_Data, frozen=True, tag="business_day"):
    """The nth business day of each month (-1 is the last) by the schedule's calendar."""

    nth: int
    time: str = "00:00"


class OnEvent(_Data, frozen=True, tag="event"):
    """Whenever somebody sends the event of that name."""

    event: str


class AnyOf(_Data, frozen=True, tag="any_of"):
    """Each instant at which any of them fires, once."""

    triggers: tuple[Trigger, ...]


class Unless(_Data, frozen=True, tag="unless"):
    """The instants of one trigger at which the other does not fire."""

    trigger: Trigger
    exclude: Trigger
    whole_day: bool = False
    """Leave out whole days (of the schedule's zone) on which the other fires."""


Trigger = Cron | Every | CalendarEvery | At | Rrule | BusinessDay | OnEvent | AnyOf | Unless


class Calendar(_Data, frozen=True, kw_only=True):
    """The days that are not business days, as data."""

    country: str | None = None
    """A code such as `FR`, `US-CA` or a market such as `XNYS`; its public holidays are off."""
    weekend: tuple[int, ...] = (5, 6)
    """Days off each week; 0 is Monday."""
    off: tuple[str, ...] = ()
    """Further days off, as dates."""
    on: tuple[str, ...] = ()
    """Days worked in spite of the above."""


class Schedule(_Data, frozen=True, kw_only=True):
    """A trigger bound to a job's arguments, and the policies of its starts."""

    trigger: Trigger
    name: str | None = None
    """The name that tells it from other schedules of the job; by default its place among them."""
    zone: str = "UTC"
    gap: Gap = "cron"
    fold: Fold = "cron"
    start: str | None = None
    """No firing before this instant."""
    end: str | None = None
    """No firing after this instant."""
    count: int | None = None
    """The maximum number of runs; a start that was skipped does not count."""
    calendar: str | Calendar | None = None
    """The name of a stored calendar, a country or market code, or a calendar spelled out."""
    roll: Roll = "skip"
    """The way to move a firing that falls on a day off."""
    args: dict[str, Any] = {}
    overlap: Overlap = "allow"
    parallel: int = 1
    """The number of runs at once, for every `overlap` but `allow`."""
    backlog: int = 100
    """The number of runs that may wait with `queue_all` and `strict`; more are dropped, counted."""
    catchup: Catchup = "last"
    """The policy for firings missed for longer than `grace`."""
    catchup_limit: int = 100
    catchup_window: str = "1d"
    grace: str = "1m"
    """Firings later than now by less than this are on time: all of them start."""
    jitter: str | None = None
    jitter_kind: JitterKind = "hash"
    start_within: str | None = None
    """How long after its time a run may still start."""
    deadline: str | None = None
    """By when its runs have to have ended, instead of the deadline of the job."""
    pause_after: int | None = None
    """The number of failed runs in a row that pauses the schedule."""
    is_paused: bool = False
    labels: Labels = {}
    """Labels that its runs get, besides those of the job."""


class CalendarView(View, frozen=True):
    """A business calendar of a namespace."""

    name: str
    version: int
    """Grows with each change."""
    country: str | None
    weekend: tuple[int, ...]
    off: tuple[str, ...]
    on: tuple[str, ...]
    verbs: tuple[str, ...] = ()
    """The verbs that the caller may use on it now."""

    @property
    def calendar(self) -> Calendar:
        """Return the days of the calendar, without its name."""
        return Calendar(country=self.country, weekend=self.weekend, off=self.off, on=self.on)


BlackoutKind = Literal["skip", "defer", "drain"]
"""The policy for a firing inside: it is left out, it happens at the end of the window, or it
happens but its run does not start before the end.
"""


class Blackout(_Data, frozen=True, kw_only=True):
    """A maintenance window of a job, a queue or, without either, of the whole namespace.

    Once, from `start` to `end`; or each time a trigger fires, for a `duration`.
    """

    kind: BlackoutKind
    start: str | None = None
    end: str | None = None
    """The first instant after the window."""
    trigger: Trigger | None = None
    duration: str | None = None
    zone: str = "UTC"
    job: str | None = None
    queue: str | None = None
    note: str = ""


class BlackoutView(View, frozen=True):
    """A maintenance window of a namespace."""

    name: str
    kind: BlackoutKind
    start: str | None
    end: str | None
    trigger: Trigger | None
    duration: str | None
    zone: str
    job: str | None
    queue: str | None
    note: str
    description: str
    """In a sentence."""
    begins_at: Moment | None
    """The window around this instant, or else the next; None if it is over for good."""
    ends_at: Moment | None
    is_now: bool
    """It holds runs back at this instant."""
    verbs: tuple[str, ...] = ()
    """The verbs that the caller may use on it now."""

    @property
    def blackout(self) -> Blackout:
        """Return the window, without its name."""
        return Blackout(**{name: getattr(self, name) for name in Blackout.__struct_fields__})


class Removed(View, frozen=True):
    """A definition that is no longer there."""

    name: str
    removed: bool = True
