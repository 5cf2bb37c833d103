"""Reap: end the attempts of dead workers' runs as lost.

The loss of a worker does not count against its runs, with one exception: a run that was the only
suspect in many workers that are known to have died (`quarantine_lost`).

Any process may reap: the fence keeps a worker that comes back from doing harm.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from rota.engine.failures.quarantine import LONE_LOSS
from rota.engine.graphs.graph_run import find_spec
from rota.engine.graphs.nodes.links import parent_fields
from rota.engine.runs.finish import finish
from rota.errors import BadInput
from rota.model.runs.run import ErrorDetail, Verdict
from rota.rules.failures.retry import MAX_LOSSES, GiveUp, after_loss, max_losses
from rota.store.base import Row, Tx


def reap(
    tx: Tx, *, limit: int, worker_id: str | None = None, blamed: set[str] | None = None
) -> int:
    """Take back up to `limit` orphaned runs, or the runs of one worker known to be dead.

    Adds to `blamed` the run against which that death counts, if there is one.
    """
    if worker_id is None:
        rows = tx.all("orphaned_runs", limit=limit)
        take_back(tx, rows)
    else:
        rows = tx.all("runs_of_worker", worker_id=worker_id, limit=limit)
        alone = take_back_of_dead(tx, rows)
        if blamed is not None:
            blamed |= alone
    if len(rows) < limit:
        tx.execute("bury_workers")
    return len(rows)


def take_back_of_dead(tx: Tx, rows: Sequence[Row]) -> set[str]:
    """End the attempts of all runs of a worker whose process is known to have died.

    Returns the run against which the death counts, if any: the only one that was in a process of
    its own for an earlier loss. If there are several, the cause is unknown.
    """
    alone = [str(row["id"]) for row in rows if row["crashes"] and not row["is_held"]]
    blamed = set(alone if len(alone) == 1 else ())
    take_back(tx, rows, blamed)
    return blamed


def take_back(tx: Tx, rows: Sequence[Row], blamed: Collection[str] = ()) -> None:
    """End the attempts of these runs, whose workers are dead."""
    suspects = _suspects(rows)
    for namespace in {row["namespace"] for row in rows}:
        verdicts = [
            _verdict(row, losses=_max_losses(tx, row) if str(row["id"]) in blamed else None)
            if row["id"] in suspects
            else _release(row)
            for row in rows
            if row["namespace"] == namespace
        ]
        finish(tx, verdicts, namespace=namespace)


def _suspects(rows: Sequence[Row]) -> set[str]:
    """The runs that may have been running when their worker died.

    A worker prefetches when runs are short, and carries out at most `slots` runs of a job at once:
    first the runs that it reported, then others in the order of their claim. The rest had not
    started and did not kill it.
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
        run_id=str(row["id"]), fence=row["fence"], verb="release", fired=fired, **parent_fields(row)
    )


def _max_losses(tx: Tx, row: Row) -> int:
    """The limit of losses of a run's job; the default if its definition is gone or unreadable."""
    try:
        spec = find_spec(tx, row["job"], row["version"], namespace=row["namespace"])
    except BadInput:
        spec = None
    return MAX_LOSSES if spec is None else max_losses(spec)


def _verdict(row: Row, *, losses: int | None) -> Verdict:
    """The verdict on a lost run; `losses` is the limit of a blamed run, None for any other."""
    error = ErrorDetail(
        type="WorkerLost" if losses is None else LONE_LOSS,
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
        max_crashes=losses if losses and not gives_up else 0,
        watched=True,
        fired=row["schedule_id"] is not None,
        **parent_fields(row),
    )
