"""Wind down: run the teardowns of a graph run that is ended from outside before it ends.

A cancel or a timeout decides how the run ends, and the row of the run's end records that decision.
Nodes that have not started never start, running nodes are asked to stop, teardowns run as their
join says, and with the last node the run ends as decided.

A graph inside another graph that goes on winds down even without teardowns while any of its nodes
run: the nodes after it in the outer graph begin only when none of its nodes works any more.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence

from rota.engine.graphs.failure_modes import Halt, halt
from rota.engine.graphs.graph_run import GraphRun, graph_runs
from rota.engine.graphs.nodes.rows import END, DecidedEnd, NodeRows, decide, decided
from rota.engine.graphs.propagation import Propagation
from rota.engine.graphs.restart import go_on
from rota.model.runs.run import Verdict
from rota.model.states import State
from rota.store.base import Tx

_NEEDED = ("success", "active")
"""The states of a setup in which there is, or may be, something to clear away."""
_BECAUSE = {"cancel": "the run was cancelled", "fail_graph": "the run was given up"}


def wind_down(
    tx: Tx, verdicts: Sequence[Verdict], *, namespace: str
) -> tuple[set[str], list[Verdict]]:
    """Return the ids of the runs that do not end yet, and the verdicts for their nodes.

    A run that already winds down continues, and its first decision counts.
    """
    begun = _open(tx, {each.run_id for each in verdicts} | _around(verdicts))
    ids = begun.intersection(each.run_id for each in verdicts)
    by_id = graph_runs(tx, sorted(ids), namespace=namespace) if ids else {}
    node_rows = NodeRows(tx)
    awaited = {each.run_id for each in verdicts if each.parent_id in begun}
    clearing = {
        each
        for each, graph_run in by_id.items()
        if _clears(tx, node_rows, graph_run, namespace)
        or (each in awaited and _works(tx, graph_run))
    }
    if not clearing:
        return set(), []
    fences = {
        str(row["id"]): row["fence"]
        for row in tx.all("lock_graphs", ids=json.dumps(sorted(clearing)))
    }
    mine = {each.run_id: each for each in verdicts if fences.get(each.run_id) == each.fence}
    propagation = Propagation(tx, by_id, namespace=namespace, node_rows=node_rows)
    for run_id in sorted(mine.keys() & clearing):
        _decide(propagation, by_id[run_id], mine[run_id])
    return mine.keys() & clearing, go_on(tx, propagation, namespace=namespace)


def _around(verdicts: Iterable[Verdict]) -> set[str]:
    return {each.parent_id for each in verdicts if each.parent_id is not None}


def _works(tx: Tx, graph_run: GraphRun) -> bool:
    """Whether a node of the run works: an outer graph that goes on must not see it as ended."""
    rows = tx.all("live_children", ids=json.dumps([graph_run.graph_id]))
    return any(row["state"] in (State.RUNNING, State.SUSPENDED) for row in rows)


def _decide(propagation: Propagation, graph_run: GraphRun, verdict: Verdict) -> None:
    """Start no other nodes than teardowns, and end the run as the verdict says."""
    graph_id = graph_run.graph_id
    propagation.node_rows.lock_waiting(graph_id)
    propagation.node_rows.lock([(graph_id, END)])
    end = propagation.node_rows.rows[graph_id, END]
    is_cancel = verdict.verb == "cancel"
    propagation.tx.execute(
        "note_winding_down",
        id=graph_id,
        fence=verdict.fence,
        is_cancel=is_cancel,
        reason=verdict.reason,
    )
    if decided(end.result) is not None:
        return
    was_paused = end.state == "paused"
    decide(end, DecidedEnd(verb="cancel" if is_cancel else "fail_graph", reason=verdict.reason))
    propagation.node_rows.change(end)
    because = _BECAUSE[verdict.verb]
    words = Halt(
        unstarted=f"not started: {because}", stopped=f"cancelled: {because}", spares=("teardown",)
    )
    halt(propagation, graph_run, words, was_paused=was_paused)


def _clears(tx: Tx, node_rows: NodeRows, graph_run: GraphRun, namespace: str) -> bool:
    """Whether the run, or a graph inside it, has a teardown that may have something to do."""
    if any(_is_due(node_rows, graph_run, name) for name in graph_run.shape.teardowns):
        return True
    inner = _begun_runs(tx, _inner(tx, graph_run), namespace)
    return any(_clears(tx, NodeRows(tx), each, namespace) for each in inner.values())


def _is_due(node_rows: NodeRows, graph_run: GraphRun, name: str) -> bool:
    setups = graph_run.shape.plan.nodes[name].node.setups
    node_rows.lock((graph_run.graph_id, each) for each in (name, *setups))
    row = node_rows.rows.get((graph_run.graph_id, name))
    if row is None or row.is_final:
        return False
    states = [node_rows.rows[graph_run.graph_id, each].state for each in setups]
    return not states or any(state in _NEEDED for state in states)


def _inner(tx: Tx, graph_run: GraphRun) -> list[str]:
    """The ids of the begun runs of a graph's nodes that are graphs themselves."""
    if not graph_run.shape.inner:
        return []
    rows = tx.all("live_children", ids=json.dumps([graph_run.graph_id]))
    return [str(row["id"]) for row in rows if row["state"] == State.SUSPENDED]


def _begun_runs(tx: Tx, run_ids: Collection[str], namespace: str) -> dict[str, GraphRun]:
    """The graph runs among these ids that have begun and not ended."""
    open_ones = sorted(_open(tx, run_ids))
    return graph_runs(tx, open_ones, namespace=namespace) if open_ones else {}


def _open(tx: Tx, run_ids: Collection[str]) -> set[str]:
    if not run_ids:
        return set()
    rows = tx.all("open_graphs", ids=json.dumps(sorted(run_ids)))
    return {str(row["graph_id"]) for row in rows}
