"""The instants of a backfill: the next ones, their last runs, and which of them to run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rota.engine.schedules.backfills.span import BackfillRange
from rota.engine.schedules.compiled import CompiledSchedule
from rota.engine.schedules.rerun_instants import FAILED, mended
from rota.model.schedules.backfill import Reprocess
from rota.model.states import State
from rota.rules.schedules.misfire import first_since, newest_since
from rota.store.base import Row, Tx


def next_instants(
    plan: CompiledSchedule, wanted: BackfillRange, edge: int, limit: int
) -> tuple[int, ...]:
    """The next instants behind the edge, in the order of the backfill."""
    if wanted.newest_first:
        return newest_since(plan.table, wanted.from_at - 1, edge - 1, limit)[::-1]
    return first_since(plan.table, edge, wanted.to_at - 1, limit)


def last_runs(tx: Tx, schedule_id: object, instants: Sequence[int]) -> Mapping[int, Row]:
    """The last run of each instant; a live run counts as the last."""
    if not instants:
        return {}
    rows = tx.all("firings_between", schedule_id=schedule_id, low=min(instants), high=max(instants))
    found: dict[int, Row] = {}
    for row in rows:
        if not (row["instant"] in found and found[row["instant"]]["is_live"]):
            found[row["instant"]] = row
    return _with_reruns(tx, found)


def _with_reruns(tx: Tx, found: dict[int, Row]) -> dict[int, Row]:
    """The runs by instant, where a failed run counts as the rerun that mended it or still may."""
    failed = [str(row["run_id"]) for row in found.values() if row["state"] in FAILED]
    if not failed:
        return found
    again = mended(tx, failed)
    return {
        instant: {**row, **_how(again[str(row["run_id"])])} if str(row["run_id"]) in again else row
        for instant, row in found.items()
    }


def _how(rerun: Row) -> Row:
    return {"state": rerun["state"], "is_live": rerun["is_live"]}


def is_wanted(reprocess: Reprocess, known: Row | None) -> bool:
    """Whether to run an instant whose last run is `known`, or None if it had no run."""
    if known is None or known["state"] == State.SKIPPED:
        return True
    if known["is_live"] or reprocess == "missing":
        return False
    return reprocess == "all" or known["state"] in FAILED
