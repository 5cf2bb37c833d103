"""Claimed: what workers have taken, told as what runs and what they hold ready."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from rota.store.base import Tx


class ClaimedShare(NamedTuple):
    """Of one worker, queue and job."""

    queue: str
    job: str
    running: int
    held: int
    """Claimed ahead: to people they wait."""


def shares(tx: Tx, *, namespace: str, queues: Sequence[str] | None = None) -> list[ClaimedShare]:
    """What is claimed now, of some queues or of all.

    The store is told only of handlers that last that they have begun. Of the others as many run as
    their worker has free slots, so that no more is ever told to run than there are slots.
    """
    rows = tx.all("claimed_runs", namespace=namespace)
    free: Counter[str] = Counter()
    for row in rows:
        free[str(row["worker_id"])] = row["slots"] or 0
    for row in rows:
        free[str(row["worker_id"])] -= row["runs"] - row["held"]
    found: list[ClaimedShare] = []
    for row in rows:
        worker = str(row["worker_id"])
        likely = max(0, min(row["held"], free[worker]))
        free[worker] -= likely
        held = row["held"] - likely
        found.append(ClaimedShare(row["queue"], row["job"], row["runs"] - held, held))
    return [each for each in found if queues is None or each.queue in queues]
