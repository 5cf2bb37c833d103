"""Advance: when nodes of a graph end, release, skip or give up the nodes after them.

This is part of the transaction that ends the nodes, so a crash neither loses nor doubles a
release. The rows of the affected nodes are locked in the order of their keys,
`rules.graphs.joins` decides what becomes of them, and they are written once. The nodes that end
this way are the next wave.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import msgspec

from rota.engine.failures.batch_isolation import beside, each_apart, keepable, words
from rota.engine.graphs.graph_run import GraphRun, graph_runs
from rota.engine.graphs.nodes.endings import ENDINGS, NodeEnding
from rota.engine.graphs.nodes.links import verdict_facts
from rota.engine.graphs.nodes.rows import MAX_REASON, NodeRows, Place
from rota.engine.graphs.propagation import Propagation
from rota.engine.graphs.restart import go_on
from rota.errors import BadGraph
from rota.model.runs.run import ErrorDetail, Verdict
from rota.model.states import State
from rota.store.base import Tx

NO_ROW = "its nodes are not all on record any more"
_error = msgspec.json.Decoder(ErrorDetail)


def ended(verdict: Verdict, state: State) -> NodeEnding:
    error = _error_of(verdict)
    return NodeEnding(
        graph_id=verdict.parent_id or "",
        node=verdict.node or "",
        item=verdict.item,
        run_id=verdict.run_id,
        state=state,
        result=verdict.result,
        reason=f"{error.type}: {error.message}"[:MAX_REASON] if error else verdict.reason,
        error=error,
    )


def advance(tx: Tx, endings: Sequence[NodeEnding], *, namespace: str) -> list[Verdict]:
    """Advance the graphs of these node runs; return the verdicts to carry out next.

    The verdicts are for graphs that end with these nodes and for runs that must not go on. In a
    careful transaction a graph that cannot go on fails, and the node that ended keeps its ending.
    """
    if not tx.is_careful:
        return _advance(tx, endings, namespace)
    follow = each_apart(
        tx,
        endings,
        lambda each: _advance(tx, [each], namespace),
        instead=lambda each, error: _give_up(tx, each, error),
    )
    return [verdict for verdicts in follow for verdict in verdicts]


def _give_up(tx: Tx, each: NodeEnding, error: Exception) -> list[Verdict]:
    """Fail a graph whose rows or definition cannot be understood."""
    beside(tx, lambda: _note(tx, each), what=f"node {each.node} of run {each.graph_id}")
    reason = f"it could not go on after node {each.node} had ended: {words(error)}"[:MAX_REASON]
    return [
        Verdict(verb="fail_graph", reason=reason, force=True, **verdict_facts(row))
        for row in tx.all("lock_graphs", ids=json.dumps([each.graph_id]))
    ]


def _note(tx: Tx, each: NodeEnding) -> None:
    """Record only how the node ended, so that a rerun of the graph knows what it can keep."""
    if each.item is not None:
        return
    node_rows = NodeRows(tx)
    place = each.graph_id, each.node
    node_rows.lock([place])
    row = node_rows.rows.get(place)
    if row is not None and not row.is_final and row.run_id == each.run_id:
        row.state, row.result = ENDINGS[each.state].value, each.result
        row.reason = keepable(each.reason) if each.reason else None
        node_rows.change(row)
        node_rows.flush()


def _advance(tx: Tx, endings: Sequence[NodeEnding], namespace: str) -> list[Verdict]:
    graph_runs_here = graph_runs(tx, {each.graph_id for each in endings}, namespace=namespace)
    mine = [each for each in endings if each.graph_id in graph_runs_here]
    propagation = Propagation(tx, graph_runs_here, namespace=namespace)
    propagation.node_rows.lock(_places(graph_runs_here, mine))
    for each in mine:
        propagation.take(each)
    unknown = [
        each for each in mine if (each.graph_id, each.node) not in propagation.node_rows.rows
    ]
    lost = [verdict for each in unknown for verdict in _give_up(tx, each, BadGraph(NO_ROW))]
    return lost + go_on(tx, propagation, namespace=namespace)


def _places(by_id: dict[str, GraphRun], endings: Iterable[NodeEnding]) -> list[Place]:
    """The ended nodes and the nodes whose counts they change; for an instance, only its node."""
    places: list[Place] = []
    for each in endings:
        places.append((each.graph_id, each.node))
        if each.item is None:
            shape = by_id[each.graph_id].shape
            places += [(each.graph_id, name) for name in shape.children.get(each.node, ())]
            places += [(each.graph_id, name) for name in shape.dependents.get(each.node, ())]
    return places


def _error_of(verdict: Verdict) -> ErrorDetail | None:
    """The error of a verdict; None if unreadable, because the node must end all the same."""
    try:
        return _error.decode(verdict.error) if verdict.error else None
    except (msgspec.MsgspecError, ValueError):
        return None
