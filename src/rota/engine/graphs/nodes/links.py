"""Links: the node and the graph run that a run belongs to, for verdicts about the run."""

from __future__ import annotations

from typing import Any

import msgspec

from rota.engine.admission.previous_run import PastFailed
from rota.engine.failures.batch_isolation import keepable, words
from rota.model.runs.run import ErrorDetail, FinishVerb, Lease, Verdict
from rota.model.states import TRANSITIONS, State
from rota.store.base import Row


def verdict_facts(row: Row) -> dict[str, Any]:
    """The fields of a verdict that identify a locked run and those its end affects."""
    return {
        "run_id": str(row["id"]),
        "fence": row["fence"],
        "fired": row["schedule_id"] is not None,
        **parent_fields(row),
    }


def parent_fields(row: Row) -> dict[str, Any]:
    """The fields of a verdict that name the node and graph run that a run belongs to."""
    if row["parent_id"] is None:
        return {}
    return {"parent_id": str(row["parent_id"]), "node": row["node"], "item": row["item"]}


def cancelled(row: Row, reason: str, *, force: bool = False) -> Verdict:
    return Verdict(
        run_id=str(row["id"]),
        fence=row["fence"],
        verb="cancel",
        reason=reason,
        force=force,
        **parent_fields(row),
    )


def refused(verdict: Verdict, error: Exception) -> Verdict:
    """The failure that takes the place of a verdict the store does not accept."""
    reason = f"its outcome could not be recorded: {words(error)}"
    allowed = TRANSITIONS[verdict.verb].allowed
    verb: FinishVerb = verdict.verb
    if State.RUNNING in allowed:
        verb = "fail"
    elif State.SUSPENDED in allowed and verdict.verb != "cancel":
        verb = "fail_graph"
    return Verdict(
        run_id=verdict.run_id,
        fence=verdict.fence,
        verb=verb,
        kind="error" if verb == "fail" else None,
        reason=reason,
        watched=verdict.watched,
        fired=verdict.fired,
        force=True,
        parent_id=verdict.parent_id,
        node=verdict.node,
        item=verdict.item,
    )


def refusal(lease: Lease, error: Exception) -> Verdict:
    """The final failure of a run that cannot be carried out; another attempt would also fail."""
    detail = ErrorDetail(type=type(error).__name__, message=keepable(str(error))[:2_000])
    return Verdict(
        run_id=lease.run_id,
        fence=lease.fence,
        verb="fail",
        kind="error",
        error=msgspec.json.encode(detail).decode(),
        reason=keepable(str(error))[:2_000]
        if isinstance(error, PastFailed)
        else "not worth a retry",
        fired=lease.is_fired,
        parent_id=lease.parent_id,
        node=lease.node,
        item=lease.item,
    )
