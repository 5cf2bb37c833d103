"""Lost claims: runs that were claimed for a worker that never received them."""

from __future__ import annotations

from collections.abc import Sequence

from rota.engine.runs.finish import finish
from rota.engine.workers.heartbeat import HeldLease
from rota.model.runs.run import Verdict
from rota.store.base import Tx


def release(tx: Tx, strays: Sequence[HeldLease], *, namespace: str) -> None:
    """Return the runs to their queues without costing an attempt; a cancelled run ends."""
    verdicts = [
        Verdict(
            run_id=stray.run_id,
            fence=stray.fence,
            verb="release",
            fired=True,  # perhaps; used only for a run that ends
            parent_id=stray.parent_id,
            node=stray.node,
            item=stray.item,
        )
        for stray in strays
    ]
    if verdicts:
        finish(tx, verdicts, namespace=namespace)
