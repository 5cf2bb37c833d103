"""Operations on workers: list them, drain one, resume one."""

from __future__ import annotations

from rota.clock import moment
from rota.engine.workers import registry
from rota.engine.workers.registry import WorkerRecord
from rota.errors import NotPermitted
from rota.model.view import Page
from rota.model.workers.worker import DrainState, WorkerView
from rota.operations.caller import Caller
from rota.operations.operation import changes, nothing_changed, reads, tell
from rota.store.base import Tx


@reads("/workers")
def list_workers(tx: Tx, caller: Caller) -> Page[WorkerView]:
    """All workers on record, the oldest first."""
    found = registry.workers(tx, namespace=caller.namespace)
    own = [each for each in found if any(map(caller.sees, each.queues))]
    if caller.sees_all_queues:
        return Page(items=[_view(each, each.jobs, caller) for each in found])
    visible = caller.visible_jobs(tx, {job for each in own for job in each.jobs or ()})
    items = []
    for each in own:
        jobs = None if each.jobs is None else tuple(job for job in each.jobs if job in visible)
        items.append(_view(each, jobs, caller))
    return Page(items=items)


@changes("POST", "/workers/{worker_id}/drain", verb="drain worker", subject="worker_id")
def drain_worker(tx: Tx, caller: Caller, worker_id: str) -> DrainState:
    """Let a worker take nothing new from its next heartbeat on; what it runs goes on."""
    return _ask(tx, caller, worker_id, drains=True)


@changes("POST", "/workers/{worker_id}/resume", verb="resume worker", subject="worker_id")
def resume_worker(tx: Tx, caller: Caller, worker_id: str) -> DrainState:
    """Let a worker that was drained work again."""
    return _ask(tx, caller, worker_id, drains=False)


def _ask(tx: Tx, caller: Caller, worker_id: str, *, drains: bool) -> DrainState:
    if not caller.sees_all_queues:
        raise NotPermitted("a worker serves queues that the credential may not reach")
    asked = registry.ask_drain(tx, worker_id, namespace=caller.namespace, drains=drains)
    tell(tx, caller, name=asked.name)
    if not asked.is_new:
        nothing_changed(tx, caller)
    return DrainState(id=worker_id, draining=drains)


def _view(worker: WorkerRecord, jobs: tuple[str, ...] | None, caller: Caller) -> WorkerView:
    """Return the worker with the queues that the caller sees, and with these of its jobs."""
    may = worker.is_alive and caller.sees_all_queues
    return WorkerView(
        id=worker.id,
        name=worker.name,
        host=worker.host,
        pid=worker.pid,
        version=worker.version,
        queues=tuple(filter(caller.sees, worker.queues)),
        jobs=jobs,
        slots=worker.slots,
        running=worker.running,
        load=round(worker.running / worker.slots, 3) if worker.slots else 0.0,
        left_behind=worker.left_behind,
        started_at=moment(worker.started_at),
        seen_at=moment(worker.seen_at),
        is_alive=worker.is_alive,
        is_draining=not worker.takes_new,
        verbs=caller.may("resume" if worker.drain_asked else "drain") if may else (),
    )
