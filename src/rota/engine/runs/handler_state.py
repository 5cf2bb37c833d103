"""Handler state: the checkpoint of a long handler, for the next attempt.

The row of the run holds the checkpoint, so it is gone when the run has ended.
"""

from __future__ import annotations

from rota.errors import LeaseLost
from rota.model.runs.run import Lease
from rota.store.base import Tx


def save_checkpoint(tx: Tx, lease: Lease, state: str, *, namespace: str) -> None:
    """Replace the checkpoint of the run; LeaseLost when another worker owns it."""
    at = {"run_id": lease.run_id, "fence": lease.fence, "namespace": namespace}
    if not tx.execute("save_checkpoint", state=state, **at):
        raise LeaseLost


def load_checkpoint(tx: Tx, lease: Lease, *, namespace: str) -> str | None:
    """The last checkpoint of any attempt of the run, as JSON text; None if there is none."""
    at = {"run_id": lease.run_id, "fence": lease.fence, "namespace": namespace}
    row = tx.one("load_checkpoint", **at)
    if row is None:
        raise LeaseLost
    state: str | None = row["checkpoint"]
    return state
