"""Promote: move scheduled runs that are due into their queue."""

from __future__ import annotations

import msgspec

from rota.engine.failures.poison_search import weeded
from rota.engine.wakeup_keys import queue_key
from rota.store.base import Tx


class Promoted(msgspec.Struct, frozen=True, kw_only=True):
    """The number of runs that became ready, and the time until the next one does."""

    count: int
    next_in_ms: int | None


def promote(tx: Tx, *, limit: int) -> Promoted:
    """Queue up to `limit` due runs of all namespaces, longest due first."""
    rows = weeded(
        tx,
        lambda: tx.all("promote_runs", limit=limit),
        candidates=lambda: tx.all("due_runs", limit=limit),
        attempt=lambda row: tx.execute("try_promote", id=str(row["id"])),
        verb="cancel",
    )
    tx.offer({str(row["id"]): queue_key(row["namespace"], row["queue"]) for row in rows})
    upcoming = tx.one("next_due")
    wait = upcoming["wait_ms"] if upcoming else None
    return Promoted(count=len(rows), next_in_ms=wait)
