"""Remote workers, which have no database: register, claim, heartbeat, report ended attempts.

Only tokens of the role `worker` can do this, for their namespace and their queues. These requests
are not made by people: the audit has the registration, and the history of each run has the rest.
"""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

from litestar import post
from litestar.params import FromPath, FromQuery, JSONBody

from rota.api.identity.authorization import needs
from rota.api.remote.asking import (
    REST_S,
    end_with_server,
    find,
    is_gone,
    wait_of,
    worker_call,
    write,
)
from rota.api.remote.claiming import told_strays
from rota.api.remote.trust import check_held
from rota.api.server.request import ApiRequest
from rota.clock import elapsed_s
from rota.engine.runs.begin import begin
from rota.engine.wakeup_keys import recall_key, worker_key
from rota.engine.workers.heartbeat import HandlerProgress, heartbeat
from rota.engine.workers.lost_claims import release
from rota.engine.workers.registry import NewWorker
from rota.engine.workers.remote import bury, enlist, has_news, known_jobs, leave, teach, undefined
from rota.errors import BadInput, NotPermitted, UnknownWorker
from rota.ids import is_id
from rota.model.runs.run import Begun
from rota.model.workers.remote import (
    Beaten,
    Done,
    HeartbeatBody,
    RegisterBody,
    Registered,
    Rung,
    Stray,
)
from rota.runtime.options import WorkerOptions
from rota.store.base import Tx

LEASE_MS = WorkerOptions().lease_ms
HEARTBEAT_MS = WorkerOptions().heartbeat_ms
KEY_BYTES = 32


@post("/worker/register", **needs("worker", changes=True))
async def register_worker(request: ApiRequest, data: JSONBody[RegisterBody]) -> Registered:
    """Announce a worker process; sent again with the same id it is the same worker."""
    ids = (data.worker_id, *data.replaces)
    if not all(map(is_id, ids)):
        raise BadInput("workerId and replaces hold ids as `rota` makes them (UUID)")
    texts = (data.name, data.host, data.version, *data.jobs)
    if not all(map(str.isprintable, texts)):
        raise BadInput("names of workers, hosts and jobs are printable")
    reached = request.credential.queues or ()
    queues = reached if data.queues is None else tuple(dict.fromkeys(data.queues))
    foreign = [queue for queue in queues if not request.credential.reaches(queue)]
    if foreign or not queues:
        raise NotPermitted(
            f"the token is for the queues {', '.join(reached)}; it does not serve "
            f"{', '.join(foreign) or 'none at all'}"
        )
    key = secrets.token_hex(KEY_BYTES)

    def enter(tx: Tx) -> Registered:
        at = {"namespace": request.namespace, "token_id": request.credential.id}
        for dead in data.replaces:
            bury(tx, dead, **at)
        jobs = known_jobs(tx, data.jobs, namespace=request.namespace, stored=data.stored)
        worker = NewWorker(
            id=data.worker_id,
            name=data.name,
            host=data.host,
            pid=data.pid,
            queues=queues,
            slots=data.slots,
            version=data.version,
            jobs=tuple(jobs),
        )
        enlisted = enlist(tx, worker, key=key, lease_ms=LEASE_MS, **at)
        return Registered(
            worker_id=enlisted.id,
            namespace=request.namespace,
            queues=enlisted.queues,
            lease_ms=LEASE_MS,
            heartbeat_ms=HEARTBEAT_MS,
            unknown_jobs=tuple(undefined(tx, data.jobs, namespace=request.namespace)),
            hears_begins=True,
            tells_strays=True,
            hears_takes=True,
        )

    return await request.change("register worker", data.worker_id, enter, answers=Registered)


@worker_call("listen", changes=False)
async def listen_for_worker(
    request: ApiRequest, worker_id: FromPath[str], wait: FromQuery[str] = "0s"
) -> Rung:
    """Whether somebody wants something of the worker or its runs; a heartbeat tells what."""
    end_s = elapsed_s() + wait_of(wait)
    await request.server_state.arrivals.open()
    name = f"listen {request.credential.id} {worker_id}"
    with request.server_state.arrivals.listening(name, _heard(request, worker_id)) as ear:
        end_with_server(request, ear)
        while True:
            ear.forget()
            is_news = await request.read(lambda tx: has_news(tx, find(request, worker_id, tx)))
            left_s = end_s - elapsed_s()
            if is_news or ear.is_over or left_s <= 0 or is_gone(request):
                return Rung(rung=is_news)
            await asyncio.sleep(REST_S)
            await ear.wait(left_s)


@worker_call("heartbeat", large=True)
async def beat_for_worker(
    request: ApiRequest, worker_id: FromPath[str], data: JSONBody[HeartbeatBody]
) -> Beaten:
    """Keep the leases of a worker alive, and learn what has become of its runs."""

    def beat(tx: Tx) -> Beaten:
        worker = find(request, worker_id, tx)
        leases = check_held(worker, data.held)
        check_held(worker, data.progress)
        check_held(worker, data.begun)
        if data.stored:
            teach(tx, worker, namespace=request.namespace)
        pulse = heartbeat(
            tx,
            worker.id,
            lease_ms=LEASE_MS,
            held=leases,
            progress=[_progress(each) for each in data.progress],
            running=data.running,
            left_behind=data.left_behind,
            is_draining=data.draining,
        )
        if not pulse.is_known:
            raise UnknownWorker(worker_id)
        if data.begun:
            begun = [Begun(each.run_id, each.fence, each.held_ms) for each in data.begun]
            begin(tx, begun, namespace=request.namespace)
        strays: list[Stray] = []
        if data.hears_strays:
            strays = told_strays(tx, worker, pulse.strays, namespace=request.namespace)
        else:
            release(tx, pulse.strays, namespace=request.namespace)
        if data.draining and not worker.drains:
            tx.notify((worker_key(worker.id),))  # a claim that waits gives up
        return Beaten(
            lost=list(pulse.lost),
            cancelled=list(pulse.cancelled),
            strays=strays,
            recalls=pulse.recalls,
            draining=pulse.drains,
        )

    return await write(request, beat)


@worker_call("retire")
async def retire_worker(request: ApiRequest, worker_id: FromPath[str]) -> Done:
    """Take a worker off the list; runs that it still holds go back as if never claimed."""

    def go(tx: Tx) -> Done:
        leave(tx, find(request, worker_id, tx), namespace=request.namespace)
        return Done(worker_id=worker_id)

    return await write(request, go)


def _heard(request: ApiRequest, worker_id: str) -> set[str]:
    """Return the wake-up keys that concern a worker, beside those of runs that it could claim."""
    return {worker_key(worker_id), recall_key(request.namespace)}


def _progress(body: Any) -> HandlerProgress:
    return HandlerProgress(body.run_id, body.fence, body.fraction, body.note.replace("\0", ""))


ROUTES = (
    register_worker,
    listen_for_worker,
    beat_for_worker,
    retire_worker,
)
