"""Chores: background work that one process at a time does for all.

Taking a chore spares the others the work; safety never hangs on it.
"""

from __future__ import annotations

from rota.store.base import Tx


def take_chore(tx: Tx, name: str, *, interval_ms: int, gap_ms: int | None = None) -> bool:
    """True for one asker per interval.

    If nobody did it for more than `gap_ms`, the record says that it began again now.
    """
    return tx.execute("take_chore", name=name, interval_ms=interval_ms, gap_ms=gap_ms) > 0
