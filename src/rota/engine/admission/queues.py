"""Queues: their depths, and pausing them. Depths are counted up to a limit (ADR 27).

A pause is a hold: the claim statements check it themselves (`claim_runs`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping

import msgspec

from rota.engine.admission.hold import ActiveHold
from rota.engine.admission.release import release
from rota.engine.runs.claimed import shares
from rota.engine.wakeup_keys import recall_key
from rota.engine.workers.registry import workers
from rota.errors import UnknownQueue
from rota.model.admission.queue import QueueLimit, QueueView
from rota.model.runs.reason import Reason
from rota.store.base import Tx

COUNTED = 50_000
"""The limit for each queue and state: people read depths every second, from an index."""
COUNTED_IN_ALL = 200_000
"""The limit for all queues together: with many queues each is counted less far."""
COUNTED_AT_LEAST = 1_000
AHEAD = 1_000
"""The longest wait is looked for among this many runs that are next."""
HELD = 5_000


class Depth(msgspec.Struct, frozen=True, kw_only=True):
    """The runs that wait in a queue."""

    queued: int
    scheduled: int
    oldest_ms: int | None
    is_cut: bool


def pause(tx: Tx, queue: str, *, namespace: str, note: str | None = None) -> bool:
    """Start nothing more from this queue, not even runs held ready; running ones go on.

    False if it is paused already, with the same note.
    """
    paused = tx.execute("pause_queue", namespace=namespace, name=queue, note=note)
    tx.notify((recall_key(namespace),))
    return paused > 0


def resume(tx: Tx, queue: str, *, namespace: str) -> bool:
    """Resume claims, in the old order; False if the queue is not paused.

    Raises UnknownQueue for a name that nothing uses.
    """
    resumed = tx.execute("resume_queue", namespace=namespace, name=queue)
    if not resumed and queue not in {each.name for each in queues(tx, namespace=namespace)}:
        raise UnknownQueue(queue)
    release(tx, queues=[(namespace, queue)])
    return resumed > 0


class PausedQueues(ActiveHold):
    """The paused queues of a namespace, each with the note of its pause."""

    def __init__(self, notes: Mapping[str, str]) -> None:
        self._notes = notes

    def reasons(self, *, job: str, queue: str) -> list[Reason]:
        del job
        if queue not in self._notes:
            return []
        note = f": {self._notes[queue]}" if self._notes[queue] else ""
        return [Reason(kind="paused", says=f"queue {queue} is paused{note}")]

    def is_of_queue(self, queue: str) -> bool:
        return queue in self._notes


def paused_queues(tx: Tx, namespace: str) -> PausedQueues | None:
    rows = tx.all("paused_queues", namespace=namespace)
    return PausedQueues({row["name"]: row["note"] or "" for row in rows}) if rows else None


def pause_limits(tx: Tx, queue: str, namespace: str) -> Iterator[QueueLimit]:
    """Yield the pause of a queue, which stops the queue altogether."""
    for row in tx.all("paused_queues", namespace=namespace):
        if row["name"] == queue:
            note = f": {row['note']}" if row["note"] else ""
            yield QueueLimit(kind="paused", says=f"paused{note}", stops=True)


def queues(tx: Tx, *, namespace: str) -> list[QueueView]:
    """Return all queues by name: those with runs or workers, and those that were paused."""
    return _views(tx, None, namespace=namespace)


def queue_view(tx: Tx, name: str, *, namespace: str) -> QueueView:
    """Return one queue; a queue of which nothing is known is empty."""
    return _views(tx, name, namespace=namespace)[0]


def _views(tx: Tx, only: str | None, *, namespace: str) -> list[QueueView]:
    marked = {row["name"]: row for row in tx.all("list_queues", namespace=namespace)}
    running: Counter[str] = Counter()
    ready: Counter[str] = Counter()
    for share in shares(tx, namespace=namespace):
        running[share.queue] += share.running
        ready[share.queue] += share.held
    names = (
        {only} if only else {each["name"] for each in tx.all("queue_names", namespace=namespace)}
    )
    depths = depths_of(tx, names, namespace=namespace)
    held_counts = _held(tx, names, namespace=namespace)
    crews = _crews(tx, namespace=namespace)
    return [
        QueueView(
            name=name,
            is_paused=bool(name in marked and marked[name]["is_paused"]),
            note=marked[name]["note"] if name in marked else None,
            queued=ready[name] + (depths[name].queued if name in depths else 0),
            running=running[name],
            scheduled=depths[name].scheduled if name in depths else 0,
            oldest_ms=depths[name].oldest_ms if name in depths else None,
            held=held_counts.get(name, 0),
            is_cut=name in depths and depths[name].is_cut,
            workers=len(crews.get(name, ())),
            slots=sum(crews.get(name, ())),
        )
        for name in sorted(names if only else names | marked.keys() | running.keys() | crews.keys())
    ]


def depths_of(tx: Tx, names: Collection[str], *, namespace: str) -> dict[str, Depth]:
    """Return the depths of these queues, through indexes, up to a limit for each."""
    return _depths(tx, "queue_depths", names, namespace=namespace)


def ready_of(tx: Tx, names: Collection[str], *, namespace: str) -> dict[str, Depth]:
    """Return the depths of these queues without the runs that wait for their time."""
    return _depths(tx, "ready_depths", names, namespace=namespace)


def _depths(tx: Tx, statement: str, names: Collection[str], *, namespace: str) -> dict[str, Depth]:
    if not names:
        return {}
    most = max(COUNTED_AT_LEAST, min(COUNTED, COUNTED_IN_ALL // len(names)))
    at = {"namespace": namespace, "batch": _named(names)}
    return {
        row["name"]: Depth(
            queued=min(row["queued"], most),
            scheduled=min(row.get("scheduled", 0), most),
            oldest_ms=row["oldest_ms"],
            is_cut=max(row["queued"], row.get("scheduled", 0)) > most,
        )
        for row in tx.all(statement, most=most + 1, ahead=AHEAD, **at)
    }


def _held(tx: Tx, names: Collection[str], *, namespace: str) -> dict[str, int]:
    at = {"namespace": namespace, "batch": _named(names), "ahead": HELD}
    return {row["name"]: row["held"] for row in tx.all("held_by_queue", **at)}


def _crews(tx: Tx, *, namespace: str) -> dict[str, list[int]]:
    """Return the slots of each worker that serves a queue, by queue."""
    crews: dict[str, list[int]] = {}
    for worker in workers(tx, namespace=namespace):
        if worker.is_alive:
            for queue in worker.queues:
                crews.setdefault(queue, []).append(worker.slots)
    return crews


def _named(names: Collection[str]) -> str:
    return json.dumps([{"name": name} for name in sorted(names)])
