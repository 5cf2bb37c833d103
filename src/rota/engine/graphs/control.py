"""Graph control: pause, resume and rerun runs of graphs, and mark how a node ended."""

from __future__ import annotations

import json
from typing import Literal, NamedTuple

import msgspec

from rota.engine.admission.release import release
from rota.engine.failures.redrive import RedrivePair
from rota.engine.graphs.failure_modes import Halt, stop
from rota.engine.graphs.graph_run import GraphRun, graph_runs, shape_of
from rota.engine.graphs.nodes.rows import END, NodeRow, decided
from rota.engine.graphs.nodes.start import PAUSED
from rota.engine.graphs.propagation import Propagation
from rota.engine.graphs.redo import after_these, continued, existing, is_undone, moved
from rota.engine.graphs.restart import go_on
from rota.engine.graphs.shape import GraphShape
from rota.engine.graphs.stopping import Stopping, is_stopping, stopping_of
from rota.engine.runs.find import find
from rota.engine.runs.finish import finish
from rota.engine.runs.rerun import close_letters, repeated
from rota.engine.runs.submit import submit
from rota.engine.values.result_cache import freshened
from rota.errors import BadGraph, NotAllowed
from rota.model.graphs.graph import ASIDE
from rota.model.states import FINAL, State
from rota.model.view import plain_text
from rota.rules.graphs.joins import Ending
from rota.rules.text.checks import hint
from rota.store.base import Tx

Part = Literal["all", "failed", "from", "only"]
"""The part that a rerun repeats: every node, the failed nodes and all nodes after them, a named
node and all nodes after it, or the named node alone."""


def pause(tx: Tx, run_id: str, *, namespace: str) -> int | None:
    """Start no other node until the run is resumed; nodes that run may end.

    Returns the number of waiting runs that are held back; None if the run was already paused.
    """
    propagation, _ = _begun(tx, run_id, namespace)
    propagation.node_rows.lock([(run_id, END)])
    end = propagation.node_rows.rows[run_id, END]
    if end.state == "paused":
        return None
    if decided(end.result) is not None:
        raise NotAllowed(f"run {run_id} is being ended: its teardowns run; nothing to pause")
    if end.state != "open":
        raise NotAllowed(f"run {run_id} has a failed node and starts no others; nothing to pause")
    end.state = "paused"
    propagation.node_rows.change(end)
    for row in propagation.node_rows.lock_waiting(run_id):
        if row.state == "pending":
            row.state = "held"
        elif row.state == "active" and row.width is not None and not is_stopping(row):
            row.reason = PAUSED
        propagation.node_rows.change(row)
    propagation.node_rows.flush()
    return tx.execute("hold_runs", ids=json.dumps(_children(tx, run_id)))


def resume(tx: Tx, run_id: str, *, namespace: str) -> bool:
    """Resume a paused run where it stopped; False if it was not paused."""
    propagation, graph_run = _begun(tx, run_id, namespace)
    propagation.node_rows.lock([(run_id, END)])
    end = propagation.node_rows.rows[run_id, END]
    if end.state != "paused":
        return False
    end.state = "open"
    propagation.node_rows.change(end)
    for row in propagation.node_rows.lock_waiting(run_id):
        if row.state == "held":
            row.state = "pending"
        elif row.state == "ready":
            row.state = "pending"
            propagation.starts.allow(graph_run, row)
        elif row.reason == PAUSED:
            row.reason = None
            propagation.starts.refill(graph_run, row)
        propagation.node_rows.change(row)
    verdicts = go_on(tx, propagation, namespace=namespace)
    release(tx, runs=_children(tx, run_id))
    if verdicts:
        finish(tx, verdicts, namespace=namespace)
    return True


class GraphRerun(NamedTuple):
    """The nodes and the dead letter that a rerun of a graph took over."""

    kept: int
    """The number of nodes that it does not repeat."""
    closed: list[str]
    """The old run, if this closed its dead letter."""


