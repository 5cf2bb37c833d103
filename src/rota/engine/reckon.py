"""Reckon: the truth behind the wake-ups of schedules, and rules of time that have changed."""

from __future__ import annotations

import json

from rota.engine.keys import LOOK
from rota.store.base import Tx


def wake_waiting(tx: Tx) -> int:
    """Have every schedule looked at that has starts waiting; returns how many there are."""
    count = tx.execute("wake_waiting")
    if count:
        tx.notify((LOOK,))
    return count


def find_stale(tx: Tx, *, rules_version: str, after: str | None, limit: int) -> str | None:
    """Have a page of schedules looked at that others reckoned with other rules of time.

    Returns where the next page begins; None after the last.
    """
    rows = tx.all("stale_schedules", after=after, limit=limit)
    stale = [
        str(row["id"]) for row in rows if row["rules_version"].partition("#")[0] != rules_version
    ]
    if stale:
        tx.execute("look_again", ids=json.dumps(stale))
        tx.notify((LOOK,))
    return str(rows[-1]["id"]) if len(rows) == limit else None
