"""Stale schedules: schedules whose wake-up was lost, or whose time rules have changed."""

from __future__ import annotations

import json

from rota.engine.wakeup_keys import LOOK
from rota.store.base import Tx

FIRST = "00000000-0000-0000-0000-000000000000"
"""An id that sorts before every other id."""


def wake_waiting(tx: Tx) -> int:
    """Make every schedule with waiting starts due for a look; return how many there are."""
    count = tx.execute("wake_waiting")
    if count:
        tx.notify((LOOK,))
    return count


def find_stale(
    tx: Tx, *, rules_version: str, after: str, limit: int
) -> tuple[list[str], str | None]:
    """Find schedules, among the next `limit`, that were computed with other time rules.

    Also returns where the next page begins; None after the last page.
    """
    end = tx.one("end_of_page", after=after, limit=limit)
    until = None if end is None else str(end["id"])
    rows = tx.all("stale_schedules", after=after, until=until, version=rules_version)
    return [str(row["id"]) for row in rows], until


def look_again(tx: Tx, ids: list[str]) -> None:
    """Make these schedules due for a look now."""
    tx.execute("look_again", ids=json.dumps(ids))
    tx.notify((LOOK,))
