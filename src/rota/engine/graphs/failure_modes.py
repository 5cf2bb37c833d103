"""Failure modes: stop a run's nodes when a failure exceeds the graph's mode or tolerance."""

from __future__ import annotations

import json
from typing import NamedTuple, Protocol

from rota.engine.admission.release import release
from rota.engine.graphs.graph_run import GraphRun
from rota.engine.graphs.nodes.links import cancelled
from rota.engine.graphs.nodes.rows import END, TRIPPED, WAITING, NodeRow, NodeRows
from rota.engine.graphs.nodes.start import PAUSED, NodeStarts
from rota.engine.graphs.stopping import (
    Stopping,
    end_after_its_runs,
    has_live_instances,
    is_stopping,
)
from rota.engine.wakeup_keys import worker_key
from rota.model.graphs.graph import ASIDE, Kind
from rota.model.runs.run import ErrorDetail, Verdict
from rota.model.states import State
from rota.rules.graphs.joins import Ending
from rota.rules.graphs.outcome import REACTIONS
from rota.store.base import Tx

_BEGUN = (State.RUNNING, State.SUSPENDED)
"""The states of a node's run in which its handler, or the nodes of its graph, may work."""


class Halt(NamedTuple):
    """The reasons, shown to people, why nodes do not start or do not go on."""

    unstarted: str
    stopped: str
    stops_running: bool = True
    spares: tuple[Kind, ...] = ASIDE
    """The kinds of nodes that start and go on all the same."""


class EndingNodes(Protocol):
    """The part of a propagation that this module uses."""

    tx: Tx
    node_rows: NodeRows
    starts: NodeStarts
    graph_runs: dict[str, GraphRun]
    verdicts: list[Verdict]

    def end(
        self,
        row: NodeRow,
        ending: Ending,
        reason: str | None = None,
        error: ErrorDetail | None = None,
    ) -> None: ...


_FAILED = Halt("not started: another node failed", "cancelled: another node of its graph failed")


def fail_fast(propagation: EndingNodes, graph_run: GraphRun, failed: NodeRow) -> None:
    """Halt a run at its first failure if the graph's mode lets no other nodes start.

    The failure of a teardown counts only if it sets `fails_run`; that of a notify never counts.
    """
    reaction = REACTIONS[graph_run.shape.graph.mode]
    graph_id = graph_run.graph_id
    node = graph_run.shape.plan.nodes[failed.name].node
    if reaction.starts_others or (node.kind in ASIDE and not node.fails_run):
        return
    propagation.node_rows.lock([(graph_id, END)])
    end = propagation.node_rows.rows[graph_id, END]
    if end.state == TRIPPED:
        return
    was_paused = end.state == "paused"
    end.state, end.reason = TRIPPED, failed.name
    propagation.node_rows.change(end)
    words = _FAILED._replace(
        unstarted=f"not started: node {failed.name} failed", stops_running=reaction.cancels_running
    )
    halt(propagation, graph_run, words, but=failed.name, was_paused=was_paused)


def halt(
    propagation: EndingNodes, graph_run: GraphRun, words: Halt, *, but: str = "", was_paused: bool
) -> None:
    """Start no more nodes of the run except the spared kinds, even if the run was paused."""
    graph_id = graph_run.graph_id
    for row in propagation.node_rows.lock_waiting(graph_id):
        if row.is_final:
            continue
        if graph_run.shape.plan.nodes[row.name].node.kind in words.spares:
            if was_paused:
                _wake(propagation, graph_run, row)
        elif row.state != "active":
            propagation.end(row, Ending.SKIPPED, words.unstarted)
        elif row.width is not None and (row.made or 0) < row.width and not is_stopping(row):
            how = Stopping(ending=Ending.FAILED, reason=words.unstarted)
            # If the run is paused, the node may have no live instances.
            end_after_its_runs(propagation, row, how, waits=has_live_instances(row))
    if was_paused:
        _unblock(propagation, graph_run, words)
    stop_runs(propagation, graph_id, words, but=but)


def _wake(propagation: EndingNodes, graph_run: GraphRun, row: NodeRow) -> None:
    """Let a spared node of a paused run go on, as a resume would."""
    if row.state in ("held", "ready"):
        was_ready = row.state == "ready"
        row.state = "pending"
        if was_ready:
            propagation.starts.allow(graph_run, row)
    elif row.reason == PAUSED:
        row.reason = None
        propagation.starts.refill(graph_run, row)
    propagation.node_rows.change(row)


def _unblock(propagation: EndingNodes, graph_run: GraphRun, words: Halt) -> None:
    """Queue the runs of spared nodes that the pause held back."""
    children = propagation.tx.all("live_children", ids=json.dumps([graph_run.graph_id]))
    nodes = graph_run.shape.plan.nodes
    run_ids = [
        str(child["id"])
        for child in children
        if nodes[child["node"]].node.kind in words.spares and child["state"] == State.PENDING
    ]
    if run_ids:
        release(propagation.tx, runs=run_ids)


def stop(
    propagation: EndingNodes,
    row: NodeRow,
    how: Stopping,
    words: Halt = _FAILED,
    *,
    waits: bool = True,
) -> None:
    """Stop the runs of a node; the node ends as decided with its last run, or at once."""
    works = stop_runs(propagation, row.graph_id, words, only=row.name)
    if row.width is not None:
        works = has_live_instances(row)
    has_begun = row.state not in (*WAITING, "ready")
    end_after_its_runs(propagation, row, how, waits=waits and works and has_begun)


def stop_runs(
    propagation: EndingNodes,
    graph_id: str,
    words: Halt = _FAILED,
    *,
    only: str | None = None,
    but: str = "",
) -> bool:
    """End the node runs that have not started, and ask the running ones to stop.

    Returns whether any of them had begun. A node with live runs ends with them; a graph inside it
    may have teardowns to run first.
    """
    propagation.node_rows.flush()
    shape = propagation.graph_runs[graph_id].shape
    running_ids: list[str] = []
    works = False
    for child in propagation.tx.all("live_children", ids=json.dumps([graph_id])):
        name = child["node"]
        is_spared = shape.plan.nodes[name].node.kind in words.spares
        if is_spared or name == but or (only is not None and name != only):
            continue
        works = works or child["state"] in _BEGUN
        if child["state"] not in _BEGUN:
            propagation.verdicts.append(cancelled(child, words.stopped))
            row = propagation.node_rows.rows.get((graph_id, name))
            is_whole = row is not None and row.state == "active" and row.width is None
            if row is not None and is_whole and only is None:
                propagation.end(row, Ending.SKIPPED, words.unstarted)
        elif words.stops_running and child["state"] == State.SUSPENDED:
            propagation.verdicts.append(cancelled(child, words.stopped))
        elif words.stops_running:
            running_ids.append(str(child["id"]))
            propagation.tx.notify((worker_key(str(child["worker_id"])),))
    if running_ids:
        propagation.tx.execute("request_cancels", ids=json.dumps(running_ids), reason=words.stopped)
    return works
