"""Workers: who is there and how busy; let one take nothing new, and let it work again."""

from __future__ import annotations

import msgspec
from litestar import get, post
from litestar.params import FromPath

from rota.api.identity.actions import offered
from rota.api.identity.authorization import needs
from rota.api.server.documents import Document, Moment, then
from rota.api.server.request import ApiRequest
from rota.engine.identity.audit_log import Actor
from rota.engine.workers.registry import WorkerView, ask_drain, workers
from rota.errors import NotPermitted
from rota.model.view import Page
from rota.store.base import Tx


class WorkerDocument(Document):
    """A worker process on record."""

    id: str
    name: str
    host: str
    pid: int
    version: str
    queues: list[str]
    jobs: list[str] | None
    """Those it knows; null from a worker that does not say."""
    slots: int
    busy: int
    load: float
    """The part of its slots that is busy."""
    left_behind: int
    """Handlers that did not stop when they were asked to, and go on after the end of their run."""
    started_at: Moment
    seen_at: Moment
    alive: bool
    draining: bool
    """It takes nothing new, or was asked not to and will hear of it with its next heartbeat."""
    verbs: list[str]


class DrainState(Document):
    """What a worker was asked for."""

    id: str
    draining: bool


@get("/workers", **needs("viewer"))
async def list_workers(request: ApiRequest) -> Page[WorkerDocument]:
    """All workers on record, the oldest first."""
    found = await request.read(lambda tx: _reached(tx, request))
    return Page(items=[worker_document(each, request) for each in found])


def _reached(tx: Tx, request: ApiRequest) -> list[WorkerView]:
    """Those that serve a queue the credential reaches, with the queues and jobs it reaches."""
    found = workers(tx, namespace=request.namespace)
    if request.credential.queues is None:
        return found
    own = [each for each in found if any(map(request.credential.reaches, each.queues))]
    jobs = request.caller.visible_jobs(tx, {job for each in own for job in each.jobs or ()})
    return [
        msgspec.structs.replace(
            each,
            queues=tuple(filter(request.credential.reaches, each.queues)),
            jobs=None if each.jobs is None else tuple(job for job in each.jobs if job in jobs),
        )
        for each in own
    ]


@post("/workers/{worker_id:str}/drain", **needs("operator", changes=True), status_code=200)
async def drain_worker(request: ApiRequest, worker_id: FromPath[str]) -> DrainState:
    """Let a worker take nothing new from its next heartbeat on; what it runs goes on."""
    return await _ask(request, worker_id, drains=True)


@post("/workers/{worker_id:str}/resume", **needs("operator", changes=True), status_code=200)
async def resume_worker(request: ApiRequest, worker_id: FromPath[str]) -> DrainState:
    """Let a worker that was drained work again."""
    return await _ask(request, worker_id, drains=False)


async def _ask(request: ApiRequest, worker_id: str, *, drains: bool) -> DrainState:
    if request.credential.queues is not None:
        raise NotPermitted("a worker serves queues that the credential may not reach")

    told: dict[str, str] = {}

    def ask(tx: Tx, _: Actor) -> DrainState:
        told["name"] = ask_drain(tx, worker_id, namespace=request.namespace, drains=drains)
        return DrainState(id=worker_id, draining=drains)

    verb = "drain worker" if drains else "resume worker"
    return await request.change(verb, worker_id, ask, answers=DrainState, detail=told)


def worker_document(worker: WorkerView, request: ApiRequest) -> WorkerDocument:
    verb = "resume" if worker.drain_asked else "drain"
    may = worker.is_alive and request.credential.queues is None
    return WorkerDocument(
        id=worker.id,
        name=worker.name,
        host=worker.host,
        pid=worker.pid,
        version=worker.version,
        queues=list(worker.queues),
        jobs=None if worker.jobs is None else list(worker.jobs),
        slots=worker.slots,
        busy=worker.running,
        load=round(worker.running / worker.slots, 3) if worker.slots else 0.0,
        left_behind=worker.left_behind,
        started_at=then(worker.started_at),
        seen_at=then(worker.seen_at),
        alive=worker.is_alive,
        draining=not worker.takes_new,
        verbs=offered(request.credential, verb) if may else [],
    )


ROUTES = (list_workers, drain_worker, resume_worker)
