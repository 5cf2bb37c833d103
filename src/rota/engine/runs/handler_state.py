"""Handler state: how far a long handler has come, for the attempt after it.

Kept in the row of the run, so that it is gone when the run has ended.
"""

from __future__ import annotations

from rota.errors import LeaseLost
from rota.model.run import Lease
from rota.store.base import Tx


def save_checkpoint(tx: Tx, lease: Lease, state: str, *, namespace: str) -> None:
    """Replace the checkpoint of the run; LeaseLost when another worker owns it."""
    at = {"run_id": lease.run_id, "fence": lease.fence, "namespace": namespace}
    if not tx.execute("save_checkpoint", state=state, **at):
        raise LeaseLost


def load_checkpoint(tx: Tx, lease: Lease, *, namespace: str) -> str | None:
    """The last checkpoint of the run by any attempt, as JSON text; None if there is none."""
    at = {"run_id": lease.run_id, "fence": lease.fence, "namespace": namespace}
    row = tx.one("load_checkpoint", **at)
    if row is None:
        raise LeaseLost
    state: str | None = row["checkpoint"]
    return state
