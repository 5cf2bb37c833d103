"""Remote workers: their owners, the runs they hold, and the runs they return when they die.

Every call here names the worker, its token and its namespace, so that no worker can act for
another.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence

import msgspec

from rota.engine.graphs.nodes.links import parent_fields
from rota.engine.jobs.definitions import current_specs, stored_jobs
from rota.engine.runs.claim import lease_of
from rota.engine.wakeup_keys import worker_key
from rota.engine.workers.heartbeat import HeldLease
from rota.engine.workers.lost_claims import release
from rota.engine.workers.reap import take_back_of_dead
from rota.engine.workers.registry import NewWorker, enter, id_is_taken, learn, retire, takes_in
from rota.errors import UnknownWorker
from rota.ids import is_id
from rota.model.runs.run import Lease
from rota.rules.security.attempt_tokens import Seal
from rota.store.base import Tx

EVERY = 10_000


class RemoteWorkerRow(msgspec.Struct, frozen=True, kw_only=True):
    """A worker on record that registered with a token."""

    id: str
    token_id: str
    key: str
    queues: tuple[str, ...]
    jobs: tuple[str, ...]
    takes: dict[str, str]
    slots: int
    drains: bool
    is_stalled: bool
    now: int

    @property
    def seal(self) -> Seal:
        return Seal(key=self.key, worker_id=self.id, token_id=self.token_id)


class HeldRun(msgspec.Struct, frozen=True):
    """A run that a worker holds according to the store."""

    lease: Lease
    is_cancelled: bool
    """Whether a cancel was requested for it."""


def enlist(
    tx: Tx, worker: NewWorker, *, namespace: str, token_id: str, key: str, lease_ms: int
) -> RemoteWorkerRow:
    """Put a worker on record; a repeat changes nothing. NotAllowed for the id of another worker."""
    enter(tx, worker, namespace=namespace, lease_ms=lease_ms, token_id=token_id, key=key)
    try:
        return find_remote(tx, worker.id, namespace=namespace, token_id=token_id)
    except UnknownWorker:
        raise id_is_taken(worker.id) from None


def find_remote(tx: Tx, worker_id: str, *, namespace: str, token_id: str) -> RemoteWorkerRow:
    """The worker with this id and token; UnknownWorker for any other, and for one given up."""
    at = {"id": worker_id, "namespace": namespace, "token_id": token_id}
    row = tx.one("find_remote_worker", **at) if is_id(worker_id) else None
    if row is None:
        raise UnknownWorker(worker_id)
    return RemoteWorkerRow(
        id=str(row["id"]),
        token_id=str(row["token_id"]),
        key=row["attempt_key"],
        queues=tuple(json.loads(row["queues"])),
        jobs=tuple(json.loads(row["jobs"] or "[]")),
        takes=takes_in(row["jobs"]),
        slots=row["slots"],
        drains=bool(row["is_draining"] or row["drain_asked"]),
        is_stalled=row["stalled_at"] is not None,
        now=row["now"],
    )


def known_jobs(tx: Tx, own: Collection[str], *, namespace: str, stored: bool) -> list[str]:
    """The jobs a worker can carry out: jobs whose code it has, and jobs that no code defines."""
    more = stored_jobs(tx, namespace=namespace) if stored else ()
    return sorted({*own, *more})


def undefined(tx: Tx, names: Collection[str], *, namespace: str) -> list[str]:
    """The jobs among these names that are not on record."""
    return sorted(set(names).difference(current_specs(tx, names, namespace=namespace)))


def teach(tx: Tx, worker: RemoteWorkerRow, *, namespace: str) -> None:
    """Let a worker also claim runs of jobs that were stored after it registered."""
    jobs = tuple(known_jobs(tx, worker.jobs, namespace=namespace, stored=True))
    if jobs != worker.jobs:
        learn(tx, worker.id, queues=worker.queues, jobs=jobs, takes=worker.takes)


def told_takes(tx: Tx, worker: RemoteWorkerRow, takes: Mapping[str, str]) -> RemoteWorkerRow:
    """Record the arguments that a worker's functions take, for jobs it knows; return the worker."""
    takes_here = {name: each for name, each in takes.items() if name in worker.jobs}
    if takes_here == worker.takes:
        return worker
    learn(tx, worker.id, queues=worker.queues, jobs=worker.jobs, takes=takes_here)
    return msgspec.structs.replace(worker, takes=takes_here)


def has_news(tx: Tx, worker: RemoteWorkerRow) -> bool:
    """Whether a heartbeat would tell the worker to stop a run, or to stand by."""
    row = tx.one("worker_news", id=worker.id)
    return row is not None and bool(row["is_there"])


def held_runs(
    tx: Tx, worker: RemoteWorkerRow, held: Sequence[HeldLease], *, namespace: str
) -> dict[str, HeldRun]:
    """The listed runs that the worker holds under the fence it names, by id."""
    if not held:
        return {}
    batch = msgspec.json.encode(held).decode()
    rows = tx.tuples("held_leases", batch=batch, worker_id=worker.id, namespace=namespace)
    return {row[0]: HeldRun(lease_of(row), bool(row[-1])) for row in rows}


def strays_of(tx: Tx, worker_id: str, held: Sequence[HeldLease]) -> list[HeldLease]:
    """The worker's runs on record that it does not list, however new they are."""
    batch = msgspec.json.encode(held).decode()
    rows = tx.all("stray_runs", id=worker_id, lease_ms=-1, batch=batch)
    return [HeldLease(str(row["run_id"]), row["fence"], **parent_fields(row)) for row in rows]


def bury(tx: Tx, worker_id: str, *, namespace: str, token_id: str) -> None:
    """End the attempts of a dead worker of this token as lost; ignore an unknown worker."""
    try:
        find_remote(tx, worker_id, namespace=namespace, token_id=token_id)
    except UnknownWorker:
        return
    take_back_of_dead(tx, tx.all("runs_of_worker", worker_id=worker_id, limit=EVERY))
    retire(tx, worker_id)


def leave(tx: Tx, worker: RemoteWorkerRow, *, namespace: str) -> None:
    """Remove a worker that shuts down in good order; the runs it still holds go back."""
    release(tx, strays_of(tx, worker.id, []), namespace=namespace)
    retire(tx, worker.id)
    tx.notify((worker_key(worker.id),))  # its waiting requests are answered


def logged_chars(
    tx: Tx, attempts: Sequence[HeldLease], *, namespace: str
) -> dict[tuple[str, int], int]:
    """The number of log characters kept for these attempts, by run and fence."""
    batch = msgspec.json.encode(attempts).decode()
    rows = tx.all("logged_chars", batch=batch, namespace=namespace)
    return {(str(row["run_id"]), row["fence"]): int(row["chars"]) for row in rows}
