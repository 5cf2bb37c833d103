"""Stale schedules: those whose wake-up was lost, or whose rules of time have changed."""

from __future__ import annotations

import json

from rota.engine.wakeup_keys import LOOK
from rota.store.base import Tx

FIRST = "00000000-0000-0000-0000-000000000000"
"""Before every id."""


def wake_waiting(tx: Tx) -> int:
    """Have every schedule looked at that has starts waiting; returns how many there are."""
    count = tx.execute("wake_waiting")
    if count:
        tx.notify((LOOK,))
    return count


def find_stale(
    tx: Tx, *, rules_version: str, after: str, limit: int
) -> tuple[list[str], str | None]:
    """Of the next so many schedules those that others reckoned with other rules of time.

    And where the next page begins; None after the last.
    """
    end = tx.one("end_of_page", after=after, limit=limit)
    until = None if end is None else str(end["id"])
    rows = tx.all("stale_schedules", after=after, until=until, version=rules_version)
    return [str(row["id"]) for row in rows], until


def look_again(tx: Tx, ids: list[str]) -> None:
    """Have these schedules looked at now."""
    tx.execute("look_again", ids=json.dumps(ids))
    tx.notify((LOOK,))
