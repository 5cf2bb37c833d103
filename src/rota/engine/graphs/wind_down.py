"""Wind down: a run of a graph that is ended from outside runs its teardowns first.

Who cancels a run, or ends it because it took too long, decides how it ends; that is noted in the
row of its end. Nodes that have not started never do, those that run are asked to stop, teardowns
run as their join says, and with the last node the run ends as was decided.

A graph inside of one that goes on winds down also without teardowns, as long as something of it
runs: what comes after it in the graph around begins when nothing of it works any more.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence

from rota.engine.graphs.failure_modes import Halt, halt
from rota.engine.graphs.graph_run import GraphRun, courses
from rota.engine.graphs.nodes.rows import END, DecidedEnd, NodeRows, decide, decided
from rota.engine.graphs.propagation import Propagation
from rota.engine.graphs.restart import go_on
from rota.model.run import Verdict
from rota.model.states import State
from rota.store.base import Tx

_NEEDED = ("success", "active")
"""States of a setup, or of what it is for: there is, or may be, something to clear away."""
_BECAUSE = {"cancel": "the run was cancelled", "founder": "the run was given up"}


def wind_down(
    tx: Tx, verdicts: Sequence[Verdict], *, namespace: str
) -> tuple[set[str], list[Verdict]]:
    """The runs among these that do not end yet, and the verdicts that follow for their nodes.

    A run that winds down already goes on doing so: what was decided first counts.
    """
    begun = _open(tx, {each.run_id for each in verdicts} | _around(verdicts))
    ids = begun.intersection(each.run_id for each in verdicts)
    known = courses(tx, sorted(ids), namespace=namespace) if ids else {}
    board = NodeRows(tx)
    awaited = {each.run_id for each in verdicts if each.parent_id in begun}
    clearing = {
        each
        for each, course in known.items()
        if _clears(tx, board, course, namespace) or (each in awaited and _works(tx, course))
    }
    if not clearing:
        return set(), []
    fences = {
        str(row["id"]): row["fence"]
        for row in tx.all("lock_graphs", ids=json.dumps(sorted(clearing)))
    }
    mine = {each.run_id: each for each in verdicts if fences.get(each.run_id) == each.fence}
    step = Propagation(tx, known, namespace=namespace, board=board)
    for run_id in sorted(mine.keys() & clearing):
        _decide(step, known[run_id], mine[run_id])
    return mine.keys() & clearing, go_on(tx, step, namespace=namespace)


def _around(verdicts: Iterable[Verdict]) -> set[str]:
    return {each.parent_id for each in verdicts if each.parent_id is not None}


def _works(tx: Tx, course: GraphRun) -> bool:
    """Whether something of it runs: a graph around it that goes on must not take it for ended."""
    rows = tx.all("live_children", ids=json.dumps([course.graph_id]))
    return any(row["state"] in (State.RUNNING, State.SUSPENDED) for row in rows)


def _decide(step: Propagation, course: GraphRun, verdict: Verdict) -> None:
    """No other node starts but teardowns, and the run ends as the verdict says."""
    graph_id = course.graph_id
    step.board.lock_waiting(graph_id)
    step.board.lock([(graph_id, END)])
    end = step.board.rows[graph_id, END]
    is_cancel = verdict.verb == "cancel"
    step.tx.execute(
        "note_winding_down",
        id=graph_id,
        fence=verdict.fence,
        is_cancel=is_cancel,
        reason=verdict.reason,
    )
    if decided(end.result) is not None:
        return
    was_paused = end.state == "paused"
    decide(end, DecidedEnd(verb="cancel" if is_cancel else "founder", reason=verdict.reason))
    step.board.change(end)
    because = _BECAUSE[verdict.verb]
    words = Halt(
        unstarted=f"not started: {because}", stopped=f"cancelled: {because}", spares=("teardown",)
    )
    halt(step, course, words, was_paused=was_paused)


def _clears(tx: Tx, board: NodeRows, course: GraphRun, namespace: str) -> bool:
    """Whether it, or a graph inside of it, has a teardown that may have something to do."""
    if any(_is_due(board, course, name) for name in course.shape.teardowns):
        return True
    inner = _begun(tx, _inner(tx, course), namespace)
    return any(_clears(tx, NodeRows(tx), each, namespace) for each in inner.values())


def _is_due(board: NodeRows, course: GraphRun, name: str) -> bool:
    setups = course.shape.plan.nodes[name].node.setups
    board.lock((course.graph_id, each) for each in (name, *setups))
    row = board.rows.get((course.graph_id, name))
    if row is None or row.is_final:
        return False
    states = [board.rows[course.graph_id, each].state for each in setups]
    return not states or any(state in _NEEDED for state in states)


def _inner(tx: Tx, course: GraphRun) -> list[str]:
    """The runs of its nodes that are graphs and have begun."""
    if not course.shape.inner:
        return []
    rows = tx.all("live_children", ids=json.dumps([course.graph_id]))
    return [str(row["id"]) for row in rows if row["state"] == State.SUSPENDED]


def _begun(tx: Tx, run_ids: Collection[str], namespace: str) -> dict[str, GraphRun]:
    """Those that are runs of graphs, and have begun and not ended."""
    open_ones = sorted(_open(tx, run_ids))
    return courses(tx, open_ones, namespace=namespace) if open_ones else {}


def _open(tx: Tx, run_ids: Collection[str]) -> set[str]:
    if not run_ids:
        return set()
    rows = tx.all("open_graphs", ids=json.dumps(sorted(run_ids)))
    return {str(row["graph_id"]) for row in rows}
