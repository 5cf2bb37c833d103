"""Changes: find the runs that differ from an earlier look; reads only.

Nothing is written for it. Endings and failed attempts are found by their times, new runs by their
ids, the rest by comparing what runs now with what ran then.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any, NamedTuple

from rota.engine.values.stored_text import error_of
from rota.model.insight.live_events import ErrorSummary, RunEvent
from rota.model.states import State
from rota.model.view import project, view_of
from rota.rules.insight.cursor import Mark
from rota.store.base import Row, Tx

MOST_RUNNING = 20_000
XIDS = 1 << 32
LEAST_XID = 3
"""PostgreSQL's own transaction ids are smaller."""


class Footprint(NamedTuple):
    """The facts of a run that can change while it runs."""

    fence: int
    progress: float | None
    note: str | None
    cancel_requested: bool
    is_held: bool = False
    """Whether its worker has no slot for it yet."""


class ChangeSet(NamedTuple):
    """The changes that a look finds; each ending and each attempt has a key of its own."""

    mark: Mark
    ended: dict[str, int]
    """The runs that ended, and when."""
    attempts: dict[tuple[str, int], int]
    made: list[str]
    running: dict[str, Footprint]
    is_cut: bool
    """Whether more runs or attempts ended than the limit."""


class ChangedRun(NamedTuple):
    """The event of a run, and the namespace whose clients get it."""

    namespace: str
    event: RunEvent


def mark(tx: Tx) -> Mark:
    """Return the mark of the store now."""
    row = tx.all("change_mark")[0]
    return Mark(row["now"], row["oldest"], row["next"])


def traces(  # since when, from where, and how much at most, all named
    tx: Tx, *, since: int, first: str, oldest: int = 0, limit: int, most_made: int | None = None
) -> ChangeSet:
    """Return what happened since, and runs from the id `first` on; if too many, the newest.

    Changes that were there when `oldest` was the oldest open transaction may be left out. The mark
    is taken before the rows, so that it promises too little rather than too much.
    """
    now = mark(tx)
    oldest_xid = max(LEAST_XID, oldest % XIDS)
    ended = tx.all("ended_since", since=since, oldest=oldest_xid, limit=limit + 1)
    attempts = tx.all("attempts_since", since=since, oldest=oldest_xid, limit=limit + 1)
    new_ids = tx.all("made_since", first=first, oldest=oldest_xid, limit=(most_made or limit) + 1)
    running = tx.all("running_now", limit=MOST_RUNNING)
    return ChangeSet(
        mark=now,
        ended={str(row["id"]): row["at"] for row in ended},
        attempts={(str(row["id"]), row["fence"]): row["at"] for row in attempts},
        made=[str(row["id"]) for row in new_ids],
        running={str(row["id"]): _footprint(row) for row in running},
        is_cut=max(len(ended), len(attempts)) > limit,
    )


def changed(
    tx: Tx, run_ids: Collection[str], *, since: int, namespace: str | None = None
) -> list[ChangedRun]:
    """Return these runs as they are now; ended ones only if they ended since."""
    if not run_ids:
        return []
    at = {"ids": json.dumps(sorted(run_ids)), "namespace": namespace}
    rows = tx.all("changed_live", **at) + tx.all("changed_ended", since=since, **at)
    return [_change(row) for row in rows]


def _footprint(row: Row) -> Footprint:
    return Footprint(
        row["fence"],
        row["progress"],
        row["progress_note"],
        bool(row["cancel_requested"]),
        bool(row["is_held"]),
    )


def _change(row: Row) -> ChangedRun:
    error, started, finished = error_of(row["error"]), row["started_at"], row["finished_at"]
    ids: dict[str, Any] = {name: str(row[name]) if row[name] else None for name in _IDS}
    event = view_of(
        RunEvent,
        row,
        id=str(row["id"]),
        status=State(row["state"]),
        duration_ms=None if started is None or finished is None else finished - started,
        error=None if error is None else project(ErrorSummary, error),
        **ids,
    )
    return ChangedRun(row["namespace"], event)


_IDS = ("worker_id", "schedule_id", "parent_id")
