"""Claim: hand queued runs to a worker under a lease, best rank first.

Order is decided when a run is queued (rules.order); nothing here runs a handler.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rota.engine.weed import weeded
from rota.model.run import Lease
from rota.store.base import Row, Tx


def claim(  # noqa: PLR0913  # from where, for whom, how many, all named
    tx: Tx,
    *,
    namespace: str,
    queues: Sequence[str],
    jobs: str,
    worker_id: str,
    limit: int,
    held: bool = False,
) -> list[Lease]:
    """Up to `limit` leases from the queues, in the order given, for the jobs the worker knows.

    `jobs` is a JSON list of names. Runs that others are claiming are skipped, not waited for.
    Those that are `held` are more than the worker has free slots: they have not begun yet.
    """
    leases: list[Lease] = []
    for queue in queues:
        asked = {"namespace": namespace, "queue": queue, "jobs": jobs, "held": held}
        asked["limit"] = limit - len(leases)
        rows = _rows(tx, asked, worker_id) if tx.is_careful else _claimed(tx, asked, worker_id)
        # A returning clause promises no order on either database.
        leases += [lease_of(row, held=held) for row in sorted(rows, key=_order)]
        if len(leases) >= limit:
            break
    tx.taken(lease.run_id for lease in leases)
    return leases


def _claimed(tx: Tx, asked: dict[str, Any], worker_id: str) -> list[Row]:
    return tx.all("claim_runs", worker_id=worker_id, **asked)


def _rows(tx: Tx, asked: dict[str, Any], worker_id: str) -> list[Row]:
    """The same without runs whose rows cannot be written: they fail."""
    return weeded(
        tx,
        lambda: _claimed(tx, asked, worker_id),
        candidates=lambda: tx.all("claimable_runs", **asked),
        attempt=lambda row: tx.execute("try_claim", id=str(row["id"]), worker_id=worker_id),
        verb="expire",
    )


def _order(row: Row) -> tuple[int, str]:
    return row["rank"], str(row["id"])


def lease_of(row: Row, *, held: bool = False) -> Lease:
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
        is_held=held,
    )
