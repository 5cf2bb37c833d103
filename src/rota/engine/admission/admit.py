"""Admit: decide which runs a claim may start now. A claim checks here every hold that applies.

A worker for which no hold applies does not come here: its claim is one statement, which itself
checks for paused queues and open breakers (`claim_runs`).
"""

from __future__ import annotations

import json
from typing import NamedTuple

from rota.engine.admission.hold import Wanted
from rota.engine.admission.mechanisms import HOLDS
from rota.engine.runs.claim import claim
from rota.model.run import Lease
from rota.rules.admission.lanes import Lanes
from rota.store.base import Tx

_NARROW = [(str(hold.needs), hold.narrow) for hold in HOLDS if hold.narrow is not None]
_HOLD_BACK = [(str(hold.needs), hold.hold_back) for hold in HOLDS if hold.hold_back is not None]


class Admitted(NamedTuple):
    """The result of a claim."""

    leases: list[Lease]
    """The leases that may start."""
    held_back: int
    """The number of runs that were claimed and have to wait."""


def admit(tx: Tx, wanted: Wanted) -> Admitted:
    """Claim the runs that may start; claimed runs that have to wait become pending.

    A hold that narrows the claim may lock a row of its own, so every `narrow` comes before the
    claim.
    """
    for fact, narrow in _NARROW:
        if getattr(wanted, fact):
            narrow(tx, wanted)
            if not wanted.limit:
                return Admitted([], 0)
    claimed = leases = _claimed(tx, wanted)
    for fact, hold_back in _HOLD_BACK:
        if getattr(wanted, fact):
            leases = hold_back(tx, leases, wanted)
    return Admitted(leases, len(claimed) - len(leases))


def _claimed(tx: Tx, wanted: Wanted) -> list[Lease]:
    if not wanted.is_narrowed and not wanted.lanes:
        return claim(
            tx,
            namespace=wanted.namespace,
            queues=[*wanted.jobs],
            jobs=wanted.jobs_text,
            worker_id=wanted.worker_id,
            limit=wanted.limit,
            held=wanted.is_ahead,
        )
    leases: list[Lease] = []
    for queue, jobs in wanted.jobs.items():
        if jobs and len(leases) < wanted.limit:
            leases += claim(
                tx,
                namespace=wanted.namespace,
                queues=[queue],
                jobs=json.dumps(jobs),
                worker_id=wanted.worker_id,
                limit=wanted.limit - len(leases),
                held=wanted.is_ahead,
                lanes=_open_lanes(wanted.lanes, queue, set(jobs)),
            )
    return leases


def _open_lanes(lanes: Lanes, queue: str, jobs: set[str]) -> Lanes:
    """Return the lanes of a queue, each with its jobs that may start now."""
    may_start = {
        lane: [job for job in known if job in jobs] for lane, known in lanes.get(queue, {}).items()
    }
    return {queue: {lane: names for lane, names in may_start.items() if names}}
