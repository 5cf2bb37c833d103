"""A paused graph run as a hold: its nodes that have not started wait until it is resumed.

`engine/graphs/control.py` pauses and resumes it.
"""

from __future__ import annotations

import msgspec

from rota.engine.graphs.views.nodes import is_paused
from rota.model.runs.reason import Reason
from rota.model.runs.run import RunView
from rota.model.states import State
from rota.store.base import Tx


def why_node_waits(tx: Tx, run: RunView, namespace: str) -> list[Reason]:
    """Return why a node that has not started waits while the run of its graph is paused."""
    is_node = run.state is State.PENDING and run.parent_id is not None
    if not is_node or not is_paused(tx, str(run.parent_id)):
        return []
    return [why_paused(tx, str(run.parent_id), namespace=namespace)]


def why_paused(tx: Tx, graph_id: str, *, namespace: str) -> Reason:
    """Return a reason that names who paused a run of a graph, and why."""
    row = tx.one("last_act", namespace=namespace, verb="pause run", subject=graph_id)
    if row is None:
        return Reason(kind="paused", says=f"run {graph_id} is paused; resume it")
    why = msgspec.json.decode(row["detail"], type=dict[str, object]).get("why")
    says = f"{row['who']} has paused run {graph_id}{f': {why}' if why else ''}; resume it"
    return Reason(kind="paused", says=says)
