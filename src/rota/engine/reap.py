"""Reap: runs of dead workers end this attempt as lost; no loss of a worker is held against them.

Any process may reap: the fence keeps a worker that comes back from doing harm.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rota.engine.finish import finish
from rota.engine.kin import kinship
from rota.model.run import ErrorDetail, Verdict
from rota.rules.retry import GiveUp, after_loss
from rota.store.base import Row, Tx


def reap(tx: Tx, *, limit: int, worker_id: str | None = None) -> int:
    """Take back up to `limit` orphaned runs, or those of one worker known to be dead."""
    if worker_id is None:
        rows = tx.all("orphaned_runs", limit=limit)
    else:
        rows = tx.all("runs_of_worker", worker_id=worker_id, limit=limit)
    take_back(tx, rows)
    if len(rows) < limit:
        tx.execute("bury_workers")
    return len(rows)


def take_back(tx: Tx, rows: Sequence[Row]) -> None:
    """End the attempts of these runs, whose workers are dead."""
    suspects = _suspects(rows)
    for namespace in {row["namespace"] for row in rows}:
        verdicts = [
            _verdict(row) if row["id"] in suspects else _release(row)
            for row in rows
            if row["namespace"] == namespace
        ]
        finish(tx, verdicts, namespace=namespace)


def _suspects(rows: Sequence[Row]) -> set[str]:
    """The runs that may have been running when their worker died.

    A worker claims ahead when runs are short, and carries out at most `slots` runs of a job at
    once: those that it told of, then in the order of their claim. The rest had not started, and did
    not kill it.
    """
    running: dict[tuple[str, str], int] = {}
    suspects = set()
    for row in sorted(rows, key=_order):
        place = str(row["worker_id"]), row["job"]
        running[place] = running.get(place, 0) + 1
        is_certain = row["at_most_once"] or row["crashes"] or row["slots"] is None
        if is_certain or running[place] <= row["slots"]:
            suspects.add(row["id"])
    return suspects


def _order(row: Row) -> tuple[bool, int, int, str]:
    return bool(row["is_held"]), row["started_at"], row["rank"], str(row["id"])


def _release(row: Row) -> Verdict:
    fired = row["schedule_id"] is not None
    return Verdict(
        run_id=str(row["id"]), fence=row["fence"], verb="release", fired=fired, **kinship(row)
    )


def _verdict(row: Row) -> Verdict:
    error = ErrorDetail(
        type="WorkerLost",
        message=f"worker {row['worker_id']} died or lost its lease",
        worker=row["worker"] or "",
    )
    decision = after_loss(at_most_once=bool(row["at_most_once"]))
    gives_up = isinstance(decision, GiveUp)
    return Verdict(
        run_id=str(row["id"]),
        fence=row["fence"],
        verb="fail" if gives_up else "reap",
        kind="lost",
        error=msgspec.json.encode(error).decode(),
        reason=decision.reason if isinstance(decision, GiveUp) else None,
        watched=True,
        fired=row["schedule_id"] is not None,
        **kinship(row),
    )
