"""What a server answers, and the same as the views that a local call gives."""

from __future__ import annotations

from datetime import datetime
from typing import Generic, TypeVar

import msgspec

from rota.clock import to_ms
from rota.engine.admission.queues import QueueView
from rota.engine.workers.registry import WorkerView

T = TypeVar("T")
PERCENT = 100


class Page(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """Some of many."""

    items: list[T]
    next: str | None = None


class Answer(msgspec.Struct, kw_only=True, rename="camel"):
    """What a server sends; fields that a newer one adds are left alone."""


class SessionAnswer(Answer):
    """Whose token it is."""

    who: str
    namespace: str
    roles: tuple[str, ...]
    queues: tuple[str, ...] | None = None


class QueueAnswer(Answer):
    """A queue."""

    name: str
    queued: int
    scheduled: int
    running: int
    held: int
    oldest_wait_ms: int | None
    paused: bool
    note: str | None
    is_cut: bool = False
    workers: int = 0
    slots: int = 0


class WorkerAnswer(Answer):
    """A worker process on record."""

    id: str
    name: str
    host: str
    pid: int
    version: str
    queues: tuple[str, ...]
    slots: int
    busy: int
    started_at: datetime
    seen_at: datetime
    alive: bool
    draining: bool
    jobs: tuple[str, ...] | None = None
    left_behind: int = 0


def queue_view(queue: QueueAnswer) -> QueueView:
    alike = ("name", "note", "queued", "running", "scheduled", "held", "is_cut", "workers", "slots")
    same = {name: getattr(queue, name) for name in alike}
    return QueueView(is_paused=queue.paused, oldest_ms=queue.oldest_wait_ms, **same)


def worker_view(worker: WorkerAnswer, *, now: int) -> WorkerView:
    return WorkerView(
        id=worker.id,
        name=worker.name,
        host=worker.host,
        pid=worker.pid,
        queues=worker.queues,
        jobs=worker.jobs,
        slots=worker.slots,
        running=worker.busy,
        left_behind=worker.left_behind,
        version=worker.version,
        is_alive=worker.alive,
        is_draining=worker.draining,
        started_at=to_ms(worker.started_at),
        seen_at=to_ms(worker.seen_at),
        now=now,
    )


def ms_or_none(when: datetime | None) -> int | None:
    """As the store counts."""
    return None if when is None else to_ms(when)
