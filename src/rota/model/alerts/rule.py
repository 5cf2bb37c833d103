"""Alert rules: what is reported, about which jobs and queues, to whom and when."""

from __future__ import annotations

from typing import Literal

import msgspec

from rota.model.view import View

AlertKind = Literal[
    "run.failed",
    "cause.new",
    "schedule.paused",
    "schedule.late",
    "breaker.open",
    "queue.unserved",
    "queue.paused",
    "worker.lost",
    "monitor.down",
    "deadline.missed",
    "deadline.at_risk",
    "schedule.missed",
    "security.sign_in",
    "security.token",
    "security.audit",
]
Severity = Literal["info", "warning", "error", "critical"]
SEVERITIES: tuple[Severity, ...] = ("info", "warning", "error", "critical")
"""From the least to the most urgent."""
Grouping = Literal["job", "cause", "rule"]


class QuietHours(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of each day in which only critical alerts are sent; others wait for its end."""

    begin: str
    """A time of day, such as 22:00."""
    end: str
    """A time of day; one before `begin` is on the next day."""
    zone: str = "UTC"


class AlertRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A rule: alerts of these kinds, about these jobs and queues, go to these channels."""

    on: tuple[AlertKind, ...]
    to: tuple[str, ...]
    """Names of channels."""
    jobs: tuple[str, ...] = ()
    """Names of jobs, `*` stands for any text; empty for all jobs."""
    queues: tuple[str, ...] = ()
    """Names of queues, `*` stands for any text; empty for all queues."""
    severity: Severity = "error"
    group: Grouping = "job"
    """Failed runs of one job, of one job and cause, or of one rule share an incident."""
    after: int = 1
    """Failed runs before an incident is opened, counted over `window`."""
    window: str = "10m"
    repeat: str | None = "4h"
    """How often people are reminded of an incident that goes on; None for never."""
    recovery: bool = True
    """Whether people are told when an incident is over."""
    quiet: QuietHours | None = None
    at_most: int = 10
    """Messages in ten minutes; what is beyond is told in one message."""
    enabled: bool = True
    note: str = ""


class AlertRuleView(View, frozen=True):
    """An alert rule as people see it."""

    name: str
    on: tuple[str, ...]
    to: tuple[str, ...]
    jobs: tuple[str, ...]
    queues: tuple[str, ...]
    severity: Severity
    group: Grouping
    after: int
    window: str
    repeat: str | None
    recovery: bool
    quiet: QuietHours | None
    at_most: int
    enabled: bool
    note: str
    open: int
    """The number of incidents that are open now."""
    missing: tuple[str, ...] = ()
    """Channels that it names and that do not exist."""
    verbs: tuple[str, ...] = ()
    """The verbs that the caller may use on it now."""
