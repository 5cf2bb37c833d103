"""Reap: runs of dead workers end this attempt as lost; the crash rule decides what follows.

Any process may reap: the fence keeps a worker that comes back from doing harm.
"""

from __future__ import annotations

import msgspec

from rota.engine.finish import finish
from rota.model.run import ErrorDetail, Verdict
from rota.rules.retry import GiveUp, after_crash
from rota.store.base import Row, Tx


def reap(tx: Tx, *, limit: int, worker_id: str | None = None) -> int:
    """Take back up to `limit` orphaned runs, or those of one worker known to be dead."""
    if worker_id is None:
        rows = tx.all("orphaned_runs", limit=limit)
    else:
        rows = tx.all("runs_of_worker", worker_id=worker_id, limit=limit)
    for namespace in {row["namespace"] for row in rows}:
        finish(
            tx,
            [_verdict(row) for row in rows if row["namespace"] == namespace],
            namespace=namespace,
        )
    if len(rows) < limit:
        tx.execute("bury_workers")
    return len(rows)


def _verdict(row: Row) -> Verdict:
    error = ErrorDetail(
        type="WorkerLost", message=f"worker {row['worker_id']} died or lost its lease"
    )
    decision = after_crash(crashes=row["crashes"] + 1, at_most_once=bool(row["at_most_once"]))
    gives_up = isinstance(decision, GiveUp)
    return Verdict(
        run_id=str(row["id"]),
        fence=row["fence"],
        verb="fail" if gives_up else "reap",
        kind="lost",
        error=msgspec.json.encode(error).decode(),
        reason=decision.reason if isinstance(decision, GiveUp) else None,
        watched=True,
    )
