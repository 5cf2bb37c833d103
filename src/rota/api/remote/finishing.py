"""Ends of attempts reported by a remote worker, judged here by the records of the store.

The worker says that a handler returned, raised, crashed or was stopped. The job, the retry policy,
the number of failures and a cancel request come from the store.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from rota.api.remote.trust import check_held, check_json, without_zero
from rota.engine.failures.batch_isolation import set_aside, write_apart
from rota.engine.graphs.graph_run import GraphRun, graph_runs, spec_at
from rota.engine.graphs.nodes.arguments import cache_of
from rota.engine.graphs.nodes.links import refusal
from rota.engine.runs.finish import finish
from rota.engine.workers.remote import HeldRun, RemoteWorkerRow, find_remote, held_runs
from rota.errors import BadInput
from rota.model.identity.credentials import Credential
from rota.model.jobs.spec import JobSpec
from rota.model.runs.run import ErrorDetail, Lease, Verdict
from rota.model.workers.remote import EndBody
from rota.rules.jobs.signature import MAX_RESULT_BYTES
from rota.runtime.attempts.attempt import (
    Attempt,
    Crashed,
    Ending,
    Raised,
    ResolvedJob,
    Returned,
    Stopped,
)
from rota.runtime.attempts.error_text import MAX_MESSAGE, MAX_TRACEBACK, bounded
from rota.runtime.dispatch.outcomes import policy_of
from rota.runtime.dispatch.verdicts import verdict_on
from rota.runtime.values.loader import ValueLoader
from rota.store.base import ScopedStore, Tx

if TYPE_CHECKING:
    from rota.runtime.values.artifacts import ArtifactStore

MAX_TYPE = 500


class PreparedFinish(NamedTuple):
    """The parts of a success that cannot be made inside a transaction."""

    lease: Lease
    """The lease, with the key of its result if the result is cached."""
    result: str
    """The result, or the pointer that stands for it."""


class _LeftBehind:
    """Marks a body that its worker could not stop and that still runs."""

    goes_on = True


class FinishReply(NamedTuple):
    """The ids of lost runs; or the leases to prepare first, and then nothing was done."""

    lost: list[str]
    wanted: list[Lease]


def check_ends(ended: Sequence[EndBody]) -> None:
    """Check that each end has the fields of its kind, within bounds."""
    for each in ended:
        if each.ending == "returned":
            if each.result is None:
                raise BadInput(f"run {each.run_id}: what has returned has a result, if only `null`")
            check_json(f"the result of run {each.run_id}", each.result, limit=MAX_RESULT_BYTES)
        elif each.ending == "stopped":
            if each.why is None:
                raise BadInput(f"run {each.run_id}: what was stopped says `why`")
        elif each.error is None:
            raise BadInput(f"run {each.run_id}: what has {each.ending} brings its `error`")


def end_attempts(
    room: ScopedStore,
    artifact_store: ArtifactStore,
    worker_id: str,
    credential: Credential,
    ended: Sequence[EndBody],
) -> list[str]:
    """Record the ends; return the ids of runs that this worker no longer held."""

    def work(tx: Tx, prepared: Mapping[str, PreparedFinish]) -> FinishReply:
        return _finish(tx, artifact_store, worker_id, credential, ended, prepared)

    batch_name = f"endings of worker {worker_id}"
    answer = write_apart(room.write, lambda tx: work(tx, {}), who=batch_name)
    if not answer.wanted:
        return answer.lost
    results = {each.run_id: each.result or "null" for each in ended}
    loader = ValueLoader(room, artifact_store, namespace=credential.namespace)
    prepared = {
        lease.run_id: _prepare(loader, artifact_store, lease, results[lease.run_id])
        for lease in answer.wanted
    }
    return write_apart(room.write, lambda tx: work(tx, prepared), who=batch_name).lost


def _finish(  # who says what, and what was made ready for it
    tx: Tx,
    artifact_store: ArtifactStore,
    worker_id: str,
    credential: Credential,
    ended: Sequence[EndBody],
    prepared: Mapping[str, PreparedFinish],
) -> FinishReply:
    namespace = credential.namespace
    worker = find_remote(tx, worker_id, namespace=namespace, token_id=credential.id)
    held_here = held_runs(tx, worker, check_held(worker, ended), namespace=namespace)
    mine = [(each, held_here[each.run_id]) for each in ended if each.run_id in held_here]
    incomplete = [
        lease
        for each, run in mine
        if each.ending == "returned"
        and each.run_id not in prepared
        and (lease := _incomplete(tx, artifact_store, run.lease, each.result or "", namespace))
    ]
    if incomplete:
        return FinishReply([], incomplete)
    verdicts = [
        verdict
        for each, run in mine
        if (verdict := _judge(tx, worker, each, run, prepared.get(each.run_id), namespace))
    ]
    lost = finish(tx, verdicts, namespace=namespace) if verdicts else []
    return FinishReply(lost + [each.run_id for each in ended if each.run_id not in held_here], [])


def _incomplete(
    tx: Tx, artifact_store: ArtifactStore, lease: Lease, result: str, namespace: str
) -> Lease | None:
    """Return the marked lease if its result is stored apart or cached; None otherwise.

    The result of a job or graph that cannot be read is neither.
    """
    try:
        is_more = _is_more(tx, artifact_store, lease, result, namespace)
        return _marked(tx, lease, namespace) if is_more else None
    except BadInput as error:
        set_aside(f"what becomes of the result of run {lease.run_id}", error)
        return None


def _is_more(
    tx: Tx, artifact_store: ArtifactStore, lease: Lease, result: str, namespace: str
) -> bool:
    """Whether the result is stored apart or cached."""
    if artifact_store.takes(result):
        return True
    graph_run = _graph_run(tx, lease, namespace)
    return cache_of(tx, lease, graph_run, namespace=namespace) is not None


def _graph_run(tx: Tx, lease: Lease, namespace: str) -> GraphRun | None:
    if lease.parent_id is None:
        return None
    return graph_runs(tx, [lease.parent_id], namespace=namespace).get(lease.parent_id)


def _judge(  # what was said, what is known, and where
    tx: Tx,
    worker: RemoteWorkerRow,
    body: EndBody,
    run: HeldRun,
    prepared: PreparedFinish | None,
    namespace: str,
) -> Verdict | None:
    """Return the verdict on a run; a definition or policy that is unreadable fails it alone."""
    try:
        return _verdict(tx, worker, body, run, prepared, namespace)
    except (BadInput, msgspec.DecodeError) as error:
        return refusal(run.lease, error)


def _verdict(  # what was said, what is known, and where
    tx: Tx,
    worker: RemoteWorkerRow,
    body: EndBody,
    run: HeldRun,
    prepared: PreparedFinish | None,
    namespace: str,
) -> Verdict | None:
    spec = spec_at(tx, run.lease.job, run.lease.version, namespace=namespace)
    lease = run.lease if prepared is None else prepared.lease
    result = body.result if prepared is None else prepared.result
    call = _call(lease, spec, body, now=worker.now)
    verdict = verdict_on(call, _ending(body, run, result))
    # The job may have got a breaker since the claim; if it has none, this look finds none.
    return None if verdict is None else msgspec.structs.replace(verdict, watched=True)


def _call(lease: Lease, spec: JobSpec, body: EndBody, *, now: int) -> Attempt:
    """Return the attempt as its worker has it, from the facts that the server knows."""
    change = policy_of(lease.policy)
    timeout_ms = spec.timeout_ms
    if change and change.timeout_ms is not None:
        timeout_ms = change.timeout_ms
    delay_ms = body.custom_delay_ms
    work = ResolvedJob(
        spec=spec,
        retry_function=None if delay_ms is None else lambda _tries, _error: delay_ms / 1000,
    )
    # The judge treats the run as claimed now: it counts from here by a clock of this host.
    at_hand = msgspec.structs.replace(lease, claimed_at=now)
    call = Attempt(at_hand, work, None if timeout_ms is None else timeout_ms / 1000)
    if body.began:
        held_ms = min(body.held_ms or 0, max(0, now - lease.claimed_at))
        call.started_s, call.held_ms = call.claimed_s + held_ms / 1000, held_ms
    call.slot = _LeftBehind() if body.left_behind else None
    return call


def _ending(body: EndBody, run: HeldRun, result: str | None) -> Ending:
    match body.ending:
        case "returned":
            return Returned(result or "null")
        case "crashed":
            return Crashed(_error(body.error))
        case "stopped" if body.why == "cancel" and not run.is_cancelled:
            return Stopped("drain")  # nobody wanted that
        case "stopped":
            return Stopped(body.why or "drain")
        case "raised":
            return Raised(
                error=_error(body.error),
                types=tuple(without_zero(bounded(each, MAX_TYPE)) for each in body.types),
                retry_after_s=None if body.retry_after_ms is None else body.retry_after_ms / 1000,
                wants_retry=body.wants_retry,
                gives_up=body.gives_up,
                reason=None if body.reason is None else without_zero(body.reason),
                misfit=body.misfit and body.gives_up,
            )


def _error(error: ErrorDetail | None) -> ErrorDetail:
    detail = error or ErrorDetail(type="Error", message="")
    return ErrorDetail(
        type=without_zero(bounded(detail.type, MAX_TYPE)),
        message=without_zero(bounded(detail.message, MAX_MESSAGE)),
        traceback=without_zero(bounded(detail.traceback, MAX_TRACEBACK)),
    )


def _marked(tx: Tx, lease: Lease, namespace: str) -> Lease:
    """Mark the lease as still to be completed, and whether transactions need its result."""
    graph_run = _graph_run(tx, lease, namespace)
    is_asked = graph_run is not None and lease.node in graph_run.asked
    return msgspec.structs.replace(lease, is_open=True, is_asked=is_asked)


def _prepare(
    loader: ValueLoader, artifact_store: ArtifactStore, lease: Lease, result: str
) -> PreparedFinish:
    ready = loader.completed(lease)
    if artifact_store.takes(result) and not lease.is_asked:
        result = artifact_store.put(result, now_ms=lease.claimed_at)
    return PreparedFinish(ready, result)
