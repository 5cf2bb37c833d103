"""Abandon: end the nodes of graph runs that ended before their nodes did."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rota.engine.graphs.nodes.links import cancelled
from rota.engine.wakeup_keys import worker_key
from rota.model.runs.run import Verdict
from rota.model.states import State
from rota.store.base import Tx


def abandon(tx: Tx, verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Ask running nodes of these runs to stop; return verdicts for the nodes that do not run.

    Does nothing for runs that are not graphs.
    """
    ids = json.dumps(sorted(verdict.run_id for verdict in verdicts))
    if not tx.all("end_graphs", ids=ids):
        return []
    reason = "cancelled: the run of its graph has ended"
    tx.execute("close_nodes", ids=ids, reason="the run has ended before it")
    children = tx.all("live_children", ids=ids)
    running = [row for row in children if row["state"] == State.RUNNING]
    if running:
        run_ids = json.dumps([str(row["id"]) for row in running])
        tx.execute("request_cancels", ids=run_ids, reason=reason)
        tx.notify({worker_key(str(row["worker_id"])) for row in running})
    forced = {verdict.run_id for verdict in verdicts if verdict.force}
    return [
        cancelled(row, reason, force=str(row["parent_id"]) in forced)
        for row in children
        if row["state"] != State.RUNNING
    ]
