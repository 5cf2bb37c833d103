"""Schedules as clients define them."""

from __future__ import annotations

from typing import Any

import msgspec

from rota.errors import BadOption
from rota.model.schedules.definitions import (
    Calendar,
    Catchup,
    Dialect,
    Fold,
    Gap,
    JitterKind,
    Overlap,
    Roll,
    Schedule,
)
from rota.model.view import Body
from rota.rules.schedules.options import read_schedule

FEW = 20
"""The number of firings in a short preview."""
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


class PreviewBody(RuleBody):
    """A rule, and which of its firings to show."""

    name: str = ""
    """That of the schedule: it decides what `H` stands for."""
    begin: str | None = msgspec.field(default=None, name="from")
    """The first instant to look at; now if not said."""
    until: str | None = None
    most: int = msgspec.field(default=FEW, name="count")


def schedule_body(job: str, schedule: Schedule) -> ScheduleBody:
    """Return the body that a client sends to put this schedule."""
    facts: dict[str, Any] = msgspec.to_builtins(schedule)
    facts.pop("name", None)
    if "is_paused" in facts:
        facts["paused"] = facts.pop("is_paused")
    return ScheduleBody(job=job, **facts)


_NO_OPTIONS = {"expression", "trigger", "dialect", "job", "name", "begin", "until", "most"}
