"""Schedules as clients define and see them."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from rota.api.server.documents import Document, Moment, then, when
from rota.engine.schedules.firings import FiringView
from rota.engine.schedules.views import ScheduleState, ScheduleView
from rota.errors import BadOption
from rota.model.identity import Credential
from rota.model.schedule import (
    Calendar,
    Catchup,
    Cron,
    Dialect,
    Every,
    Fold,
    Gap,
    JitterKind,
    OnEvent,
    Overlap,
    Roll,
    Schedule,
    Trigger,
)
from rota.model.view import Body
from rota.rules.schedules.options import read_schedule
from rota.rules.schedules.preview import Firing

API: Literal["api"] = "api"
Mark = Literal["gap", "fold", "holiday"]
Time = str | float


class RuleBody(Body):
    """When something fires: an expression or a trigger, and how it is read."""

    expression: str | None = None
    """A cron line, `@daily`, `@every 90s`, `@event orders.closed`."""
    trigger: dict[str, Any] | None = None
    """Instead: an object such as `{"every": {"months": 1}, "start": "2026-01-31T06:00"}`."""
    dialect: Dialect | None = None
    """Of the cron line."""
    zone: str | None = None
    gap: Gap | None = None
    fold: Fold | None = None
    calendar: str | dict[str, Any] | None = None
    roll: Roll | None = None

    def schedule(self, calendars: dict[str, Calendar]) -> Schedule:
        """Checked; BadInput names the field that is wrong."""
        return read_schedule(self._given(), self._options(), calendars=calendars)

    def _given(self) -> object:
        if (self.expression is None) == (self.trigger is None):
            raise BadOption("give exactly one of expression and trigger")
        if self.trigger is not None:
            if self.dialect is not None:
                raise BadOption("dialect: it is for a cron line; in a trigger it stands beside it")
            return {"trigger": self.trigger} if "type" in self.trigger else self.trigger
        if self.dialect is not None:
            return {"cron": self.expression, "dialect": self.dialect}
        return self.expression

    def _options(self) -> dict[str, Any]:
        names = (name for name in self.__struct_fields__ if name not in _NO_OPTIONS)
        given = {name: getattr(self, name) for name in names}
        return {name: value for name, value in given.items() if value is not None}


class ScheduleBody(RuleBody, kw_only=True):
    """A schedule: what to start, when, and under which policies."""

    job: str
    args: dict[str, Any] | None = None
    start: str | None = None
    end: str | None = None
    count: int | None = None
    overlap: Overlap | None = None
    parallel: int | None = None
    backlog: int | None = None
    catchup: Catchup | None = None
    catchup_limit: int | None = None
    catchup_window: Time | None = None
    grace: Time | None = None
    jitter: Time | None = None
    jitter_kind: JitterKind | None = None
    start_within: Time | None = None
    pause_after: int | None = None
    paused: bool | None = None


_NO_OPTIONS = {"expression", "trigger", "dialect", "job", "name", "begin", "until", "most"}


class FiringDocument(Document):
    """An instant to come."""

    at: Moment
    local: str
    """What the clock shows in the schedule's zone, with the offset."""
    mark: Mark | None
    """Why it is not where the plain rule puts it."""
    marks: list[str]
    """The same in words."""


class PastDocument(Document):
    """What became of an instant."""

    at: Moment
    kind: str
    decision: str
    decided_at: Moment
    run_id: str | None = msgspec.field(name="executionId")
    state: str | None


class ScheduleItem(Document):
    """A schedule in a list."""

    id: str
    name: str
    job: str
    trigger: str
    """As a text: the cron line, `@every 90s`, or the trigger as JSON."""
    description: str
    """In a sentence."""
    zone: str
    state: ScheduleState
    note: str | None
    next_at: Moment | None
    last_at: Moment | None
    """The last instant that was dealt with."""
    last_state: str | None
    """How its last run ended."""
    last_run: str | None = msgspec.field(name="lastExecutionId")
    last_ended_at: Moment | None
    last_success: str | None
    """The last run that succeeded."""
    last_success_at: Moment | None
    overlap: Overlap | None
    catchup: Catchup | None
    origin: str
    app: str | None
    """Whose code declares it."""
    revision: int
    running: int
    waiting: int
    fired: int
    missed: int
    skipped: int
    failures: int
    """In a row."""
    blocked_by: str | None
    """With strict order: the run that failed."""
    changed_by: str | None
    changed_at: Moment
    created_at: Moment
    spec: dict[str, Any] | None
    """All of it, if that was asked for and can be read."""
    verbs: list[str]


