"""Admit: decide which runs a claim may start now. A claim checks here every hold that applies.

A worker for which no hold applies does not come here: its claim is one statement, which itself
checks for paused queues and open breakers (`claim_runs`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from rota.engine.admission.hold import Wanted
from rota.engine.admission.mechanisms import HOLDS
from rota.engine.runs.claim import claim
from rota.model.runs.run import Lease
from rota.rules.admission.lanes import Lanes
from rota.rules.jobs.claim_facts import ClaimFacts
from rota.store.base import Tx

_NARROW = [(str(hold.needs), hold.narrow) for hold in HOLDS if hold.narrow is not None]
_HOLD_BACK = [(str(hold.needs), hold.hold_back) for hold in HOLDS if hold.hold_back is not None]


def admit(tx: Tx, claim_request: Wanted) -> list[Lease]:
    """Claim the runs that may start, except those that `hold_back` finds to wait.

    A hold that narrows the claim may lock a row of its own, so every `narrow` comes before the
    claim.
    """
    for fact, narrow in _NARROW:
        if getattr(claim_request, fact):
            narrow(tx, claim_request)
            if not claim_request.limit:
                return []
    return _claim(tx, claim_request)


def hold_back(
    tx: Tx,
    leases: list[Lease],
    facts: Mapping[tuple[str, int], ClaimFacts],
    *,
    namespace: str,
) -> list[Lease]:
    """Return the claimed leases that may start; the other runs become pending.

    `facts` has the facts of each job and version among the leases.
    """
    for fact, hold in _HOLD_BACK:
        concerned = [each for each in leases if getattr(facts[each.job, each.version], fact)]
        if concerned:
            free = {lease.run_id for lease in hold(tx, concerned, namespace)}
            stopped = {lease.run_id for lease in concerned} - free
            leases = [lease for lease in leases if lease.run_id not in stopped]
    return leases


def may_hold_back(facts: ClaimFacts) -> bool:
    """Whether a hold may make claimed runs of a job with these facts wait."""
    return any(getattr(facts, fact) for fact, _ in _HOLD_BACK)


def _claim(tx: Tx, claim_request: Wanted) -> list[Lease]:
    if not claim_request.is_narrowed and not claim_request.lanes:
        return claim(
            tx,
            namespace=claim_request.namespace,
            queues=[*claim_request.jobs],
            jobs=claim_request.jobs_text,
            worker_id=claim_request.worker_id,
            limit=claim_request.limit,
            held=claim_request.is_ahead,
        )
    leases: list[Lease] = []
    for queue, jobs in claim_request.jobs.items():
        if jobs and len(leases) < claim_request.limit:
            leases += claim(
                tx,
                namespace=claim_request.namespace,
                queues=[queue],
                jobs=json.dumps(jobs),
                worker_id=claim_request.worker_id,
                limit=claim_request.limit - len(leases),
                held=claim_request.is_ahead,
                lanes=_open_lanes(claim_request.lanes, queue, set(jobs)),
            )
    return leases


def _open_lanes(lanes: Lanes, queue: str, jobs: set[str]) -> Lanes:
    """Return the lanes of a queue, each with its jobs that may start now."""
    may_start = {
        lane: [job for job in lane_jobs if job in jobs]
        for lane, lane_jobs in lanes.get(queue, {}).items()
    }
    return {queue: {lane: names for lane, names in may_start.items() if names}}
