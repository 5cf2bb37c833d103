"""Expire: runs that waited too long in their queue are given up, not started late."""

from __future__ import annotations

from rota.engine.finish import finish
from rota.engine.kin import kinship
from rota.model.run import Verdict
from rota.store.base import Row, Tx


def expire(tx: Tx, *, limit: int) -> int:
    """Close up to `limit` expired runs; a claim leaves them alone in the meantime."""
    rows = tx.all("find_expired", limit=limit)
    for namespace in {row["namespace"] for row in rows}:
        finish(
            tx,
            [_verdict(row) for row in rows if row["namespace"] == namespace],
            namespace=namespace,
        )
    return len(rows)


def _verdict(row: Row) -> Verdict:
    return Verdict(
        run_id=str(row["id"]),
        fence=row["fence"],
        verb="expire",
        reason="expired: it waited too long in its queue",
        fired=row["schedule_id"] is not None,
        **kinship(row),
    )
