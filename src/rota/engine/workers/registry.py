"""The registry of workers: which workers exist, their capacity and their start."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from rota.engine.wakeup_keys import worker_key
from rota.errors import NotAllowed, UnknownWorker
from rota.store.base import Tx


class NewWorker(msgspec.Struct, frozen=True, kw_only=True):
    """A worker process; its id is new at each start, never a host name or a setting."""

    id: str
    name: str
    host: str
    pid: int
    queues: tuple[str, ...]
    slots: int
    version: str
    jobs: tuple[str, ...] | None = None
    """The jobs it can carry out; None if unknown."""
    takes: dict[str, str] = {}
    """Digests of the arguments its functions accept, by job (rules.jobs.accepted_arguments)."""
    presence: str | None = None
    """How other processes see that this one is alive; None when they cannot."""


class WorkerRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A worker on record, with fields that only the engine reads."""

    id: str
    name: str
    host: str
    pid: int
    queues: tuple[str, ...]
    slots: int
    running: int
    """The number of handlers in its slots at its last heartbeat."""
    version: str
    is_alive: bool
    is_draining: bool
    started_at: int
    seen_at: int
    now: int
    jobs: tuple[str, ...] | None = None
    """The jobs it can carry out; None if it did not report them."""
    stalled_at: int | None = None
    """When its claims began to fail repeatedly; None while they do not."""
    stalled_why: str | None = None
    drain_asked: bool = False
    """Whether a person wants it to take no new runs; `is_draining` is the worker's own report."""

    left_behind: int = 0
    """The number of handlers that did not stop when asked and go on after the end of their run."""

    @property
    def takes_new(self) -> bool:
        """Whether it takes new runs: it neither drains nor will with its next heartbeat."""
        return not (self.is_draining or self.drain_asked)


def learn(
    tx: Tx,
    worker_id: str,
    *,
    queues: tuple[str, ...],
    jobs: tuple[str, ...],
    takes: Mapping[str, str],
) -> None:
    """Replace the queues and jobs that a worker announced at first."""
    known = _jobs_text(jobs, takes)
    tx.execute("update_worker_scope", id=worker_id, queues=json.dumps(queues), jobs=known)


def _jobs_text(jobs: Sequence[str], takes: Mapping[str, str]) -> str:
    """A JSON object from job names to argument digests; read as a list it gives the names."""
    return json.dumps({name: takes.get(name) for name in jobs})


def takes_in(known: str | None) -> dict[str, str]:
    """The digests of the arguments a worker's functions accept, by job; empty for older workers."""
    found = json.loads(known or "[]")
    return {name: each for name, each in found.items() if each} if isinstance(found, dict) else {}


def register(tx: Tx, worker: NewWorker, *, namespace: str, lease_ms: int) -> None:
    """Announce a worker; its lease starts now. NotAllowed when its id is taken."""
    if not enter(tx, worker, namespace=namespace, lease_ms=lease_ms):
        raise id_is_taken(worker.id)


def id_is_taken(worker_id: str) -> NotAllowed:
    return NotAllowed(f"the id {worker_id} is taken; make a new one")


def enter(
    tx: Tx,
    worker: NewWorker,
    *,
    namespace: str,
    lease_ms: int,
    token_id: str | None = None,
    key: str | None = None,
) -> bool:
    """Put a worker on record, with its token if it has one; False when its id is taken."""
    entered = tx.execute(
        "register_worker",
        id=worker.id,
        namespace=namespace,
        name=worker.name,
        host=worker.host,
        pid=worker.pid,
        queues=json.dumps(worker.queues),
        jobs=None if worker.jobs is None else _jobs_text(worker.jobs, worker.takes),
        slots=worker.slots,
        version=worker.version,
        presence=worker.presence,
        token_id=token_id,
        attempt_key=key,
        lease_ms=lease_ms,
    )
    return entered == 1


def note_stall(tx: Tx, worker_id: str, why: str | None) -> None:
    """Record why a worker's claims fail repeatedly; None when they no longer fail."""
    tx.execute("note_stall", id=worker_id, why=why)


def retire(tx: Tx, worker_id: str) -> None:
    """Remove a worker that has given back all its runs."""
    tx.execute("retire_worker", id=worker_id)


class DrainRequest(NamedTuple):
    """The name of the worker that was asked, and whether it was not asked for that before."""

    name: str
    is_new: bool


def ask_drain(tx: Tx, worker_id: str, *, namespace: str, drains: bool) -> DrainRequest:
    """Let a worker take no new runs from its next heartbeat on, or work again; its runs go on.

    UnknownWorker when this namespace has no worker of that id.
    """
    names = {each.id: each.name for each in workers(tx, namespace=namespace)}
    if worker_id not in names:
        raise UnknownWorker(worker_id)
    asked = tx.execute("ask_drain", id=worker_id, namespace=namespace, drain_asked=drains)
    tx.notify((worker_key(worker_id),))
    return DrainRequest(names[worker_id], is_new=asked > 0)


def workers(tx: Tx, *, namespace: str) -> list[WorkerRecord]:
    """All workers on record, oldest first; the dead ones vanish when they are reaped."""
    return [
        WorkerRecord(
            id=str(row["id"]),
            name=row["name"],
            host=row["host"],
            pid=row["pid"],
            queues=tuple(json.loads(row["queues"])),
            slots=row["slots"],
            running=row["running"],
            left_behind=row["left_behind"],
            version=row["version"],
            is_alive=bool(row["is_alive"]),
            is_draining=bool(row["is_draining"]),
            started_at=row["started_at"],
            seen_at=row["seen_at"],
            now=row["now"],
            jobs=None if row["jobs"] is None else tuple(json.loads(row["jobs"])),
            drain_asked=bool(row["drain_asked"]),
            stalled_at=row["stalled_at"],
            stalled_why=row["stalled_why"],
        )
        for row in tx.all("list_workers", namespace=namespace)
    ]
