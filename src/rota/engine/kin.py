"""Kin: which node of which run of a graph a run carries out, for verdicts about it."""

from __future__ import annotations

from typing import Any

from rota.model.run import Verdict
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