def mark(tx: Tx, run_id: str, name: str, ending: Ending, *, namespace: str, reason: str) -> None:
    """Decide how an unfinished node ends: stop its runs, then end it with this ending and reason.

    A node that is marked a second time ends at once, even if a handler still works; so does a
    teardown or a notify. Nobody has to wait for a handler that does not stop.
    """
    propagation, graph_run = _begun(tx, run_id, namespace)
    _check_node(graph_run.shape, name)
    tx.all("live_children", ids=json.dumps([run_id]))  # locked before the nodes, as by a finish
    propagation.node_rows.lock([(run_id, name)])
    row = propagation.node_rows.rows[run_id, name]
    if row.is_final:
        raise NotAllowed(f"node {name} has ended as {row.state}; rerun the graph from it")
    words = Halt("", f"cancelled: its node was marked as {ending}", spares=())
    before = stopping_of(row)
    is_aside = graph_run.shape.plan.nodes[name].node.kind in ASIDE
    stop(
        propagation,
        row,
        Stopping(ending=ending, reason=reason, is_marked=True),
        words,
        waits=not is_aside and not (before and before.is_marked),
    )
    verdicts = go_on(tx, propagation, namespace=namespace)
    if verdicts:
        finish(tx, verdicts, namespace=namespace)


def rerun_graph(  # noqa: PLR0913  # what to run again, and as whom, all named
    tx: Tx,
    run_id: str,
    *,
    namespace: str,
    new_id: str,
    who: str,
    part: Part = "all",
    node: str | None = None,
    args: str | None = None,
) -> GraphRerun:
    """Submit a new run, linked to an ended one, that keeps the nodes it need not repeat.

    Like any rerun, it closes an open dead letter of the old run. A request that is sent twice with
    the same new id makes one run.
    """
    old = find(tx, run_id, namespace=namespace)
    if old.state not in FINAL:
        raise NotAllowed(f"run {run_id} is {old.state}; only an ended run can be run again")
    shape = shape_of(tx, old.job, old.version, namespace=namespace)
    rows = existing(tx, run_id)
    redone = _redone(shape, rows, part, node)
    if not redone:
        raise NotAllowed(f"no node of run {run_id} failed; rerun all of it, or name a node")
    policy = freshened(plain_text(old.policy))
    fresh = repeated(old, id=new_id, policy=policy, args=args or str(old.args))
    submit(tx, [fresh], namespace=namespace, is_repeat=True)
    is_same = part == "failed" and args in (None, old.args)
    parts = continued(shape, rows) if is_same else {}
    kept = moved(new_id, rows, redone, parts)
    tx.execute("insert_nodes", batch=msgspec.json.encode(kept).decode())
    closed = close_letters(tx, [RedrivePair(old.id, new_id)], namespace=namespace, who=who)
    return GraphRerun(len(kept) - len(parts), closed)


def _redone(shape: GraphShape, rows: dict[str, NodeRow], part: Part, node: str | None) -> set[str]:
    everything = set(shape.plan.nodes)
    undone = {name for name, row in rows.items() if is_undone(row)} | (everything - rows.keys())
    if part == "all":
        return everything
    if part == "failed":
        return after_these(shape, undone)
    if node is None:
        raise BadGraph("name the node to run again")
    _check_node(shape, node)
    if part == "only":
        never = {name for name, row in rows.items() if not row.is_final}
        return {node, *never, *(everything - rows.keys())}
    return after_these(shape, [node])


def _check_node(shape: GraphShape, name: str) -> None:
    if name not in shape.plan.nodes:
        graph = shape.graph.name
        raise BadGraph(f"graph {graph!r} has no node {name!r:.64}.{hint(name, shape.plan.nodes)}")


def _children(tx: Tx, run_id: str) -> list[str]:
    """Lock the unfinished runs of a graph's nodes and return their ids."""
    rows = tx.all("live_children", ids=json.dumps([run_id]))
    return [str(row["id"]) for row in rows]


def _begun(tx: Tx, run_id: str, namespace: str) -> tuple[Propagation, GraphRun]:
    run = find(tx, run_id, namespace=namespace)
    if run.state is not State.SUSPENDED:
        raise NotAllowed(f"run {run_id} is {run.state}; this is for runs of graphs that go on")
    known = graph_runs(tx, [run_id], namespace=namespace)
    return Propagation(tx, known, namespace=namespace), known[run_id]
