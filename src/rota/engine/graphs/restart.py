"""Restart: begin a run of a graph, or begin it again with some of its nodes already ended."""

from __future__ import annotations

import json
from collections.abc import Mapping

from rota.engine.graphs.graph_run import GraphRun
from rota.engine.graphs.nodes.rows import END, NONE, NodeRow, NodeRows
from rota.engine.graphs.propagation import Propagation
from rota.engine.graphs.redo import continued, existing, in_place, undone
from rota.model.runs.run import Verdict
from rota.rules.graphs.joins import Ending
from rota.store.base import Tx


def place(
    propagation: Propagation,
    graph_run: GraphRun,
    versions: Mapping[str, int | None],
    earlier_nodes: Mapping[str, NodeRow],
) -> None:
    """Add rows for all nodes; kept nodes may have ended already."""
    graph_id, shape = graph_run.graph_id, graph_run.shape
    propagation.node_rows.add(NodeRow(graph_id=graph_id, name=END, state="open", counts=NONE))
    for name in shape.plan.nodes:
        row = NodeRow(
            graph_id=graph_id, name=name, state="pending", counts=NONE, version=versions[name]
        )
        propagation.node_rows.add(row)
    for name, old in earlier_nodes.items():
        if name not in shape.plan.nodes:
            continue
        row = propagation.node_rows.rows[graph_id, name]
        # For a mapped node, `run_id` names the run whose instances count: None means this run.
        row.run_id = old.run_id if old.is_final or old.width is None else None
        row.earlier = old.earlier
        if old.is_final:
            row.width, row.made, row.ended, row.bad = old.width, old.made, old.ended, old.bad
            propagation.end(row, Ending(old.state), old.reason)
            row.result = old.result  # for a failed node, its error unchanged
    propagation.judge((graph_id, name) for name in shape.first)


def go_on(tx: Tx, propagation: Propagation, *, namespace: str) -> list[Verdict]:
    """Run a propagation and begin again the runs that it restarts; return the verdicts.

    This is the only correct way to run a propagation: a caller that reads only the verdicts would
    leave a run that has retries suspended for ever.
    """
    verdicts: list[Verdict] = []
    steps = [propagation]
    while steps:
        propagation = steps.pop()
        outcome = propagation.run()
        verdicts += outcome.verdicts
        for graph_id, now in outcome.restarts.items():
            steps.append(
                _restart(tx, propagation.graph_runs[graph_id], namespace=namespace, now=now)
            )
    return verdicts


def _restart(tx: Tx, graph_run: GraphRun, *, namespace: str, now: int) -> Propagation:
    """Begin a run again in place from its failed nodes; keep the nodes that succeeded."""
    nodes = existing(tx, graph_run.graph_id)
    earlier_tries = continued(graph_run.shape, nodes)
    for name in undone(graph_run.shape, nodes):
        row = nodes[name]
        row.state, row.earlier = "pending", in_place(row, earlier_tries.get(name))
    tx.execute("forget_nodes", ids=json.dumps([graph_run.graph_id]))
    tx.execute("note_restart", id=graph_run.graph_id)
    tx.execute("disown_instances", id=graph_run.graph_id)
    tx.fresh.clear()
    # Use the next millisecond: instance ids are made of it, and ids of this one may be taken.
    propagation = Propagation(
        tx, {graph_run.graph_id: graph_run}, namespace=namespace, node_rows=NodeRows(tx, now + 1)
    )
    place(propagation, graph_run, {name: row.version for name, row in nodes.items()}, nodes)
    return propagation
