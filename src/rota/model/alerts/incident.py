"""Incidents: what alert rules found, from its beginning to its end; and the messages about it."""

from __future__ import annotations

from typing import Literal

from rota.clock import Moment
from rota.model.alerts.rule import Severity
from rota.model.view import View

IncidentState = Literal["open", "closed"]
MessageKind = Literal["opened", "reminder", "recovered", "digest", "test"]
MessageState = Literal["waiting", "sent", "given_up"]


class IncidentView(View, frozen=True):
    """One incident of a rule."""

    id: str
    rule: str
    kind: str
    subject: str
    """The thing that is wrong: a job, a job and a cause, a queue."""
    severity: Severity
    title: str
    advice: str | None
    job: str | None
    queue: str | None
    run_id: str | None
    """The newest run that shows it."""
    state: IncidentState
    opened_at: Moment
    last_at: Moment
    """The time at which it was last seen."""
    closed_at: Moment | None
    messages: int
    """How often people were told."""
    told_at: Moment | None
    runs: int | None
    """The number of failed runs since it was opened; None for incidents that are not about runs."""


class MessageView(View, frozen=True):
    """One message to one channel."""

    id: str
    channel: str
    rule: str | None
    kind: MessageKind
    title: str
    state: MessageState
    at: Moment
    tries: int
    next_at: Moment | None
    sent_at: Moment | None
    error: str | None
