"""Workers as people see them."""

from __future__ import annotations

import msgspec

from rota.clock import Moment
from rota.model.view import View


class WorkerView(View, frozen=True):
    """A worker process on record."""

    id: str
    name: str
    host: str
    pid: int
    version: str
    queues: tuple[str, ...]
    jobs: tuple[str, ...] | None
    """Jobs that it knows; null from a worker that does not say."""
    slots: int
    running: int = msgspec.field(name="busy")
    """Handlers in its slots, at its last heartbeat."""
    load: float
    """The part of its slots that is busy."""
    left_behind: int
    """Handlers that did not stop when they were asked to, and go on after the end of their run."""
    started_at: Moment
    seen_at: Moment
    is_alive: bool = msgspec.field(name="alive")
    is_draining: bool = msgspec.field(name="draining")
    """It takes nothing new, or was asked not to and will hear of it with its next heartbeat."""
    verbs: tuple[str, ...] = ()
    """The verbs that the caller may use on it now."""


class DrainState(View, frozen=True):
    """Whether a worker was asked to drain."""

    id: str
    draining: bool
