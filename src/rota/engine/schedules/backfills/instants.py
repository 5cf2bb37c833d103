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
    plan: CompiledSchedule, span: BackfillRange, edge: int, limit: int
) -> tuple[int, ...]:
    """The next instants behind the edge, in the order of the backfill."""
    if span.newest_first:
        return newest_since(plan.table, span.from_at - 1, edge - 1, limit)[::-1]
    return first_since(plan.table, edge, span.to_at - 1, limit)


def last_runs(tx: Tx, schedule_id: object, instants: Sequence[int]) -> Mapping[int, Row]:
    """The last run of each instant; a live run counts as the last."""
    if not instants:
        return {}
    rows = tx.all("firings_between", schedule_id=schedule_id, low=min(instants), high=max(instants))
    by_instant: dict[int, Row] = {}
    for row in rows:
        if not (row["instant"] in by_instant and by_instant[row["instant"]]["is_live"]):
            by_instant[row["instant"]] = row
    return _with_reruns(tx, by_instant)


def _with_reruns(tx: Tx, by_instant: dict[int, Row]) -> dict[int, Row]:
    """The runs by instant, where a failed run counts as the rerun that mended it or still may."""
    failed = [str(row["run_id"]) for row in by_instant.values() if row["state"] in FAILED]
    if not failed:
        return by_instant
    again = mended(tx, failed)
    return {
        instant: {**row, **_how(again[str(row["run_id"])])} if str(row["run_id"]) in again else row
        for instant, row in by_instant.items()
    }


def _how(rerun: Row) -> Row:
    return {"state": rerun["state"], "is_live": rerun["is_live"]}


def is_wanted(reprocess: Reprocess, last_run: Row | None) -> bool:
    """Whether to run an instant whose last run is `last_run`, or None if it had no run."""
    if last_run is None or last_run["state"] == State.SKIPPED:
        return True
    if last_run["is_live"] or reprocess == "missing":
        return False
    return reprocess == "all" or last_run["state"] in FAILED
