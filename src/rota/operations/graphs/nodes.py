"""Operations on runs of graphs: the state of their nodes, and changes by people."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec.structs import replace

from rota.engine.graphs import control
from rota.engine.graphs.graph_run import find_spec, shape_of
from rota.engine.graphs.views.nodes import drawn, edges_of, is_paused, nodes, with_spans
from rota.engine.graphs.views.progress import progress_of_nodes
from rota.engine.graphs.views.timeline import timeline
from rota.model.graphs.run_nodes import NodeView, Progress, RunGraph, RunNodes
from rota.model.graphs.timeline import Timeline
from rota.model.jobs.spec import GraphTarget
from rota.model.runs.answers import RunState
from rota.model.runs.run import RunView
from rota.model.states import FINAL, State
from rota.model.view import Body
from rota.operations.caller import Caller
from rota.operations.operation import changes, nothing_changed, reads, tell
from rota.operations.runs.views import run_verbs
from rota.operations.runs.visible import visible_run
from rota.rules.graphs import taken_path
from rota.rules.graphs.joins import Ending
from rota.rules.graphs.progress import WAITS
from rota.store.base import Tx


class MarkBody(Body):
    """How a node is to have ended."""

    node: str
    ending: Literal["success", "failed", "skipped"] = msgspec.field(name="as")
    reason: str | None = None


@reads("/runs/{run_id}/timeline")
def show_timeline(tx: Tx, caller: Caller, run_id: str) -> Timeline:
    """When the nodes of a run waited and ran, attempt by attempt."""
    visible_run(tx, caller, run_id)
    return timeline(tx, run_id, namespace=caller.namespace)


@reads("/runs/{run_id}/nodes")
def show_nodes(tx: Tx, caller: Caller, run_id: str) -> RunNodes:
    """Where each node of a run stands, how far the run is, and what decides when it ends."""
    run = visible_run(tx, caller, run_id)
    begun = nodes(tx, run_id, namespace=caller.namespace)
    progress = progress_of_nodes(tx, run, begun, namespace=caller.namespace)
    begun = with_spans(tx, run_id, begun)
    if run.state in FINAL:
        progress = replace(progress, critical_path=_taken(begun))
    paused = is_paused(tx, run_id)
    return RunNodes(
        graph=_graph(tx, caller, run, begun, progress),
        paused=paused,
        progress=progress,
        verbs=run_verbs(run, caller, is_paused=paused),
    )


def _before(tx: Tx, caller: Caller, run_id: str, *_args: object, **_kwargs: object) -> RunView:
    return visible_run(tx, caller, run_id)


@changes("POST", "/runs/{run_id}/mark", verb="mark node", subject="run_id", before=_before)
def mark_node(tx: Tx, caller: Caller, run_id: str, body: MarkBody) -> RunState:
    """End a node that has not ended, with this ending; its runs are stopped."""
    visible_run(tx, caller, run_id)
    ending = Ending(body.ending)
    who, why = caller.actor.who, caller.actor.why
    reason = f"marked by {who}{f': {why}' if why else ''}"
    control.mark(tx, run_id, body.node, ending, namespace=caller.namespace, reason=reason)
    tell(tx, caller, **{"node": body.node, "as": body.ending})
    return _state(tx, caller, run_id)


@changes("POST", "/runs/{run_id}/pause", verb="pause run", subject="run_id", before=_before)
def pause_run(tx: Tx, caller: Caller, run_id: str, *, reason: str | None = None) -> RunState:  # noqa: ARG001  # for the audit
    """Pause a graph: no other node starts until it is resumed; running nodes may end."""
    visible_run(tx, caller, run_id)
    held = control.pause(tx, run_id, namespace=caller.namespace)
    tell(tx, caller, held=held)
    if held is None:
        nothing_changed(tx, caller)
    return _state(tx, caller, run_id)


@changes("POST", "/runs/{run_id}/resume", verb="resume run", subject="run_id", before=_before)
def resume_run(tx: Tx, caller: Caller, run_id: str, *, reason: str | None = None) -> RunState:  # noqa: ARG001  # for the audit
    """Resume a paused graph where it stopped."""
    visible_run(tx, caller, run_id)
    if not control.resume(tx, run_id, namespace=caller.namespace):
        nothing_changed(tx, caller)
    return _state(tx, caller, run_id)


def _state(tx: Tx, caller: Caller, run_id: str) -> RunState:
    return RunState(run_id=run_id, status=visible_run(tx, caller, run_id).state)


def _graph(
    tx: Tx, caller: Caller, run: RunView, begun: list[NodeView], progress: Progress
) -> RunGraph | None:
    spec = find_spec(tx, run.job, run.version, namespace=caller.namespace)
    if spec is None or not isinstance(spec.target, GraphTarget):
        return None
    plan = shape_of(tx, run.job, run.version, namespace=caller.namespace).plan
    critical = frozenset(progress.critical_path)
    found = drawn(plan, begun, critical)
    return RunGraph(nodes=[_offered(each, run, caller) for each in found], edges=edges_of(plan))


def _offered(node: NodeView, run: RunView, caller: Caller) -> NodeView:
    if run.state in FINAL:
        verbs = caller.may("rerun") if run.parent_id is None else ()
    else:
        may_mark = run.state is State.SUSPENDED and node.state in WAITS
        verbs = caller.may("mark") if may_mark else ()
    return replace(node, verbs=verbs) if verbs else node


def _taken(begun: list[NodeView]) -> tuple[str, ...]:
    """Return the path of a run: the nodes that decided when it ended."""
    ended = {each.name: each.finished_at.ms for each in begun if each.finished_at is not None}
    return tuple(taken_path({each.name: each.parents for each in begun}, ended))
