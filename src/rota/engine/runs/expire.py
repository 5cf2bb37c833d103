"""Expire: give up runs that waited too long in their queue instead of starting them late."""

from __future__ import annotations

from rota.engine.graphs.nodes.links import parent_fields, verdict_facts
from rota.engine.runs.finish import finish
from rota.model.runs.run import Verdict
from rota.rules.text.duration import format_duration
from rota.store.base import Row, Tx


def expire(tx: Tx, *, limit: int) -> int:
    """Close up to `limit` expired runs; claims skip expired runs in the meantime."""
    rows = tx.all("find_expired", limit=limit)
    for namespace in {row["namespace"] for row in rows}:
        finish(
            tx,
            [_verdict(row) for row in rows if row["namespace"] == namespace],
            namespace=namespace,
        )
    return len(rows)


def time_out(tx: Tx, *, limit: int) -> int:
    """End at most `limit` runs of graphs that exceeded their timeout; their nodes end, too."""
    rows = tx.all("find_overdue_graphs", limit=limit)
    for namespace in {row["namespace"] for row in rows}:
        finish(
            tx,
            [_overdue(row) for row in rows if row["namespace"] == namespace],
            namespace=namespace,
        )
    return len(rows)


def _overdue(row: Row) -> Verdict:
    limit = format_duration(row["expires_at"] - row["started_at"])
    reason = f"ran longer than its timeout of {limit}"
    return Verdict(verb="fail_graph", reason=reason, **verdict_facts(row))


def _verdict(row: Row) -> Verdict:
    return Verdict(
        run_id=str(row["id"]),
        fence=row["fence"],
        verb="expire",
        reason="expired: it waited too long in its queue",
        fired=row["schedule_id"] is not None,
        **parent_fields(row),
    )
