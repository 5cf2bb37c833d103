"""Events: named facts from outside that start schedules."""

from __future__ import annotations

import msgspec


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """A fact that somebody sends."""

    id: str
    name: str
    key: str | None = None
    """Unique per namespace and name: the same fact sent twice is one event."""
    payload: str = "null"
    """JSON text."""


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """What became of an event at one of the schedules that listen."""

    schedule: str
    decision: str
    """started, waits, skipped, dropped or blackout; as with starts by time."""
    run_id: str | None = None


class Sent(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to an event."""

    id: str
    is_new: bool = True
    """False when its key was used before: nothing was started again."""
    heard: tuple[Heard, ...] = ()
