"""Find: read runs, live or ended, without changing anything."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import msgspec

from rota.clock import moment, moment_or_none
from rota.engine.values.stored_text import UNREADABLE, error_of, error_view
from rota.errors import UnknownRun
from rota.ids import is_id
from rota.model.jobs.spec import failure_of
from rota.model.runs.run import AttemptView, Ended, Origin, RunView
from rota.model.states import State
from rota.model.view import JsonText, Share, view_of
from rota.store.base import Row, Tx

_origin = msgspec.json.Decoder(Origin)


def find(tx: Tx, run_id: str, *, namespace: str) -> RunView:
    """One run, live or ended; UnknownRun when there is none."""
    if not is_id(run_id):
        raise UnknownRun(run_id)
    for statement in ("find_run", "find_ended_run"):
        row = tx.one(statement, id=run_id, namespace=namespace)
        if row is not None:
            return run_view(row)
    raise UnknownRun(run_id)


def find_all(tx: Tx, run_ids: Sequence[str], *, namespace: str) -> dict[str, RunView]:
    """The runs of these ids that exist, by id, in at most two statements."""
    by_id: dict[str, RunView] = {}
    for statement in ("read_runs", "read_ended_runs"):
        missing = [run_id for run_id in run_ids if run_id not in by_id and is_id(run_id)]
        if missing:
            rows = tx.all(statement, ids=json.dumps(missing), namespace=namespace)
            by_id |= {view.id: view for view in map(run_view, rows)}
    return by_id


def ended_runs(tx: Tx, run_ids: Sequence[str], *, namespace: str) -> list[RunView]:
    """The runs of these ids that have ended, in no order."""
    ids = json.dumps(list(run_ids))
    return [run_view(row) for row in tx.all("find_ended_runs", ids=ids, namespace=namespace)]


def like(part: str | None) -> str | None:
    """A pattern for JSON text that contains this string, with special characters escaped."""
    if part is None:
        return None
    escaped = json.dumps(part, ensure_ascii=False)[1:-1]
    return "%" + re.sub(r"([!%_])", r"!\1", escaped) + "%"


def endings(tx: Tx, run_ids: Sequence[str], *, namespace: str) -> dict[str, Ended]:
    """The endings of the runs that have ended, by run id."""
    ids = msgspec.json.encode(run_ids).decode()
    return {
        str(row["id"]): Ended(
            state=State(row["state"]),
            result=row["result"],
            error=error_of(row["error"]),
            reason=row["reason"],
        )
        for row in tx.all("find_endings", ids=ids, namespace=namespace)
    }


def attempts(tx: Tx, run_id: str, *, namespace: str) -> list[AttemptView]:
    """The attempts that did not succeed, oldest first; UnknownRun when there is no such run."""
    find(tx, run_id, namespace=namespace)
    return [
        view_of(
            AttemptView,
            row,
            worker_id=_text(row["worker_id"]),
            error=error_view(row["error"]),
        )
        for row in tx.all("list_attempts", id=run_id)
    ]


def tally(tx: Tx, run_id: str, *, namespace: str) -> dict[str, int]:
    """Return how many attempts ended in each way but success: error, timeout, crash, lost..."""
    find(tx, run_id, namespace=namespace)
    return {row["kind"]: row["attempts"] for row in tx.all("tally_attempts", id=run_id)}


def counts(tx: Tx, *, namespace: str, since: int = 0) -> dict[State, int]:
    """The number of runs in each state; ended runs count only from `since`."""
    rows = tx.all("count_live", namespace=namespace)
    rows += tx.all("count_ended", namespace=namespace, since=since)
    return {State(row["state"]): row["runs"] for row in rows}


def now_ms(tx: Tx) -> int:
    """The database's clock."""
    return int(tx.all("now")[0]["now"])


def run_view(row: Row) -> RunView:
    """The view of a run from a row with all of its columns."""
    facts = {name: row[name] for name in _COPIED}
    state = State(row["state"])
    started_at, finished_at, policy = row["started_at"], row["finished_at"], row["policy"]
    is_over = started_at is not None and finished_at is not None
    if row["origin"] is not None:
        facts |= _of_origin(row["origin"])
    if policy is not None:
        facts["policy"] = JsonText(policy)
        with suppress(*UNREADABLE):
            facts["failure_of"] = failure_of(policy)
    return RunView(
        id=str(row["id"]),
        status=state,
        state=state,
        args=JsonText(row["args"]),
        result=None if row["result"] is None else JsonText(row["result"]),
        worker_id=_text(row["worker_id"]),
        rerun_of=_text(row["rerun_of"]),
        schedule_id=_text(row["schedule_id"]),
        backfill_id=_text(row["backfill_id"]),
        parent_id=_text(row["parent_id"]),
        cancel_requested=bool(row["cancel_requested"]),
        at_most_once=bool(row["at_most_once"]),
        error=error_view(row["error"]),
        progress=_progress(row),
        created_at=moment(row["created_at"]),
        due_at=moment(row["due_at"]),
        ready_at=moment(row["ready_at"]),
        started_at=moment_or_none(started_at),
        finished_at=moment_or_none(finished_at),
        duration_ms=finished_at - started_at if is_over else None,
        **facts,
    )


def _of_origin(text: str) -> dict[str, Any]:
    """The fields of a run view from its origin; an unreadable origin gives no fields."""
    facts: dict[str, Any] = {"origin": JsonText(text)}
    with suppress(*UNREADABLE):
        origin = _origin.decode(text)
        facts |= {"schedule": origin.schedule, "scheduled_for": moment(origin.scheduled_for)}
    return facts


def _text(run_id: object) -> str | None:
    return str(run_id) if run_id else None


def _progress(row: Row) -> Share | None:
    """The progress that the handler last reported; a success always counts as complete."""
    fraction: float | None = row["progress"]
    if fraction is None:
        return None
    return Share(1.0 if row["state"] == State.SUCCESS else fraction)


_COPIED = (
    *("namespace", "job", "version", "queue", "priority", "attempt", "failures", "crashes"),
    *("fence", "progress_note", "reason", "key", "node", "item"),
)
