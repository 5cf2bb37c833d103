"""Queue limits: what bounds a queue now.

A queue has none of its own: they follow from who serves it, from the quotas of its namespace, from
breakers of its jobs, from windows and from a pause.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from rota.engine.admission.closed_windows import ClosedWindow, drains
from rota.engine.failures.breakers.control import breakers
from rota.engine.identity.namespaces import find_namespace
from rota.engine.jobs.definitions import current_specs
from rota.engine.workers.registry import WorkerView, workers
from rota.rules.text.duration import format_duration
from rota.store.base import Tx

NEAR_MS = 86_400_000
"""Windows that begin later are not told yet."""
LimitKind = Literal["paused", "window", "slots", "quota", "breaker"]


class QueueLimit(msgspec.Struct, frozen=True, kw_only=True):
    """Something that keeps a queue from starting more than so many runs."""

    kind: LimitKind
    says: str
    used: int | None = None
    most: int | None = None
    """None where it is not about a number."""
    stops: bool = False
    """Because of it some or all runs do not start now."""


def limits_of(tx: Tx, queue: str, *, namespace: str, is_whole: bool = True) -> list[QueueLimit]:
    """Those that stop runs now first; who sees some queues only is not told what others use."""
    found = [
        *_pause(tx, queue, namespace),
        *_windows(tx, queue, namespace),
        *_slots(tx, queue, namespace),
        *(each if is_whole else _without_use(each) for each in _quotas(tx, namespace)),
        *_breakers(tx, queue, namespace),
    ]
    return sorted(found, key=lambda each: not each.stops)


def _pause(tx: Tx, queue: str, namespace: str) -> Iterator[QueueLimit]:
    for row in tx.all("paused_queues", namespace=namespace):
        if row["name"] == queue:
            note = f": {row['note']}" if row["note"] else ""
            yield QueueLimit(kind="paused", says=f"paused{note}", stops=True)


def _windows(tx: Tx, queue: str, namespace: str) -> Iterator[QueueLimit]:
    """One of a job that names no queue is told where the runs of the job are."""
    near = [each for each in drains(tx, namespace=namespace) if each.begins_in_ms < NEAR_MS]
    specs = current_specs(tx, {each.job for each in near if each.job}, namespace=namespace)
    for each in near:
        spec = specs[each.job][1] if each.job in specs else None
        of_job = queue if each.job is None else spec and spec.queue
        if (each.queue or of_job) == queue:
            yield _window(each)


def _window(drain: ClosedWindow) -> QueueLimit:
    whom = f" for job {drain.job}" if drain.job else ""
    note = f": {drain.note}" if drain.note else ""
    is_now = drain.begins_in_ms <= 0
    when = "lasts" if is_now else f"begins in {format_duration(drain.begins_in_ms)} and lasts"
    lasts_ms = drain.ends_in_ms - max(0, drain.begins_in_ms)
    says = f"maintenance window {drain.name}{whom} {when} {format_duration(lasts_ms)}{note}"
    return QueueLimit(kind="window", says=says, stops=is_now)


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


def _crew(crew: list[WorkerView], queue: str) -> str:
    others = {name for each in crew for name in each.queues} - {queue}
    whose = f"slots of {len(crew)} worker{'s' if len(crew) > 1 else ''}"
    if not others:
        return whose
    return f"{whose}, shared with {len(others)} other queue{'s' if len(others) > 1 else ''}"


def _quotas(tx: Tx, namespace: str) -> Iterator[QueueLimit]:
    quotas = find_namespace(tx, namespace).quotas
    if quotas.running is not None:
        used = tx.all("count_running", namespace=namespace)[0]["runs"]
        says = f"runs at once in namespace {namespace}"
        is_full = used >= quotas.running
        yield QueueLimit(kind="quota", says=says, used=used, most=quotas.running, stops=is_full)
    if quotas.queued is not None:
        row = tx.one("count_waiting", namespace=namespace, limit=quotas.queued + 1)
        used = 0 if row is None else min(int(row["runs"]), quotas.queued)
        says = f"runs that may wait in namespace {namespace}; more are refused"
        yield QueueLimit(kind="quota", says=says, used=used, most=quotas.queued)


def _breakers(tx: Tx, queue: str, namespace: str) -> Iterator[QueueLimit]:
    found = breakers(tx, namespace=namespace)
    specs = current_specs(tx, {each.job for each in found}, namespace=namespace)
    for each in found:
        if each.job not in specs or specs[each.job][1].queue != queue:
            continue
        if each.state == "closed":
            says = f"job {each.job} is held back when too many attempts fail ({each.rule})"
            yield QueueLimit(kind="breaker", says=says)
        else:
            is_paused = f"job {each.job} is paused"
            says = is_paused if each.stays else f"the breaker of job {each.job} is open"
            yield QueueLimit(kind="breaker", says=says, used=each.held, stops=True)
