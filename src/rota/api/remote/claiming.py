"""Claims for a remote worker, decided here as a worker with a database would decide them.

The worker only says which jobs it has code for. Graphs, dependencies, caches, maintenance windows
and quotas are those of the store; arguments are completed before they leave.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from rota.api.remote.trust import check_held
from rota.engine.failures.batch_isolation import write_apart
from rota.engine.graphs.graph_run import spec_at
from rota.engine.graphs.nodes.links import refusal
from rota.engine.jobs.definitions import PinnedVersion, current_specs, pinned_to
from rota.engine.runs.finish import finish
from rota.engine.workers.heartbeat import HeldLease
from rota.engine.workers.lost_claims import release
from rota.engine.workers.remote import (
    RemoteWorkerRow,
    find_remote,
    held_runs,
    strays_of,
    told_takes,
)
from rota.errors import BadInput
from rota.model.identity.credentials import Credential
from rota.model.runs.run import Lease, Verdict
from rota.model.values.artifact import is_pointer
from rota.model.workers.remote import ClaimBody, Claimed, ClaimedRun, Definition, Stray
from rota.rules.jobs.claim_facts import claim_facts
from rota.rules.security.attempt_tokens import Facts, make_token
from rota.runtime.attempts.attempt import Attempt, Ending, ResolvedJob
from rota.runtime.dispatch.claim_gate import closings_now
from rota.runtime.dispatch.claims import Claims
from rota.runtime.dispatch.verdicts import verdict_on
from rota.runtime.options import WorkerScope
from rota.runtime.values.loader import ValueLoader, incomplete
from rota.store.base import ScopedStore, Tx

if TYPE_CHECKING:
    from rota.runtime.values.artifacts import ArtifactStore


AHEAD_S = 2.0
"""The longest time for which a worker holds runs ready."""


class ClaimReply(NamedTuple):
    """The result of one look for runs."""

    worker: RemoteWorkerRow
    leases: list[Lease]
    pinned: dict[tuple[str, int], PinnedVersion]
    strays: Sequence[Stray] = ()


def catch(
    tx: Tx,
    worker_id: str,
    credential: Credential,
    *,
    body: ClaimBody,
    is_first: bool,
) -> ClaimReply:
    """Claim runs for the worker, from the queues that its token reaches now.

    Some leases have no free slot yet. None of those is claimed shortly before a maintenance window:
    it would start in it. The first look of a claim also finds strays.
    """
    namespace = credential.namespace
    limit, ahead = body.limit, body.ahead
    worker = find_remote(tx, worker_id, namespace=namespace, token_id=credential.id)
    if is_first and body.held is not None:
        strays = strays_of(tx, worker.id, check_held(worker, body.held))
        if strays and body.hears_strays:
            return ClaimReply(worker, [], {}, told_strays(tx, worker, strays, namespace=namespace))
        release(tx, strays, namespace=namespace)
    if worker.drains:
        return ClaimReply(worker, [], {})
    if is_first and body.takes is not None:
        worker = told_takes(tx, worker, body.takes)
    scope = _scope(tx, worker, credential)
    claims = Claims(scope)
    claims.worker_id = worker.id
    claims.obey(closings_now(tx, scope))
    if ahead and claims.close_within(AHEAD_S):
        limit, ahead = max(0, limit - ahead), 0
    leases = claims.claim(tx, limit, held=ahead > 0) if limit else []
    if tx.is_careful:
        leases = _readable(tx, leases, namespace)
    kinds = {(lease.job, lease.version) for lease in leases}
    return ClaimReply(worker, leases, {kind: _pin(tx, kind, namespace) for kind in kinds})


def _readable(tx: Tx, leases: Sequence[Lease], namespace: str) -> list[Lease]:
    """Leave out leases whose definition cannot be sent to a worker: their runs fail."""
    ready: list[Lease] = []
    for lease in leases:
        try:
            _pin(tx, (lease.job, lease.version), namespace)
        except BadInput as error:
            finish(tx, [refusal(lease, error)], namespace=namespace)
        else:
            ready.append(lease)
    return ready


def complete(
    room: ScopedStore, artifact_store: ArtifactStore, catch: ClaimReply, *, namespace: str
) -> list[Lease]:
    """Return the leases with all their arguments; a run whose arguments cannot be had ends here."""
    loader = ValueLoader(room, artifact_store, namespace=namespace)
    ready: list[Lease] = []
    verdicts: list[Verdict] = []
    for lease in catch.leases:
        if not lease.is_open and not is_pointer(lease.args):
            ready.append(lease)
            continue
        call = Attempt(lease, ResolvedJob(spec=catch.pinned[lease.job, lease.version].spec), None)
        ending = _complete(loader, call)
        if ending is None:
            ready.append(call.lease)
        elif (verdict := verdict_on(call, ending)) is not None:
            verdicts.append(verdict)
    if verdicts:
        end = partial(finish, verdicts=verdicts, namespace=namespace)
        write_apart(room.write, end, who="rota-server")
    return ready


def told_strays(
    tx: Tx, worker: RemoteWorkerRow, strays: Sequence[HeldLease], *, namespace: str
) -> list[Stray]:
    """Return strays as the worker is told of them; the worker may know them after all.

    The list of the worker can be older than a claim that it has received since: the worker was
    stopped, or the request was delayed. A run that has begun and is given back would begin twice.
    """
    runs = held_runs(tx, worker, strays, namespace=namespace)
    return [
        Stray(run_id=run_id, fence=run.lease.fence, token=_token(worker, run.lease))
        for run_id, run in runs.items()
    ]


def told(catch: ClaimReply, ready: Sequence[Lease]) -> Claimed:
    """Return the answer: each run with the token of its attempt."""
    kinds = {(lease.job, lease.version) for lease in ready}
    return Claimed(
        runs=[ClaimedRun.of(lease, _token(catch.worker, lease)) for lease in ready],
        definitions=[
            Definition(version=version, origin=pinned.origin, spec=pinned.spec)
            for (job, version), pinned in catch.pinned.items()
            if (job, version) in kinds
        ],
        strays=list(catch.strays),
        draining=catch.worker.drains,
    )


def _complete(loader: ValueLoader, call: Attempt) -> Ending | None:
    try:
        call.lease = loader.completed(call.lease)
        return loader.known(call)
    except Exception as error:  # noqa: BLE001  # as where a worker does it for itself
        return incomplete(error)


def _token(worker: RemoteWorkerRow, lease: Lease) -> str:
    facts = Facts(lease.job, lease.attempt, lease.claimed_at)
    return make_token(worker.seal, lease.run_id, lease.fence, facts)


def _scope(tx: Tx, worker: RemoteWorkerRow, credential: Credential) -> WorkerScope:
    specs = current_specs(tx, worker.jobs, namespace=credential.namespace)
    queues = [queue for queue in worker.queues if credential.reaches(queue)]
    first = worker.now % max(1, len(queues))  # another one each time, so that none is always last
    return WorkerScope(
        namespace=credential.namespace,
        queues=(*queues[first:], *queues[:first]),
        jobs=worker.jobs,
        versions={name: version for name, (version, _) in specs.items()},
        takes=worker.takes,
        find_work=_nothing,
        facts={name: claim_facts(spec) for name, (_, spec) in specs.items()},
    )


def _pin(tx: Tx, kind: tuple[str, int], namespace: str) -> PinnedVersion:
    """Return a pinned version; definitions never change, so each is read once."""
    at = "pinned", namespace, *kind
    pinned: PinnedVersion | None = tx.memo.get(at)
    if pinned is None:
        pinned = pinned_to(tx, *kind, namespace=namespace)
        if pinned is None:
            return PinnedVersion(spec_at(tx, *kind, namespace=namespace))
        tx.memo[at] = pinned
    return pinned


def _nothing(lease: Lease) -> ResolvedJob:
    raise AssertionError(f"nothing is carried out here, nor is {lease.job}")