class ScheduleDocument(ScheduleItem):
    """A schedule with its firings to come and the last ones."""

    definition: dict[str, Any]
    """As PUT takes it."""
    coming: list[FiringDocument]
    past: list[PastDocument]


def schedule_item(
    view: ScheduleView, credential: Credential, *, with_spec: bool = False
) -> ScheduleItem:
    return ScheduleItem(**_facts(view, credential, with_spec=with_spec))


def schedule_document(
    view: ScheduleView, credential: Credential, *, coming: list[Firing], past: list[FiringView]
) -> ScheduleDocument:
    return ScheduleDocument(
        **_facts(view, credential, with_spec=True),
        definition=_definition(view),
        coming=[firing_document(each) for each in coming],
        past=[past_document(each) for each in past],
    )


def firing_document(firing: Firing) -> FiringDocument:
    return FiringDocument(
        at=then(firing.at),
        local=firing.wall,
        mark=mark_of(firing.marks),
        marks=list(firing.marks),
    )


def past_document(firing: FiringView) -> PastDocument:
    return PastDocument(
        at=then(firing.instant),
        kind=firing.kind,
        decision=firing.decision,
        decided_at=then(firing.decided_at),
        run_id=firing.run_id,
        state=firing.state,
    )


def trigger_text(trigger: Trigger) -> str:
    """As people would write it in one line, if they can."""
    match trigger:
        case Cron():
            return trigger.expression
        case Every(anchor=None, from_end=False):
            return f"@every {trigger.every}"
        case OnEvent():
            return f"@event {trigger.event}"
    return msgspec.json.encode(trigger).decode()


def schedule_verbs(view: ScheduleView, credential: Credential) -> list[str]:
    """What this credential may do to it now."""
    verbs: list[str] = []
    if credential.has("operator"):
        has_times = view.schedule is None or not isinstance(view.schedule.trigger, OnEvent)
        verbs += ["trigger", "backfill"] if has_times else ["trigger"]
        verbs += ["pause"] if view.state == "active" else []
        verbs += ["resume"] if view.state in ("paused", "error") else []
        verbs += ["unblock"] if view.blocked_by else []
    if credential.has("author") and view.origin == API:
        verbs += ["edit", "delete"]
    return verbs


def _facts(view: ScheduleView, credential: Credential, *, with_spec: bool) -> dict[str, Any]:
    known = view.schedule
    return {
        "id": view.id,
        "spec": msgspec.to_builtins(known) if known and with_spec else None,
        "app": view.app,
        "revision": view.revision,
        "created_at": then(view.created_at),
        "last_success": view.last_success,
        "last_success_at": when(view.last_success_at),
        "name": view.name,
        "job": view.job,
        "trigger": trigger_text(known.trigger) if known else "",
        "description": view.description,
        "zone": known.zone if known else "",
        "state": view.state,
        "note": view.note,
        "next_at": when(view.next_at),
        "last_at": when(view.last_at),
        "last_state": view.last_state,
        "last_run": view.last_run,
        "last_ended_at": when(view.last_ended_at),
        "overlap": known.overlap if known else None,
        "catchup": known.catchup if known else None,
        "origin": view.origin,
        "running": view.running,
        "waiting": view.waiting,
        "fired": view.fired,
        "missed": view.missed,
        "skipped": view.skipped,
        "failures": view.failures,
        "blocked_by": view.blocked_by,
        "changed_by": view.changed_by,
        "changed_at": then(view.changed_at),
        "verbs": schedule_verbs(view, credential),
    }


def _definition(view: ScheduleView) -> dict[str, Any]:
    if view.schedule is None:
        return {"job": view.job}
    fields: dict[str, Any] = msgspec.to_builtins(view.schedule)
    fields.pop("name", None)
    named = {_camel(name): value for name, value in fields.items()}
    if "isPaused" in named:
        named["paused"] = named.pop("isPaused")
    return {"job": view.job, **named}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def mark_of(marks: tuple[str, ...]) -> Mark | None:
    """Of the words of a firing, what kind they are of."""
    said = " ".join(marks)
    if "does not exist" in said:
        return "gap"
    if "comes twice" in said:
        return "fold"
    return "holiday" if marks else None
