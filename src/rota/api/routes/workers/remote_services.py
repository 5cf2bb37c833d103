"""Services for a running handler without a database: checkpoints, effects, the last success."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from litestar.params import FromPath, JSONBody

from rota.api.remote.asking import find, worker_call, write
from rota.api.remote.trust import check_held, check_json
from rota.api.server.request import ApiRequest
from rota.engine.runs.effects.ledger import intend, retract, settle
from rota.engine.runs.handler_state import load_checkpoint, save_checkpoint
from rota.engine.runs.search.labels import change_own_labels
from rota.engine.schedules.last_success import LastSuccess, last_success
from rota.engine.workers.remote import held_runs
from rota.errors import BadInput, LeaseLost
from rota.model.runs.run import Lease, Origin
from rota.model.values.artifact import is_pointer
from rota.model.workers.remote import AttemptBody, Done
from rota.model.workers.remote_handlers import (
    CheckpointBody,
    CheckpointState,
    EffectBody,
    EffectState,
    LabelBody,
    LabelState,
    SuccessState,
)
from rota.rules.runs.labels import read_changes
from rota.rules.runs.value_limits import MAX_STATE_BYTES
from rota.rules.text.names import check_name
from rota.store.base import Tx

T = TypeVar("T")

_origin = msgspec.json.Decoder(Origin)


@worker_call("checkpoint")
async def save_worker_checkpoint(
    request: ApiRequest, worker_id: FromPath[str], data: JSONBody[CheckpointBody]
) -> Done:
    """Keep how far a handler has come, for the attempt after it."""
    state = check_json("the checkpoint", data.state, limit=MAX_STATE_BYTES)

    def save(tx: Tx, lease: Lease) -> Done:
        save_checkpoint(tx, lease, state, namespace=request.namespace)
        return Done(worker_id=worker_id)

    return await _under_lease(request, worker_id, data, save)


@worker_call("checkpoint/load")
async def load_worker_checkpoint(
    request: ApiRequest, worker_id: FromPath[str], data: JSONBody[AttemptBody]
) -> CheckpointState:
    """The checkpoint that this or an earlier attempt has saved."""

    def load(tx: Tx, lease: Lease) -> CheckpointState:
        return CheckpointState(state=load_checkpoint(tx, lease, namespace=request.namespace))

    return await _under_lease(request, worker_id, data, load)


@worker_call("labels")
async def label_worker_run(
    request: ApiRequest, worker_id: FromPath[str], data: JSONBody[LabelBody]
) -> LabelState:
    """Set and remove labels of a run that a handler carries out."""
    put, remove = read_changes("labels", data.labels)

    def change(tx: Tx, lease: Lease) -> LabelState:
        at: dict[str, Any] = {"namespace": request.namespace, "put": put, "remove": remove}
        return LabelState(labels=change_own_labels(tx, lease, **at))

    return await _under_lease(request, worker_id, data, change)


@worker_call("effects")
async def note_effect(
    request: ApiRequest, worker_id: FromPath[str], data: JSONBody[EffectBody]
) -> EffectState:
    """Write down that a call to the outside world begins, what it gave, or that it was not made."""
    name = check_name("effect", data.name)
    result = check_json("the result", data.result or "null", limit=MAX_STATE_BYTES)
    if data.verb == "settle" and data.result is None:
        raise BadInput("an effect that is settled has a result, if only `null`")

    def note(tx: Tx, lease: Lease) -> EffectState:
        at = {"namespace": request.namespace}
        if data.verb == "settle":
            settle(tx, lease, name, result=result, **at)
            return EffectState(is_settled=True, result=result)
        if data.verb == "retract":
            retract(tx, lease, name, **at)
            return EffectState()
        intent = intend(tx, lease, name, digest=data.args_digest, **at)
        return EffectState(
            is_new=intent.is_new,
            is_settled=intent.is_settled,
            result=intent.result,
            key_run=intent.key_run,
        )

    return await _under_lease(request, worker_id, data, note)


@worker_call("last-success")
async def show_last_success(
    request: ApiRequest, worker_id: FromPath[str], data: JSONBody[AttemptBody]
) -> SuccessState:
    """When a run of the same schedule last succeeded, and what it returned."""

    def look(tx: Tx, lease: Lease) -> LastSuccess:
        if lease.origin is None:
            return LastSuccess()
        name = _origin.decode(lease.origin).schedule
        return last_success(tx, name, namespace=request.namespace)

    run_at = await _under_lease(request, worker_id, data, look)
    result = run_at.result
    if result is not None and is_pointer(result):
        artifact_store = request.server_state.app.artifact_store
        whose = "the last result of its schedule"
        result = await request.server_state.call(
            lambda: artifact_store.value(run_at.result or "", whose)
        )
    return SuccessState(at=run_at.at, result=result)


async def _under_lease(
    request: ApiRequest, worker_id: str, body: AttemptBody, work: Callable[[Tx, Lease], T]
) -> T:
    """Do work for an attempt that the worker really holds; LeaseLost otherwise.

    Without the lease nothing is done.
    """

    def carry_out(tx: Tx) -> T:
        worker = find(request, worker_id, tx)
        leases = held_runs(tx, worker, check_held(worker, [body]), namespace=request.namespace)
        if body.run_id not in leases:
            raise LeaseLost
        return work(tx, leases[body.run_id].lease)

    return await write(request, carry_out)


ROUTES = (
    save_worker_checkpoint,
    load_worker_checkpoint,
    label_worker_run,
    note_effect,
    show_last_success,
)
