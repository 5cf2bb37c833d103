"""Chores: background work that one process at a time does for all.

Taking a chore spares the others the work; safety never hangs on it.
"""

from __future__ import annotations

from rota.store.base import Tx


def take_chore(tx: Tx, name: str, *, interval_ms: int) -> bool:
    """True for one asker per interval."""
    return tx.execute("take_chore", name=name, interval_ms=interval_ms) > 0
