"""Events: named facts from outside that start schedules."""

from __future__ import annotations

import msgspec

from rota.model.view import View


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """A fact that a caller sends."""

    id: str
    name: str
    key: str | None = None
    """Unique per namespace and name: the same fact sent twice is one event."""
    payload: str = "null"
    """JSON text."""


class Heard(View, frozen=True, kw_only=True):
    """The outcome of an event at one listening schedule."""

    schedule: str
    decision: str
    """started, waits, skipped, dropped or blackout; as with starts by time."""
    run_id: str | None = msgspec.field(default=None, name="executionId")


class Sent(View, frozen=True, kw_only=True):
    """An event on record."""

    id: str
    is_new: bool = True
    """False when its key was used before: nothing was started again."""
    heard: tuple[Heard, ...] = ()
