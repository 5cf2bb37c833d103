"""Cancel: end a waiting run now, or ask a running one to stop."""

from __future__ import annotations

from rota.engine.failures.batch_isolation import split
from rota.engine.graphs.nodes.links import parent_fields
from rota.engine.runs.find import find
from rota.engine.runs.finish import finish
from rota.engine.wakeup_keys import worker_key
from rota.errors import NotAllowed, UnknownRun
from rota.ids import is_id
from rota.model.runs.run import Verdict
from rota.model.states import TRANSITIONS, State
from rota.store.base import Tx


def cancel(
    tx: Tx, run_id: str, *, namespace: str, reason: str = "cancelled", force: bool = False
) -> State:
    """Return `cancelled`, or `running` if a worker was asked to stop and has not answered yet.

    A run of a graph that runs its teardowns first is `suspended` until they end; `force` skips
    them.

    After this returns no new attempt of the run starts. Cancelling twice is no error; a run that
    ended otherwise raises NotAllowed.
    """
    if not is_id(run_id):
        raise UnknownRun(run_id)
    row = tx.one("lock_run", id=run_id, namespace=namespace)
    if row is None:
        return _already(tx, run_id, namespace)
    if row["state"] in TRANSITIONS["cancel"].allowed:
        verdict = Verdict(
            run_id=run_id,
            fence=row["fence"],
            verb="cancel",
            reason=reason,
            fired=row["schedule_id"] is not None,
            force=force,
            **parent_fields(row),
        )
        # A person can end a single run whatever the state of its graph.
        if not split(tx, lambda tx: finish(tx, [verdict], namespace=namespace)):
            return _now(tx, run_id, State(row["state"]), namespace)
    tx.execute("request_cancel", id=run_id, fence=row["fence"], reason=reason)
    tx.notify((worker_key(str(row["worker_id"])),))
    return State.RUNNING


def _now(tx: Tx, run_id: str, before: State, namespace: str) -> State:
    if before is not State.SUSPENDED:
        return State.CANCELLED
    goes_on = tx.one("lock_run", id=run_id, namespace=namespace)
    return State.SUSPENDED if goes_on else State.CANCELLED


def _already(tx: Tx, run_id: str, namespace: str) -> State:
    run = find(tx, run_id, namespace=namespace)
    if run.state is State.CANCELLED:
        return run.state
    raise NotAllowed(f"run {run_id} has ended as {run.state} and cannot be cancelled")
