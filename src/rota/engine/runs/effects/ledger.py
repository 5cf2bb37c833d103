"""Effects: a ledger of calls to the outside world, with the intent before and the result after.

Every write carries the fence of the attempt, so a late attempt changes nothing.
"""

from __future__ import annotations

import msgspec

from rota.engine.runs.effects.inherited import take_up
from rota.errors import LeaseLost
from rota.model.runs.run import Lease
from rota.store.base import Tx


class Intent(msgspec.Struct, frozen=True, kw_only=True):
    """The ledger entry of one effect."""

    is_new: bool
    """Whether it has not taken place: no attempt has begun it, or a person settled it so."""
    is_settled: bool = False
    result: str | None = None
    """The result as JSON text, once it is settled."""
    key_run: str | None = None
    """The run from which its key is made; None for this run."""


def intend(tx: Tx, lease: Lease, name: str, *, namespace: str, digest: str | None = None) -> Intent:
    """Record that the effect is about to begin, or return how far it came before.

    A run that repeats another one continues that run's ledger; a run of a node does so only if its
    arguments, by their digest, are the same.
    LeaseLost when another worker owns the run, or after its cancel was acknowledged.
    """
    at = _at(lease, namespace) | {"name": name}
    if new := tx.all("intend_effect", digest=digest, **at):
        return _inherit(tx, lease, name, digest) if new[0]["may_repeat"] else Intent(is_new=True)
    row = tx.one("find_effect", **at)
    if row is None:
        raise _lost(lease)
    key_run = str(row["key_run"]) if row["key_run"] else None
    if row["outcome"] == "not_done":
        _guard(tx, lease, namespace)
        again = {"run_id": lease.run_id, "name": name, "fence": lease.fence}
        if tx.execute("begin_effect_again", **again):
            return Intent(is_new=True, key_run=key_run)
        return intend(tx, lease, name, namespace=namespace, digest=digest)
    is_settled = row["settled_at"] is not None
    return Intent(is_new=False, is_settled=is_settled, result=row["result"], key_run=key_run)


def check_lease(tx: Tx, lease: Lease, *, namespace: str) -> None:
    """Raise LeaseLost when another worker owns the run, or after its cancel was acknowledged."""
    if tx.one("is_held_run", **_at(lease, namespace)) is None:
        raise _lost(lease)


def settle(tx: Tx, lease: Lease, name: str, *, namespace: str, result: str) -> None:
    """Record the result; later attempts get it instead of making the call."""
    _guard(tx, lease, namespace)
    tx.execute("settle_effect", run_id=lease.run_id, name=name, result=result)


def retract(tx: Tx, lease: Lease, name: str, *, namespace: str) -> None:
    """Take back an intent whose call certainly did not take place."""
    _guard(tx, lease, namespace)
    tx.execute("retract_effect", run_id=lease.run_id, name=name)


def _inherit(tx: Tx, lease: Lease, name: str, digest: str | None) -> Intent:
    """The intent, or the earlier state of the effect if a run that this one repeats began it."""
    inherited = take_up(tx, lease.run_id, name, digest=digest)
    if inherited is None:
        return Intent(is_new=True)
    return Intent(
        is_new=inherited.outcome == "not_done",
        is_settled=inherited.is_settled,
        result=inherited.result,
        key_run=inherited.key_run,
    )


def _guard(tx: Tx, lease: Lease, namespace: str) -> None:
    if tx.one("guard_run", **_at(lease, namespace)) is None:
        raise _lost(lease)


def _at(lease: Lease, namespace: str) -> dict[str, str | int]:
    return {"run_id": lease.run_id, "fence": lease.fence, "namespace": namespace}


def _lost(lease: Lease) -> LeaseLost:
    return LeaseLost(f"run {lease.run_id} was cancelled, or another worker owns it now")
