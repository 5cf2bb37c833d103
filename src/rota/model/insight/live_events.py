"""Live events: the part of a view that a stream sends when the thing has changed.

A field has the type and the name in JSON of that field of its view; a test compares them.
"""

from __future__ import annotations

import msgspec

from rota.clock import Moment
from rota.model.logs.log import Level, Stream
from rota.model.states import State
from rota.model.view import Share, View


class ErrorSummary(View, frozen=True):
    """Why an attempt failed, without its traceback."""

    type: str
    message: str


class RunEvent(View, frozen=True):
    """A run as it is now, without its arguments and result; its page has the rest."""

    id: str = msgspec.field(name="executionId")
    job: str = msgspec.field(name="jobId")
    version: int
    status: State
    queue: str
    priority: int
    attempt: int
    failures: int
    crashes: int
    created_at: Moment
    due_at: Moment
    started_at: Moment | None
    finished_at: Moment | None
    duration_ms: int | None
    progress: Share | None
    progress_note: str | None
    worker_id: str | None
    schedule_id: str | None
    parent_id: str | None
    node: str | None
    item: int | None
    cancel_requested: bool
    error: ErrorSummary | None
    reason: str | None


class QueueEvent(View, frozen=True):
    """A queue as it is now."""

    name: str
    queued: int
    scheduled: int
    is_cut: bool
    running: int
    held: int
    oldest_ms: int | None = msgspec.field(name="oldestWaitMs")
    is_paused: bool = msgspec.field(name="paused")
    note: str | None


class WorkerEvent(View, frozen=True):
    """A worker as it is now."""

    id: str
    name: str
    host: str
    pid: int
    slots: int
    running: int = msgspec.field(name="busy")
    is_alive: bool = msgspec.field(name="alive")
    is_draining: bool = msgspec.field(name="draining")


class LineEvent(View, frozen=True):
    """One line of a run."""

    run_id: str = msgspec.field(name="executionId")
    attempt: int
    fence: int = msgspec.field(name="claim")
    seq: int
    at: Moment
    level: Level
    stream: Stream
    text: str


class GoneEvent(View, frozen=True):
    """A queue or a worker is not there any more."""

    id: str
    gone: bool = True


class ChangeEvent(View, frozen=True):
    """Somebody did something; a page fetches again what it shows."""

    only_acts: bool
    """The audit has more, and all definitions are as they were."""
