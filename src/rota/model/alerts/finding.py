"""Findings: what is wrong in a namespace now or lately, before any rule has looked at it."""

from __future__ import annotations

import msgspec

from rota.model.alerts.rule import AlertKind, Severity


class AlertFinding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is wrong."""

    kind: AlertKind
    subject: str
    """The thing that is wrong: a job, a queue, a schedule. It keeps its name while it goes on."""
    title: str
    at: int
    """When it was last so."""
    advice: str | None = None
    job: str | None = None
    cause: str | None = None
    """The fingerprint of failed runs that have their cause in common."""
    queue: str | None = None
    runs: int = 1
    """The failed runs of the window, or the runs that wait because of it."""
    lasts: bool = False
    """Whether it is so until it is found no more; otherwise it has happened once."""
    run_id: str | None = None
    """The run that shows it, if it is about one."""
    opens: bool = True
    """Whether it opens an incident; otherwise it only keeps an open one from being over."""


class OpenIncident(msgspec.Struct, frozen=True, kw_only=True):
    """An incident that is open, as its row has it."""

    id: str
    rule: str
    kind: AlertKind
    subject: str
    severity: Severity
    title: str
    advice: str | None = None
    job: str | None = None
    cause: str | None = None
    queue: str | None = None
    run_id: str | None = None
    opened_at: int
    last_at: int
    messages: int = 0
    told_at: int | None = None
    has_recovered: bool = False
    """Whether what happened is over, as far as the store knows."""
