"""Begin: record that prefetched runs now have a slot on their worker.

A worker reports this only for runs that last; for a short run the end also reports the begin.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rota.model.runs.run import Begun
from rota.store.base import Tx


def begin(tx: Tx, begun: Sequence[Begun], *, namespace: str) -> int:
    """Record that these runs have begun, and when; return how many were still held."""
    # In id order, like finish: two batches that share rows must not deadlock.
    ordered = sorted(begun, key=lambda each: each.run_id)
    batch = msgspec.json.encode(ordered).decode()
    return tx.execute("note_begun", batch=batch, namespace=namespace)
