"""Queues and workers of the namespaces that clients watch; sent when they have changed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

import msgspec

from rota.api.live.client import LiveClient
from rota.api.live.events import event
from rota.engine.admission.queues import queues
from rota.engine.workers.registry import WorkerRecord, workers
from rota.model.insight.live_events import GoneEvent, QueueEvent, WorkerEvent
from rota.model.view import project
from rota.store.base import Tx


class FleetItem(NamedTuple):
    """A queue or a worker, and the queues through which a credential reaches it."""

    kind: str
    id: str
    event: QueueEvent | WorkerEvent
    queues: tuple[str, ...]

    @property
    def key(self) -> tuple[str, str]:
        return self.kind, self.id

    @property
    def news(self) -> object:
        """The part of the item whose change is worth an event: a wait that goes on is not."""
        if isinstance(self.event, QueueEvent):
            return msgspec.structs.replace(self.event, oldest_ms=None)
        return self.event


class FleetFilter(NamedTuple):
    """The namespaces in which clients watch queues, workers and changes."""

    queues: frozenset[str]
    workers: frozenset[str]
    changes: frozenset[str]


Fleet = Mapping[str, list[FleetItem]]


def wanted_by(clients: Collection[LiveClient]) -> FleetFilter:
    return FleetFilter(
        frozenset(each.namespace for each in clients if each.topics.queues),
        frozenset(each.namespace for each in clients if each.topics.workers),
        frozenset(each.namespace for each in clients if each.topics.changes),
    )


def look(tx: Tx, wanted: FleetFilter) -> Fleet:
    """Read the current queues and workers, by namespace."""
    found: dict[str, list[FleetItem]] = {name: [] for name in wanted.queues | wanted.workers}
    for name in wanted.queues:
        found[name] += [
            FleetItem("queue", each.name, project(QueueEvent, each), (each.name,))
            for each in queues(tx, namespace=name)
        ]
    for name in wanted.workers:
        found[name] += [
            FleetItem("worker", each.id, _worker_event(each), each.queues)
            for each in workers(tx, namespace=name)
        ]
    return found


def _worker_event(worker: WorkerRecord) -> WorkerEvent:
    told = project(WorkerEvent, worker)
    return msgspec.structs.replace(told, is_draining=not worker.takes_new)


def tell(clients: Collection[LiveClient], before: Fleet, now: Fleet, *, floor: int) -> None:
    """Send new clients the whole fleet, and the others what has changed."""
    for name, things in now.items():
        known = {each.key: each for each in before.get(name, ())}
        there = {each.key for each in things}
        fresh = [
            each for each in things if each.key not in known or known[each.key].news != each.news
        ]
        gone = [each for key, each in known.items() if key not in there]
        for client in clients:
            if client.namespace == name:
                _tell_one(client, things if client.is_new else fresh, gone, floor)
    for client in clients:
        client.is_new = client.is_new and client.namespace not in now


def _tell_one(
    client: LiveClient, fresh: list[FleetItem], gone: list[FleetItem], floor: int
) -> None:
    for thing in fresh:
        if _is_for(client, thing):
            client.put(thing.key, floor, event(thing.kind, thing.event))
    for thing in gone:
        if _is_for(client, thing):
            client.put(thing.key, floor, event(thing.kind, GoneEvent(id=thing.id)))


def _is_for(client: LiveClient, thing: FleetItem) -> bool:
    wants = client.topics.queues if thing.kind == "queue" else client.topics.workers
    return wants and any(map(client.reaches, thing.queues))
