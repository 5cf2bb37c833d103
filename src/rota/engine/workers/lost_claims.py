"""Lost claims: runs that were claimed for a worker which never heard of it."""

from __future__ import annotations

from collections.abc import Sequence

from rota.engine.runs.finish import finish
from rota.engine.workers.heartbeat import HeldLease
from rota.model.run import Verdict
from rota.store.base import Tx


def release(tx: Tx, strays: Sequence[HeldLease], *, namespace: str) -> None:
    """Back into their queues, without costing an attempt; one that was cancelled ends."""
    verdicts = [
        Verdict(
            run_id=stray.run_id,
            fence=stray.fence,
            verb="release",
            fired=True,  # perhaps; asked only for one that ends
            parent_id=stray.parent_id,
            node=stray.node,
            item=stray.item,
        )
        for stray in strays
    ]
    if verdicts:
        finish(tx, verdicts, namespace=namespace)
