"""Redo: which nodes of a graph run again after a failure, and which of their work is kept.

A node that failed itself keeps the part that succeeded: the items of a mapped node, the nodes of a
graph. A node after a repeated node runs in full, because it may get other values.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

import msgspec

from rota.engine.graphs.earlier_tries import EarlierTry, earlier_of, sources_of, text_of
from rota.engine.graphs.graph_run import shape_of
from rota.engine.graphs.nodes.rows import END, NONE, NodeRow, node_row
from rota.engine.graphs.shape import GraphShape
from rota.rules.graphs.joins import Ending
from rota.rules.graphs.scope import reachable
from rota.store.base import Tx

NOT_BEGUN = ("not started:", "the run has ended before it")
"""The first words of the reason of a node that was skipped because of other nodes."""


def undone(shape: GraphShape, nodes: Mapping[str, NodeRow]) -> set[str]:
    """The nodes to run again after a failure: failed or never begun, and all nodes after them."""
    return after_these(shape, [name for name, row in nodes.items() if is_undone(row)])


def is_undone(row: NodeRow) -> bool:
    if row.state == Ending.SKIPPED:
        return (row.reason or "").startswith(NOT_BEGUN)
    return row.state not in (Ending.SUCCESS, Ending.REMOVED)


def after_these(shape: GraphShape, names: Collection[str]) -> set[str]:
    """These nodes and all after them; a teardown adds the setups that it cleared away."""
    after = {*names, *reachable(names, shape.children)}
    for name in tuple(after):
        after.update(shape.plan.nodes[name].node.setups)
    return after


def continued(shape: GraphShape, nodes: Mapping[str, NodeRow]) -> dict[str, EarlierTry]:
    """The earlier work to keep for each node that failed itself and runs again."""
    failed = [name for name, row in nodes.items() if name in shape.plan.nodes and is_undone(row)]
    redone = after_these(shape, failed)
    below = reachable(failed, shape.children)
    tries: dict[str, EarlierTry] = {}
    for name in set(failed) - below:
        earlier = None if shape.asks[name] & redone else _earlier(shape, nodes[name])
        if earlier is not None:
            tries[name] = earlier
    return tries


def _earlier(shape: GraphShape, row: NodeRow) -> EarlierTry | None:
    before = earlier_of(row.earlier)
    if before is not None and before.is_mixed:
        return None
    if row.width is not None:
        runs = tuple(sources_of(row.graph_id, row.run_id, row.earlier))
        return EarlierTry(runs=runs, width=max(row.width, before.width if before else 0))
    if shape.plan.nodes[row.name].node.graph is not None and row.run_id is not None:
        return EarlierTry(child=row.run_id)
    return None


def in_place(row: NodeRow, earlier: EarlierTry | None) -> str | None:
    """The earlier tries, as JSON text, of a node that runs again in the same graph run."""
    earlier_try = earlier_of(row.earlier) or EarlierTry()
    if earlier is None and row.width is None and not earlier_try.is_mixed:
        return None
    then = earlier or EarlierTry(is_mixed=True)
    return text_of(msgspec.structs.replace(then, tries=earlier_try.tries + 1))


def moved(
    graph_id: str,
    rows: Mapping[str, NodeRow],
    redone: Collection[str],
    tries: Mapping[str, EarlierTry],
) -> list[NodeRow]:
    """Rows for a new run of a graph: nodes that are kept whole, and nodes that are kept in part."""
    rows_moved = [_move(row, graph_id) for name, row in rows.items() if name not in redone]
    for name in sorted(tries.keys() & set(redone)):
        row = NodeRow(graph_id=graph_id, name=name, state="pending", counts=NONE)
        row.version, row.earlier = rows[name].version, text_of(tries[name])
        rows_moved.append(row)
    return rows_moved


def _move(row: NodeRow, graph_id: str) -> NodeRow:
    """The row of a kept node in the new run; a mapped node names the run that has its instances."""
    source = row.run_id or (row.graph_id if row.width is not None else None)
    return msgspec.structs.replace(row, graph_id=graph_id, run_id=source, counts=NONE)


def carry_over(tx: Tx, old: str, new: str, version: int, *, namespace: str) -> None:
    """Let a new graph run for a node continue from the work of the run before it.

    Keeps nothing if the run before had another version or did not fail.
    """
    old_graphs = tx.all("find_graphs", ids=json.dumps([old]))
    if (
        not old_graphs
        or old_graphs[0]["namespace"] != namespace
        or old_graphs[0]["version"] != version
    ):
        return
    shape = shape_of(tx, old_graphs[0]["job"], version, namespace=namespace)
    rows = existing(tx, old)
    redone = undone(shape, rows) | (shape.plan.nodes.keys() - rows.keys())
    if rows and redone:
        batch = moved(new, rows, redone, continued(shape, rows))
        tx.execute("insert_nodes", batch=msgspec.json.encode(batch).decode())


def existing(tx: Tx, graph_id: str) -> dict[str, NodeRow]:
    """The current node rows of a graph run, by node name."""
    rows = [node_row(row) for row in tx.all("existing_nodes", ids=json.dumps([graph_id]))]
    return {row.name: row for row in rows if row.name != END}
