"""Claim: hand queued runs to a worker under a lease, best rank first.

Order is decided when a run is queued (rules.admission.order); nothing here runs a handler.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from heapq import nsmallest
from operator import itemgetter
from typing import Any

import msgspec

from rota.engine.failures.breakers.control import held_jobs
from rota.engine.failures.poison_search import weeded
from rota.model.runs.run import Lease
from rota.rules.admission.lanes import (
    FRONT,
    NO_LANES,
    Lanes,
    RankRange,
    rank_in_order,
    stretch_of,
)
from rota.store.base import Tx

Claimed = tuple[Any, ...]
"""The columns of a lease and the rank of its run."""
_BY_RANK = itemgetter(-1, 0)


class ClaimRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request of a worker for runs from one queue."""

    namespace: str
    queue: str
    worker_id: str
    jobs: str
    """A JSON list of the job names that the worker knows and may start now."""
    limit: int
    held: bool
    """Whether the runs are prefetched beyond the worker's free slots, so they have not begun."""
    lanes: Mapping[int, Sequence[str]] = {}


def claim(  # noqa: PLR0913  # from where, for whom, how many, all named
    tx: Tx,
    *,
    namespace: str,
    queues: Sequence[str],
    jobs: str,
    worker_id: str,
    limit: int,
    held: bool = False,
    lanes: Lanes = NO_LANES,
) -> list[Lease]:
    """Claim up to `limit` leases from the queues, in the order given, for the worker's jobs.

    `jobs` is a JSON list of names. Runs that others are claiming are skipped, not waited for.
    `held` marks runs prefetched beyond the worker's free slots: they have not begun yet.
    """
    leases: list[Lease] = []
    for queue in queues:
        request = ClaimRequest(
            namespace=namespace,
            queue=queue,
            worker_id=worker_id,
            jobs=jobs,
            limit=limit - len(leases),
            held=held,
            lanes=lanes.get(queue, {}),
        )
        rows = _claim_with_care(tx, request) if tx.is_careful else _claim_rows(tx, request)
        leases += [lease_of(row, held=held) for row in rows]
        if len(leases) >= limit:
            break
    tx.taken(lease.run_id for lease in leases)
    return leases


def _claim_rows(tx: Tx, request: ClaimRequest) -> list[Claimed]:
    """Claim from one queue; return the columns of the leases and their ranks, best first."""
    if request.lanes:
        return sorted(_claim_from_lanes(tx, request), key=_order)
    rows = tx.tuples(
        "claim_runs",
        namespace=request.namespace,
        queue=request.queue,
        worker_id=request.worker_id,
        jobs=request.jobs,
        limit=request.limit,
        held=request.held,
    )
    # A RETURNING clause guarantees no order on either database.
    rows.sort(key=_BY_RANK)
    return rows


def _claim_from_lanes(tx: Tx, request: ClaimRequest) -> list[Claimed]:
    """Claim the best runs from the front and some lanes, as if all of them were in front."""
    held_back = held_jobs(tx, namespace=request.namespace)
    job_names = json.loads(request.jobs)
    may_start = [job for job in job_names if job not in held_back]
    picks = _pick(tx, request, FRONT, may_start)
    for lane, jobs in request.lanes.items():
        picks += _pick(tx, request, stretch_of(lane), [job for job in jobs if job in may_start])
    probes = [probe for job, probe in held_back.items() if probe and job in job_names]
    at = {"namespace": request.namespace, "queue": request.queue}
    picks += tx.tuples("pick_probes", **at, ids=json.dumps(probes)) if probes else []
    best = [row[0] for row in nsmallest(request.limit, picks, key=_order)]
    if not best:
        return []
    return tx.tuples(
        "claim_picked", ids=json.dumps(best), worker_id=request.worker_id, held=request.held
    )


def _pick(
    tx: Tx, request: ClaimRequest, part: RankRange, jobs: Sequence[str]
) -> list[tuple[Any, ...]]:
    """The ids and ranks of runs that this claim may take."""
    return tx.tuples("pick_runs", **_part(request, part, jobs)) if jobs else []


def _part(request: ClaimRequest, part: RankRange, jobs: Sequence[str]) -> dict[str, Any]:
    """The parameters of a statement that reads one stretch of a queue."""
    return {
        "namespace": request.namespace,
        "queue": request.queue,
        "jobs": json.dumps(jobs),
        "start": part.start,
        "end": part.end,
        "limit": request.limit,
    }


def _claim_with_care(tx: Tx, request: ClaimRequest) -> list[Claimed]:
    """Claim runs, but fail those whose rows cannot be written."""
    parts = [(FRONT, json.loads(request.jobs))]
    parts += [(stretch_of(lane), list(jobs)) for lane, jobs in request.lanes.items()]
    return weeded(
        tx,
        lambda: _claim_rows(tx, request),
        candidates=lambda: [
            row
            for part, jobs in parts
            for row in tx.all("claimable_runs", **_part(request, part, jobs))
        ],
        attempt=lambda row: tx.execute("try_claim", id=str(row["id"]), worker_id=request.worker_id),
        verb="expire",
    )


def _order(row: tuple[Any, ...]) -> tuple[int, str]:
    """A sort key, best first, for rows that begin with an id and end with a rank."""
    return rank_in_order(row[-1]), row[0]


def lease_of(row: Claimed, *, held: bool = False) -> Lease:
    """The lease in a row of its columns and one more; converts booleans, which SQLite lacks."""
    *facts, at_most_once, _ = row
    return Lease(*facts, at_most_once=bool(at_most_once), is_held=held)  # type: ignore[misc]  # how many is not known
