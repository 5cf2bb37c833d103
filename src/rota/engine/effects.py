"""Effects: a ledger of calls to the outside world, the intent before and the result after.

Every write carries the fence of the attempt; what a late attempt says changes nothing.
"""

from __future__ import annotations

import msgspec

from rota.errors import LeaseLost
from rota.model.run import Lease
from rota.store.base import Tx


class Intent(msgspec.Struct, frozen=True, kw_only=True):
    """What the ledger knows of one effect."""

    is_new: bool
    """Nobody has begun it before."""
    is_settled: bool = False
    result: str | None = None
    """JSON text, once it is settled."""


def intend(tx: Tx, lease: Lease, name: str, *, namespace: str) -> Intent:
    """Write down that the effect is about to begin, or tell how far it came before.

    LeaseLost when another worker owns the run, or after its cancel was acknowledged.
    """
    at = _at(lease, namespace) | {"name": name}
    if tx.execute("intend_effect", **at):
        return Intent(is_new=True)
    row = tx.one("find_effect", **at)
    if row is None:
        raise _lost(lease)
    return Intent(is_new=False, is_settled=row["settled_at"] is not None, result=row["result"])


def settle(tx: Tx, lease: Lease, name: str, *, namespace: str, result: str) -> None:
    """Write down the result; later attempts get it instead of the call."""
    _guard(tx, lease, namespace)
    tx.execute("settle_effect", run_id=lease.run_id, name=name, result=result)


def retract(tx: Tx, lease: Lease, name: str, *, namespace: str) -> None:
    """Take an intent back that surely came to nothing."""
    _guard(tx, lease, namespace)
    tx.execute("retract_effect", run_id=lease.run_id, name=name)


def _guard(tx: Tx, lease: Lease, namespace: str) -> None:
    if tx.one("guard_run", **_at(lease, namespace)) is None:
        raise _lost(lease)


def _at(lease: Lease, namespace: str) -> dict[str, str | int]:
    return {"run_id": lease.run_id, "fence": lease.fence, "namespace": namespace}


def _lost(lease: Lease) -> LeaseLost:
    return LeaseLost(f"run {lease.run_id} was cancelled, or another worker owns it now")
