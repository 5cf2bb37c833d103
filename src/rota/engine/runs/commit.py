"""Commit: write a handler's own changes and the end of its run in one transaction.

The first statement locks the run and checks the fence; the last statement ends the run.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from rota.engine.failures.batch_isolation import split
from rota.engine.runs.finish import finish
from rota.errors import LeaseLost, NotAllowed
from rota.model.runs.run import Lease, Verdict
from rota.store.base import Tx

Apply = Callable[[Tx], str]
"""The handler's writes; returns the result of the run as JSON text."""


def commit(  # noqa: PLR0913  # the lease, what to do, and three limits, all named
    tx: Tx,
    lease: Lease,
    apply: Apply,
    *,
    namespace: str,
    limit_ms: int,
    idle_ms: int,
    is_repeat: bool = False,
) -> None:
    """End the run as a success together with the writes of `apply`; LeaseLost changes nothing.

    Set `is_repeat` if an earlier commit of this same lease may have taken place: a commit that did
    is not repeated. The lock waits for a commit in progress.
    """
    at = {"run_id": lease.run_id, "fence": lease.fence, "namespace": namespace}
    row = tx.one("hold_run", limit_ms=limit_ms, idle_ms=idle_ms, **at)
    if row is None:
        if is_repeat and tx.one("has_committed", **at):
            return
        raise LeaseLost(
            f"run {lease.run_id} was cancelled, or another worker owns it now; nothing was changed"
        )
    result = apply(tx)
    now = tx.one("current_tx")
    if now is None or now["tx"] != row["tx"]:
        raise NotAllowed("the transaction was ended inside the function that commit() was given")
    verdict = Verdict(
        run_id=lease.run_id,
        fence=lease.fence,
        verb="succeed",
        result=result,
        fired=lease.is_fired,
        parent_id=lease.parent_id,
        node=lease.node,
        item=lease.item,
        memo_key=lease.memo_key,
        memo_ms=lease.memo_ms,
        held_ms=lease.held_ms,
    )
    end = partial(finish, verdicts=[verdict], namespace=namespace)
    # The handler's writes must not be lost because its graph cannot go on.
    if split(tx, end) if lease.parent_id is not None else end(tx):
        raise LeaseLost
