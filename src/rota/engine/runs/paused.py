"""Paused: find the runs of graphs that start no other nodes until they are resumed."""

from __future__ import annotations

import json
from collections.abc import Iterable

from rota.model.runs.run import RunView
from rota.model.states import State
from rota.store.base import Tx


def paused_among(tx: Tx, runs: Iterable[RunView]) -> frozenset[str]:
    """The ids of the runs that are paused; queries only if a graph run is in progress."""
    ids = [run.id for run in runs if run.state is State.SUSPENDED]
    if not ids:
        return frozenset()
    rows = tx.all("paused_graphs", ids=json.dumps(ids))
    return frozenset(str(row["graph_id"]) for row in rows)
