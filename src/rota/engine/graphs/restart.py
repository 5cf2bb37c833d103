"""Restart: a run of a graph begins, or begins again, with some of its nodes ended already."""

from __future__ import annotations

import json
from collections.abc import Mapping

from rota.engine.graphs.graph_run import GraphRun
from rota.engine.graphs.nodes.rows import END, NONE, NodeRow, NodeRows
from rota.engine.graphs.propagation import Propagation
from rota.engine.graphs.redo import continued, existing, in_place, undone
from rota.model.run import Verdict
from rota.rules.graphs.joins import Ending
from rota.store.base import Tx


def place(
    propagation: Propagation,
    graph_run: GraphRun,
    versions: Mapping[str, int | None],
    kept: Mapping[str, NodeRow],
) -> None:
    """Rows for all nodes; those that are kept have ended already."""
    graph_id, shape = graph_run.graph_id, graph_run.shape
    propagation.node_rows.add(NodeRow(graph_id=graph_id, name=END, state="open", counts=NONE))
    for name in shape.plan.nodes:
        row = NodeRow(
            graph_id=graph_id, name=name, state="pending", counts=NONE, version=versions[name]
        )
        propagation.node_rows.add(row)
    for name, old in kept.items():
        if name not in shape.plan.nodes:
            continue
        row = propagation.node_rows.rows[graph_id, name]
        # Of a mapped node it says whose instances count: those of this run, if it is done again.
        row.run_id = old.run_id if old.is_final or old.width is None else None
        row.earlier = old.earlier
        if old.is_final:
            row.width, row.made, row.ended, row.bad = old.width, old.made, old.ended, old.bad
            propagation.end(row, Ending(old.state), old.reason)
            row.result = old.result  # of one that failed, its error as it was
    propagation.judge((graph_id, name) for name in shape.first)


def go_on(tx: Tx, propagation: Propagation, *, namespace: str) -> list[Verdict]:
    """Carry out a step and begin the runs again that it says are to be; gives the verdicts.

    The one way to run a step: who would read the verdicts alone would leave a run that has
    retries as it is, suspended for ever.
    """
    verdicts: list[Verdict] = []
    steps = [propagation]
    while steps:
        propagation = steps.pop()
        outcome = propagation.run()
        verdicts += outcome.verdicts
        for graph_id, now in outcome.restarts.items():
            steps.append(
                _restarted(tx, propagation.graph_runs[graph_id], namespace=namespace, now=now)
            )
    return verdicts


def _restarted(tx: Tx, graph_run: GraphRun, *, namespace: str, now: int) -> Propagation:
    """Begin a run again from what failed, in place; what succeeded is kept."""
    nodes = existing(tx, graph_run.graph_id)
    kept = continued(graph_run.shape, nodes)
    for name in undone(graph_run.shape, nodes):
        row = nodes[name]
        row.state, row.earlier = "pending", in_place(row, kept.get(name))
    tx.execute("forget_nodes", ids=json.dumps([graph_run.graph_id]))
    tx.execute("note_restart", id=graph_run.graph_id)
    tx.execute("disown_instances", id=graph_run.graph_id)
    tx.fresh.clear()
    # A millisecond later: ids of instances are made of it, and those of this one may be taken.
    propagation = Propagation(
        tx, {graph_run.graph_id: graph_run}, namespace=namespace, node_rows=NodeRows(tx, now + 1)
    )
    place(propagation, graph_run, {name: row.version for name, row in nodes.items()}, nodes)
    return propagation
