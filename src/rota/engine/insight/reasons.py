"""Reasons: one thing each that keeps a run from running, for people and for scripts."""

from __future__ import annotations

from typing import Literal

import msgspec

from rota.rules.text.duration import format_duration

Kind = Literal[
    "ended", "running", "silent_worker", "cancel_requested", "waits", "paused", "no_worker",
    "unserved_queue", "unknown_job", "draining", "ahead", "busy", "overdue", "ready", "blocked",
    "held", "window", "quota", "stalled",
]  # fmt: skip


class Reason(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that keeps a run from running, or says that nothing does."""

    kind: Kind
    says: str
    count: int | None = None
    until: int | None = None
    """The moment it is over, in milliseconds of the database clock, where that is known."""


def seconds(ms: int) -> str:
    """Whole seconds from one second up: nobody needs the rest."""
    return format_duration(ms if ms < 1000 else ms // 1000 * 1000)  # noqa: PLR2004  # a second


def at_once(limit: int, what: str) -> str:
    """`only 3 runs may run at once`."""
    return f"only {limit} {what}{'' if limit == 1 else 's'} may run at once"
