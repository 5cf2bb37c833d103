"""Begin: runs that a worker held ready have a slot now.

Not told of each: a run that ends soon tells of its begin with its end. Told of those that last.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rota.model.run import Begun
from rota.store.base import Tx


def begin(tx: Tx, begun: Sequence[Begun], *, namespace: str) -> int:
    """From now on people see that these run, and since when; how many were still held."""
    # In id order, as finish does: two batches that share rows must not lock each other out.
    ordered = sorted(begun, key=lambda each: each.run_id)
    batch = msgspec.json.encode(ordered).decode()
    return tx.execute("note_begun", batch=batch, namespace=namespace)
