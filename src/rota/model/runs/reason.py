"""Reasons: one obstacle each that keeps a run from running, for people and for scripts."""

from __future__ import annotations

from typing import Literal

from rota.clock import Moment
from rota.model.view import View

Kind = Literal[
    "ended", "running", "silent_worker", "cancel_requested", "waits", "paused", "no_worker",
    "unserved_queue", "unknown_job", "draining", "ahead", "busy", "overdue", "ready", "blocked",
    "held", "window", "quota", "stalled",
]  # fmt: skip


class Reason(View, frozen=True, kw_only=True):
    """One thing that keeps a run from running, or says that nothing does."""

    kind: Kind
    says: str
    count: int | None = None
    until: Moment | None = None
    """The moment it is over, where that is known."""
