"""Outcomes: record the end of a run on its schedule, in the transaction that ends the run.

The schedule counts failures in a row, pauses after too many, and is checked if a start waits.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

import msgspec

from rota.engine.wakeup_keys import LOOK
from rota.model.states import State
from rota.store.base import Row, Tx


class _Settled(msgspec.Struct, kw_only=True):
    id: str
    run_id: str | None = None
    state: str | None = None
    failures: int = 0
    success: str | None = None
    failure: str | None = None
    healed: str | None = None


class _Filled(msgspec.Struct, kw_only=True):
    id: str
    succeeded: int = 0
    failed: int = 0


def record_outcomes(tx: Tx, ended: Iterable[tuple[Row, State]]) -> None:
    """Record on the schedules, or the backfills, of these runs how the runs ended."""
    schedules: dict[str, _Settled] = {}
    backfills: dict[str, _Filled] = {}
    for row, state in sorted(ended, key=lambda each: str(each[0]["id"])):
        if row["backfill_id"] is None:
            _count(schedules, row, state)
        elif row["keeps"]:
            _free(schedules, row, state)
        if row["backfill_id"] is not None:
            filled = backfills.setdefault(
                str(row["backfill_id"]), _Filled(id=str(row["backfill_id"]))
            )
            filled.succeeded += state is State.SUCCESS
            filled.failed += state is not State.SUCCESS
    if schedules:
        _settle_schedules(tx, schedules)
    if backfills:
        tx.execute("settle_backfills", batch=_batch(backfills))
        tx.notify((LOOK,))


def _count(schedules: dict[str, _Settled], row: Row, state: State) -> None:
    schedule_id, run_id = str(row["schedule_id"]), str(row["id"])
    settled = schedules.setdefault(schedule_id, _Settled(id=schedule_id))
    settled.run_id, settled.state = run_id, state
    if state is State.SUCCESS:
        settled.failures, settled.success = 0, run_id
        settled.healed = str(row["rerun_of"]) if row["rerun_of"] else settled.healed
    elif state is State.FAILED:
        settled.failures += 1
        settled.failure = run_id


def _free(schedules: dict[str, _Settled], row: Row, state: State) -> None:
    """Free a backfill run's place: it pauses nothing, but with strict order it must succeed."""
    schedule_id = str(row["schedule_id"])
    settled = schedules.setdefault(schedule_id, _Settled(id=schedule_id))
    if state is State.FAILED:
        settled.failure = str(row["id"])
    elif state is State.SUCCESS and row["rerun_of"]:
        settled.healed = str(row["rerun_of"])


def _settle_schedules(tx: Tx, schedules: Mapping[str, _Settled]) -> None:
    tx.all("lock_schedules", ids=json.dumps(sorted(schedules)))
    if any(row["is_due"] for row in tx.all("settle_schedules", batch=_batch(schedules))):
        tx.notify((LOOK,))


def _batch(rows: Mapping[str, msgspec.Struct]) -> str:
    return msgspec.json.encode([rows[key] for key in sorted(rows)]).decode()
