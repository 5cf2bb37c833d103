"""Release: make runs claimable again after an ending, a change or the passing of time.

A hold keeps a run back in one of two ways. The run is `pending`, and becomes `queued` here. Or it
stays in its queue and claims pass over it: then the workers of the queue are woken.
"""

from __future__ import annotations

import json
from collections.abc import Collection

from rota.engine.wakeup_keys import queue_key
from rota.store.base import Tx

Queue = tuple[str, str]
"""A namespace, and the name of a queue in it."""


def release(tx: Tx, *, runs: Collection[str] = (), queues: Collection[Queue] = ()) -> bool:
    """Queue the pending ones of these runs, and wake the workers of their queues and of `queues`.

    A run that another transaction is changing is left to that one. Returns False if there was no
    queue to wake.
    """
    freed = set(queues)
    if runs:
        rows = tx.all("unblock_runs", ids=json.dumps(sorted(runs)))
        freed |= {(row["namespace"], row["queue"]) for row in rows}
    tx.notify({queue_key(namespace, queue) for namespace, queue in freed})
    return bool(freed)
