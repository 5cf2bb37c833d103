"""Queue limits: everything that limits a queue now.

A queue has no limits of its own: they follow from its workers and from the holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import msgspec

from rota.engine.admission.mechanisms import HOLDS
from rota.engine.workers.registry import WorkerRecord, workers
from rota.model.admission.queue import LimitKind, QueueLimit
from rota.store.base import Tx

_ORDER: tuple[str, ...] = get_args(LimitKind)


def limits_of(tx: Tx, queue: str, *, namespace: str, is_whole: bool = True) -> list[QueueLimit]:
    """Return the limits that stop runs first; unless `is_whole`, without what other queues use."""
    limits = list(_slots(tx, queue, namespace))
    for hold in HOLDS:
        if hold.limits is not None:
            limits += hold.limits(tx, queue, namespace)
    if not is_whole:
        limits = [_without_use(each) if each.kind == "quota" else each for each in limits]
    return sorted(limits, key=lambda each: (not each.stops, _ORDER.index(each.kind)))


def _without_use(limit: QueueLimit) -> QueueLimit:
    return msgspec.structs.replace(limit, used=None, stops=False)


def _slots(tx: Tx, queue: str, namespace: str) -> Iterator[QueueLimit]:
    crew = [
        each for each in workers(tx, namespace=namespace) if each.is_alive and queue in each.queues
    ]
    if not crew:
        yield QueueLimit(kind="slots", says="no worker that is alive serves it", most=0, stops=True)
        return
    free = [each for each in crew if each.takes_new]
    slots = sum(each.slots for each in crew)
    busy = sum(min(each.running, each.slots) for each in crew)
    is_full = all(each.running >= each.slots for each in free)
    yield QueueLimit(kind="slots", says=_crew(crew, queue), used=busy, most=slots, stops=is_full)


def _crew(crew: list[WorkerRecord], queue: str) -> str:
    others = {name for each in crew for name in each.queues} - {queue}
    whose = f"slots of {len(crew)} worker{'s' if len(crew) > 1 else ''}"
    if not others:
        return whose
    return f"{whose}, shared with {len(others)} other queue{'s' if len(others) > 1 else ''}"
