"""Claim: hand queued runs to a worker under a lease, best rank first.

Order is decided when a run is queued (rules.order); nothing here runs a handler.
"""

from __future__ import annotations

from collections.abc import Sequence

from rota.model.run import Lease
from rota.store.base import Row, Tx


def claim(
    tx: Tx, *, namespace: str, queues: Sequence[str], jobs: str, worker_id: str, limit: int
) -> list[Lease]:
    """Up to `limit` leases from the queues, in the order given, for the jobs the worker knows.

    `jobs` is a JSON list of names. Runs that others are claiming are skipped, not waited for.
    """
    leases: list[Lease] = []
    for queue in queues:
        rows = tx.all(
            "claim_runs",
            namespace=namespace,
            queue=queue,
            jobs=jobs,
            worker_id=worker_id,
            limit=limit - len(leases),
        )
        # A returning clause promises no order on either database.
        leases += [lease_of(row) for row in sorted(rows, key=_order)]
        if len(leases) >= limit:
            break
    tx.taken(lease.run_id for lease in leases)
    return leases


def _order(row: Row) -> tuple[int, str]:
    return row["rank"], str(row["id"])


def lease_of(row: Row) -> Lease:
    """The lease in a row of a run that is carried out."""
    return Lease(
        run_id=str(row["id"]),
        fence=row["fence"],
        attempt=row["attempt"],
        job=row["job"],
        version=row["version"],
        queue=row["queue"],
        args=row["args"],
        policy=row["policy"],
        failures=row["failures"],
        crashes=row["crashes"],
        at_most_once=bool(row["at_most_once"]),
        due_at=row["due_at"],
        claimed_at=row["started_at"],
        origin=row["origin"],
        parent_id=str(row["parent_id"]) if row["parent_id"] else None,
        node=row["node"],
        item=row["item"],
    )
