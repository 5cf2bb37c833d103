"""Dependencies: a run of a job that depends on others waits until their runs have succeeded.

The first claim of such a run holds it back: the run is pending until `clear_dependents.py` clears
it. Every start passes through a claim, so it does not matter how the run was made.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from rota.engine.wakeup_keys import AWAITED
from rota.model.runs.reason import Reason
from rota.model.runs.run import Lease, RunView
from rota.model.states import State
from rota.store.base import Tx


def hold_back(tx: Tx, leases: Sequence[Lease], namespace: str) -> list[Lease]:
    """Return the leases that may start, of leases whose jobs depend on others; the others wait.

    A node of a graph waits only for its parents, and a retry has waited before.
    """
    first_tries = [lease for lease in leases if lease.parent_id is None and lease.attempt == 1]
    if not first_tries:
        return list(leases)
    ids = json.dumps([lease.run_id for lease in first_tries])
    rows = tx.all("find_awaited", ids=ids)
    cleared = {str(row["run_id"]) for row in rows if row["is_cleared"]}
    if cleared:
        tx.execute("forget_awaited", ids=json.dumps(sorted(cleared)))
    waiting_leases = {lease.run_id: lease for lease in first_tries if lease.run_id not in cleared}
    for run_id, lease in sorted(waiting_leases.items()):
        tx.execute("insert_awaited", run_id=run_id, namespace=namespace)
        tx.execute("defer_run", id=run_id, fence=lease.fence)
    if waiting_leases:
        tx.notify((AWAITED,))
    return [lease for lease in leases if lease.run_id not in waiting_leases]


def why_dependent_waits(tx: Tx, run: RunView, namespace: str) -> list[Reason]:
    """Return the runs that this run waits for, as the last check noted them."""
    del namespace
    if run.state is not State.PENDING:
        return []
    row = tx.one("find_awaited", ids=json.dumps([run.id]))
    if row is None:
        return []
    note = row["note"] or "jobs it depends on, which are about to be checked"
    return [Reason(kind="blocked", says=f"it waits for {each}") for each in note.split("; ")]
