"""Schedules as clients define them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from rota.errors import BadOption
from rota.model.schedules.definitions import Calendar, Dialect, Schedule
from rota.model.view import Body
from rota.rules.schedules.option_table import OPTIONS
from rota.rules.schedules.options import read_schedule
from rota.rules.text.option import body_fields, body_struct, given_options

FEW = 20
"""The number of firings in a short preview."""


class RuleText(Body):
    """The rule by which something fires: an expression or a trigger."""

    expression: str | None = None
    """A cron line, `@daily`, `@every 90s`, `@event orders.closed`."""
    trigger: dict[str, Any] | None = None
    """Instead: an object such as `{"every": {"months": 1}, "start": "2026-01-31T06:00"}`."""
    dialect: Dialect | None = None
    """The dialect of the cron line."""

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
        return given_options(self, _OPTIONS)


if TYPE_CHECKING:
    RuleBody = RuleText
else:
    RuleBody = body_struct(
        *(RuleText, OPTIONS, "rule"),
        name="RuleBody",
        doc="When something fires: an expression or a trigger, and how it is read.",
        module=__name__,
    )


class ScheduledJob(RuleBody, kw_only=True):
    """A rule and what it starts."""

    job: str
    args: dict[str, Any] | None = None


if TYPE_CHECKING:
    ScheduleBody = ScheduledJob
else:
    ScheduleBody = body_struct(
        *(ScheduledJob, OPTIONS, None),
        name="ScheduleBody",
        doc="A schedule: what to start, when, and under which policies.",
        module=__name__,
    )


class PreviewBody(RuleBody, kw_only=True):
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


_OPTIONS = [name for where in ("rule", None) for name, _, _ in body_fields(OPTIONS, where)]
