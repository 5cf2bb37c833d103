"""Grid: the last runs of a graph beside each other, node by node."""

from __future__ import annotations

import json

import msgspec

from rota.engine.graphs.graph_run import shape_of
from rota.engine.graphs.views.nodes import word_of
from rota.engine.runs.lists import lately
from rota.model.run import RunView
from rota.store.base import Tx


class Grid(msgspec.Struct, frozen=True, kw_only=True):
    """Runs, the newest first; nodes, parents first; and where each node of each run stands."""

    runs: list[RunView]
    nodes: list[str]
    """Of the current version; those of other versions follow."""
    cells: dict[str, dict[str, str]]
    """By run and node; a node that a run does not have is left out."""


def grid(tx: Tx, job: str, version: int, *, namespace: str, limit: int) -> Grid:
    """BadGraph if the job in this version is no graph."""
    nodes = dict.fromkeys(shape_of(tx, job, version, namespace=namespace).plan.nodes)
    found = lately(tx, job, namespace=namespace, limit=limit)
    cells: dict[str, dict[str, str]] = {run.id: {} for run in found}
    for row in tx.all("grid_nodes", ids=json.dumps(list(cells))):
        cells[str(row["graph_id"])][row["name"]] = word_of(row["state"], row["run_state"])
        nodes.setdefault(row["name"])
    return Grid(runs=found, nodes=list(nodes), cells=cells)
