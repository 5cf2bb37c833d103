"""Chores: background work that one process at a time does for all processes.

Taking a chore only saves the other processes the work; safety never depends on it.
"""

from __future__ import annotations

from rota.store.base import Tx


def take_chore(tx: Tx, name: str, *, interval_ms: int, gap_ms: int | None = None) -> bool:
    """Return True for one caller per interval.

    If no process did the chore for more than `gap_ms`, its record says that it began again now.
    """
    return tx.execute("take_chore", name=name, interval_ms=interval_ms, gap_ms=gap_ms) > 0
