"""Claimed: the runs that workers have claimed, split into running and prefetched ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from rota.store.base import Tx


class ClaimedShare(NamedTuple):
    """The claimed runs of one worker, queue and job."""

    queue: str
    job: str
    running: int
    held: int
    """The number of prefetched runs, which people see as waiting."""


def shares(tx: Tx, *, namespace: str, queues: Sequence[str] | None = None) -> list[ClaimedShare]:
    """The runs claimed now, in some queues or in all.

    The store learns that a handler has begun only if it lasts. The other claimed runs count as
    running up to the free slots of their worker, so no more ever count as running than there are
    slots.
    """
    rows = tx.all("claimed_runs", namespace=namespace)
    free: Counter[str] = Counter()
    for row in rows:
        free[str(row["worker_id"])] = row["slots"] or 0
    for row in rows:
        free[str(row["worker_id"])] -= row["runs"] - row["held"]
    result: list[ClaimedShare] = []
    for row in rows:
        worker = str(row["worker_id"])
        likely = max(0, min(row["held"], free[worker]))
        free[worker] -= likely
        held = row["held"] - likely
        result.append(ClaimedShare(row["queue"], row["job"], row["runs"] - held, held))
    return [each for each in result if queues is None or each.queue in queues]
