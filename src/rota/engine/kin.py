"""Kin: which node of which run of a graph a run carries out, for verdicts about it."""

from __future__ import annotations

from typing import Any

import msgspec

from rota.model.run import ErrorDetail, Lease, Verdict
from rota.store.base import Row


def verdict_facts(row: Row) -> dict[str, Any]:
    """Of a locked run: which it is, and who is to hear of its end."""
    return {
        "run_id": str(row["id"]),
        "fence": row["fence"],
        "fired": row["schedule_id"] is not None,
        **kinship(row),
    }


def kinship(row: Row) -> dict[str, Any]:
    """Whose node a run carries out."""
    if row["parent_id"] is None:
        return {}
    return {"parent_id": str(row["parent_id"]), "node": row["node"], "item": row["item"]}


def cancelled(row: Row, reason: str) -> Verdict:
    return Verdict(
        run_id=str(row["id"]), fence=row["fence"], verb="cancel", reason=reason, **kinship(row)
    )


def refusal(lease: Lease, error: Exception) -> Verdict:
    """A run that cannot be carried out as it is; another attempt would be in vain."""
    detail = ErrorDetail(type=type(error).__name__, message=str(error)[:2_000])
    return Verdict(
        run_id=lease.run_id,
        fence=lease.fence,
        verb="fail",
        kind="error",
        error=msgspec.json.encode(detail).decode(),
        reason="not worth a retry",
        fired=lease.origin is not None,
        parent_id=lease.parent_id,
        node=lease.node,
        item=lease.item,
    )
