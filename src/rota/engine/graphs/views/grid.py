"""Grid: the last runs of a graph side by side, node by node."""

from __future__ import annotations

import json
from collections.abc import Callable

from rota.engine.graphs.graph_run import shape_of
from rota.engine.graphs.views.nodes import word_of
from rota.engine.runs.lists import lately
from rota.model.graphs.definition import Grid, GridRun
from rota.model.runs.run import RunView
from rota.store.base import Tx


def grid(
    tx: Tx,
    job: str,
    version: int,
    *,
    namespace: str,
    limit: int,
    sees: Callable[[str], bool] = lambda _queue: True,
) -> Grid:
    """The newest runs in queues that the caller sees; BadGraph for a job that is no graph."""
    nodes = dict.fromkeys(shape_of(tx, job, version, namespace=namespace).plan.nodes)
    visible = [run for run in lately(tx, job, namespace=namespace, limit=limit) if sees(run.queue)]
    cells: dict[str, dict[str, str]] = {run.id: {} for run in visible}
    for row in tx.all("grid_nodes", ids=json.dumps(list(cells))):
        cells[str(row["graph_id"])][row["name"]] = word_of(row["state"], row["run_state"])
        nodes.setdefault(row["name"])
    return Grid(runs=[_column(run) for run in visible], nodes=list(nodes), cells=cells)


def _column(run: RunView) -> GridRun:
    return GridRun(
        id=run.id,
        state=run.state,
        version=run.version,
        scheduled_for=run.scheduled_for,
        created_at=run.created_at,
        started_at=run.started_at,
        finished_at=run.finished_at,
    )
