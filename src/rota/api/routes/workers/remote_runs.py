"""Runs of remote workers: claims, ends, and the output of handlers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from litestar.params import FromPath, FromQuery, JSONBody

from rota.api.remote.asking import (
    REST_S,
    end_with_server,
    find,
    is_gone,
    wait_of,
    worker_call,
    write,
)
from rota.api.remote.claiming import ClaimReply, catch, complete, told
from rota.api.remote.finishing import check_ends, end_attempts
from rota.api.remote.lines import append_lines
from rota.api.server.request import ApiRequest
from rota.clock import elapsed_s
from rota.engine.failures.batch_isolation import words, write_apart
from rota.engine.wakeup_keys import queue_key, worker_key
from rota.engine.workers.heartbeat import HeldLease
from rota.engine.workers.lost_claims import release
from rota.engine.workers.registry import note_stall
from rota.errors import RotaError
from rota.model.values.artifact import is_pointer
from rota.model.workers.remote import ClaimBody, Claimed, FinishBody, Finished, LogsBody, Taken
from rota.store.base import Tx

LOOK_S = 2.0
"""How often a waiting claim looks without a wake-up.

A maintenance window may be over, or a wake-up lost.
"""


@worker_call("claim")
async def claim_runs(
    request: ApiRequest,
    worker_id: FromPath[str],
    data: JSONBody[ClaimBody],
    wait: FromQuery[str] = "0s",
) -> Claimed:
    """Runs to carry out, up to `limit`; with `wait=20s` the answer comes when there are some.

    A later claim of the same worker ends one that waits. What was lost with an answer goes back
    into its queue when the next claim says what the worker `held`, or is told as `strays`.
    """
    end_s = elapsed_s() + wait_of(wait)
    queues = request.credential.queues or ()
    keys = {queue_key(request.namespace, queue) for queue in queues} | {worker_key(worker_id)}
    arrivals = request.server_state.arrivals
    await arrivals.open()
    is_first = True
    rest_s = 0.0  # before a second look in vain, not before the first run of a quiet queue
    with arrivals.listening(f"claim {request.credential.id} {worker_id}", keys) as ear:
        end_with_server(request, ear)
        while True:
            ear.forget()
            look = partial(catch, worker_id=worker_id, credential=request.credential)
            look_now = partial(look, body=data, is_first=is_first)
            caught = await _catch(request, worker_id, look_now)
            is_first = False
            answer = await _answer(request, caught)
            left_s = end_s - elapsed_s()
            is_over = ear.is_over or left_s <= 0 or is_gone(request)
            if answer.runs or answer.strays or answer.draining or is_over:
                return answer
            await asyncio.sleep(rest_s)
            rest_s = REST_S
            await ear.wait(min(left_s, LOOK_S))


@worker_call("finish", large=True)
async def finish_runs(
    request: ApiRequest, worker_id: FromPath[str], data: JSONBody[FinishBody]
) -> Finished:
    """Tell how attempts ended. Sent again, what is on record already is told as `lost`."""
    check_ends(data.ended)
    server_state = request.server_state
    lost = await server_state.call(
        lambda: end_attempts(
            server_state.room(request.only),
            server_state.app.artifact_store,
            worker_id,
            request.credential,
            data.ended,
        )
    )
    return Finished(lost=lost)


@worker_call("logs", large=True)
async def append_logs(
    request: ApiRequest, worker_id: FromPath[str], data: JSONBody[LogsBody]
) -> Taken:
    """Store what handlers printed and logged; chunks that are there already stay as they are."""

    def store(tx: Tx) -> Taken:
        worker = find(request, worker_id, tx)
        return Taken(chunks=append_lines(tx, worker, data.chunks, namespace=request.namespace))

    return await write(request, store)


async def _catch(
    request: ApiRequest, worker_id: str, look: Callable[[Tx], ClaimReply]
) -> ClaimReply:
    """Return the result of a look; if the batch raises, only its bad runs fail."""
    room = request.server_state.room(request.only)

    def caught() -> ClaimReply:
        try:
            return write_apart(room.write, look, who=f"claims of worker {worker_id}")
        except RotaError:
            raise  # an answer to the worker
        except Exception as error:
            why = words(error)
            with suppress(Exception):  # it is only told to people
                room.write(lambda tx: note_stall(tx, worker_id, why))
            raise

    reply = await request.server_state.call(caught)
    if reply.worker.is_stalled:
        await write(request, lambda tx: note_stall(tx, worker_id, None))
    return reply


async def _answer(request: ApiRequest, caught: ClaimReply) -> Claimed:
    """Return the answer; if the client has left, its runs go back at once."""
    if not caught.leases:
        return told(caught, [])
    room, artifact_store = (
        request.server_state.room(request.only),
        request.server_state.app.artifact_store,
    )
    if is_gone(request):
        strays = [
            HeldLease(each.run_id, each.fence, each.parent_id, each.node, each.item)
            for each in caught.leases
        ]
        await write(request, lambda tx: release(tx, strays, namespace=request.namespace))
        return told(caught, [])
    if not any(lease.is_open or is_pointer(lease.args) for lease in caught.leases):
        return told(caught, caught.leases)
    work = partial(complete, room, artifact_store, caught, namespace=request.namespace)
    return told(caught, await request.server_state.call(work))


ROUTES = (claim_runs, finish_runs, append_logs)
