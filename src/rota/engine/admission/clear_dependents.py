"""Clears runs that wait for runs of other jobs when those have succeeded.

The rows are the truth: a check may come at any time, and a wake-up only says that it may be worth
it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import msgspec

from rota.engine.admission.release import release
from rota.engine.failures.batch_isolation import each_apart, words
from rota.engine.graphs.graph_run import find_spec
from rota.engine.runs.finish import finish
from rota.engine.schedules.compiled import CompiledSchedules
from rota.engine.schedules.fire import Calendars, load_calendars, plan_of
from rota.errors import BadInput
from rota.model.runs.run import ErrorDetail, Origin, Verdict
from rota.model.states import State
from rota.rules.admission.dependencies import DependencyParent, Word, judge_all
from rota.store.base import Row, Tx

LOOKED_BACK = 10_000
"""A run without a logical time looks among this many live runs for those that it waits for."""
MAX_NOTE = 1_000
_origin = msgspec.json.Decoder(Origin)
_parents = msgspec.json.Decoder(dict[str, str | None])
_TIMED = ("time", "backfill")


def is_anybody_waiting(tx: Tx) -> bool:
    """Whether any run waits for others; reads only."""
    return tx.one("is_awaited") is not None


def clear_waiting(
    tx: Tx, *, compiled: CompiledSchedules, limit: int, after: str | None
) -> str | None:
    """Let runs start whose dependencies are met, and give up those that can never be.

    Looks at one page of waiting runs; returns where the next page begins, or None after the last.
    """
    rows = tx.all("take_awaited", limit=limit, after=after)
    removed = [str(row["run_id"]) for row in rows if row["state"] is None]
    if removed:
        tx.execute("forget_awaited", ids=json.dumps(removed))
    waiting = [row for row in rows if row["state"] == State.PENDING]
    if tx.is_careful:
        judged = each_apart(
            tx,
            waiting,
            lambda row: _judge(tx, row, compiled),
            instead=lambda row, error: _refuse(tx, row, error),
        )
    else:
        judged = [_judge(tx, row, compiled) for row in waiting]
    met = [run_id for run_id in judged if run_id is not None]
    if met:
        tx.execute("clear_awaited", ids=json.dumps(met))
        release(tx, runs=met)
    return str(rows[-1]["run_id"]) if len(rows) == limit else None


def _judge(tx: Tx, row: Row, compiled: CompiledSchedules) -> str | None:
    """Return the id of the run if it may start now."""
    parents = _parents_of(tx, row, compiled)
    word, says = judge_all(parents)
    if word == "met":
        return str(row["run_id"])
    _keep(tx, row, parents, word, says)
    return None


def _refuse(tx: Tx, row: Row, error: Exception) -> None:
    """Fail a run whose dependencies cannot be understood, now or later; others go on."""
    run_id = str(row["run_id"])
    detail = ErrorDetail(type=type(error).__name__, message=words(error))
    verdict = Verdict(
        run_id=run_id,
        fence=row["fence"],
        verb="refuse",
        error=msgspec.json.encode(detail).decode(),
        reason="what it waits for cannot be understood",
        fired=row["schedule_id"] is not None,
    )
    tx.execute("forget_awaited", ids=json.dumps([run_id]))
    finish(tx, [verdict], namespace=row["namespace"])


def _keep(
    tx: Tx, row: Row, parents: Sequence[DependencyParent], word: Word, says: Sequence[str]
) -> None:
    run_id = str(row["run_id"])
    if word == "refused":
        tx.execute("forget_awaited", ids=json.dumps([run_id]))
        verdict = Verdict(
            run_id=run_id,
            fence=row["fence"],
            verb="skip",
            reason=f"skipped: {says[0]}"[:MAX_NOTE],
            fired=row["schedule_id"] is not None,
        )
        finish(tx, [verdict], namespace=row["namespace"])
        return
    note = "; ".join(says)[:MAX_NOTE]
    chosen = _chosen(row, parents)
    if note != row["note"] or chosen != row["parents"]:
        tx.execute("note_awaited", run_id=run_id, note=note, parents=chosen)


def _chosen(row: Row, parents: Sequence[DependencyParent]) -> str | None:
    """Return the runs that a run without a logical time waits for: those of its first check."""
    if _at(row) is not None:
        return None
    return msgspec.json.encode({each.job: each.run_id for each in parents}).decode()


def _parents_of(tx: Tx, row: Row, compiled: CompiledSchedules) -> list[DependencyParent]:
    if row["rerun_of"] is not None:
        return []  # a person wants this rerun now
    namespace = row["namespace"]
    spec = find_spec(tx, row["job"], row["version"], namespace=namespace)
    if spec is None:
        return []
    at = _at(row)
    if at is None:
        return _newest(tx, row, spec.dependencies)
    parents: list[DependencyParent] = []
    for job in spec.dependencies:
        schedules = tx.all("parents_at", namespace=namespace, job=job, at=at)
        calendars = load_calendars(tx, schedules)
        # If an instant has several starts, the last one counts.
        newest = {str(each["id"]): each for each in schedules}
        parents += [_at_instant(each, at, compiled, calendars) for each in newest.values()]
    return parents


def _at(row: Row) -> int | None:
    """Return the logical time of a run; None if it was submitted by hand or by code."""
    if row["origin"] is None:
        return None
    origin = _origin.decode(row["origin"])
    return origin.scheduled_for if origin.kind in _TIMED else None


def _at_instant(
    row: Row, at: int, compiled: CompiledSchedules, calendars: Calendars
) -> DependencyParent:
    if row["decision"] is not None:
        return DependencyParent(
            job=row["job"],
            run_id=str(row["run_id"]) if row["run_id"] else None,
            state=State(row["run_state"]) if row["run_state"] else None,
            decision=row["decision"],
        )
    has_it = _has(row, at, compiled, calendars)
    comes = has_it and row["state"] == "active" and row["cursor_at"] < at
    return DependencyParent(
        job=row["job"], schedule=row["name"], is_due=comes, is_missed=has_it and not comes
    )


def _has(row: Row, at: int, compiled: CompiledSchedules, calendars: Calendars) -> bool:
    try:
        plan = plan_of({**row, "version": 0}, compiled, calendars)
    except BadInput:
        return False
    return not plan.follows_end and plan.table.after(at - 1) == at


def _newest(tx: Tx, row: Row, jobs: Sequence[str]) -> list[DependencyParent]:
    if row["parents"] is None:
        chosen = {job: _live_before(tx, row, job) for job in jobs}
    else:
        chosen = _parents.decode(row["parents"])
    ids = json.dumps([run_id for run_id in chosen.values() if run_id is not None])
    states = {str(each["id"]): State(each["state"]) for each in tx.all("states_of", ids=ids)}
    return [
        DependencyParent(job=job, run_id=run_id, state=states.get(run_id) if run_id else None)
        for job, run_id in chosen.items()
    ]


def _live_before(tx: Tx, row: Row, job: str) -> str | None:
    live = tx.one(
        "live_before",
        id=str(row["run_id"]),
        namespace=row["namespace"],
        job=job,
        limit=LOOKED_BACK,
    )
    return str(live["id"]) if live else None
