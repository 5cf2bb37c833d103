"""Release: what an ending, a change or the time has freed can be claimed again.

A hold keeps a run back in one of two ways. The run is `pending`, and becomes `queued` here. Or it
stays in its queue and claims pass over it: then whoever serves the queue is woken.
"""

from __future__ import annotations

import json
from collections.abc import Collection

from rota.engine.wakeup_keys import queue_key
from rota.store.base import Tx

Queue = tuple[str, str]
"""A namespace, and the name of a queue in it."""


def release(tx: Tx, *, runs: Collection[str] = (), queues: Collection[Queue] = ()) -> bool:
    """Queue these runs if they are pending, and wake whoever serves their queues and these.

    A run that somebody else is changing is left to them. False if there was nobody to wake.
    """
    freed = set(queues)
    if runs:
        rows = tx.all("unblock_runs", ids=json.dumps(sorted(runs)))
        freed |= {(row["namespace"], row["queue"]) for row in rows}
    tx.notify({queue_key(namespace, queue) for namespace, queue in freed})
    return bool(freed)
