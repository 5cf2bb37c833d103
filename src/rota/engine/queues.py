"""Queues: how deep they are, and pausing them."""

from __future__ import annotations

import msgspec

from rota.engine.keys import queue_key
from rota.store.base import Tx


class QueueView(msgspec.Struct, frozen=True, kw_only=True):
    """A queue as people see it."""

    name: str
    is_paused: bool
    note: str | None
    queued: int
    running: int
    scheduled: int
    oldest_ms: int | None
    held: int = 0
    """Queued runs that a breaker holds back."""


def pause(tx: Tx, queue: str, *, namespace: str, note: str | None = None) -> None:
    """Nothing of this queue is claimed any more; what runs goes on."""
    tx.execute("pause_queue", namespace=namespace, name=queue, is_paused=True, note=note)


def resume(tx: Tx, queue: str, *, namespace: str) -> None:
    """Claims go on, in the old order."""
    tx.execute("pause_queue", namespace=namespace, name=queue, is_paused=False, note=None)
    tx.notify((queue_key(namespace, queue),))


def queues(tx: Tx, *, namespace: str) -> list[QueueView]:
    """All queues that hold live runs or were ever paused, by name."""
    return [
        QueueView(
            name=row["name"],
            is_paused=bool(row["is_paused"]),
            note=row["note"],
            queued=row["queued"],
            running=row["running"],
            scheduled=row["scheduled"],
            oldest_ms=row["oldest_ms"],
            held=row["held"],
        )
        for row in tx.all("list_queues", namespace=namespace)
    ]
