"""Runs of graphs: where their nodes stand, and what people do to them."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from litestar import get, post
from litestar.params import FromPath, JSONBody

from rota.api.identity.authorization import needs
from rota.api.routes.graphs.graphs import edges_of
from rota.api.routes.graphs.node_documents import (
    NodesDocument,
    RunGraph,
    node_document,
    progress_document,
)
from rota.api.routes.runs.bodies import ReasonBody
from rota.api.server.request import ApiRequest
from rota.engine.graphs.control import mark, pause, resume
from rota.engine.graphs.graph_run import find_spec, shape_of
from rota.engine.graphs.views.nodes import NodeView, is_paused, nodes, with_spans
from rota.engine.graphs.views.progress import progress_of_nodes
from rota.engine.identity.audit_log import Actor
from rota.model.run import RunView
from rota.model.runs.answers import RunState
from rota.model.spec import GraphTarget
from rota.model.states import FINAL
from rota.model.view import Body
from rota.operations.runs.views import run_verbs
from rota.operations.runs.visible import visible_run
from rota.rules.graphs import taken_path
from rota.rules.graphs.joins import Ending
from rota.rules.graphs.progress import Progress
from rota.store.base import Tx


class MarkBody(Body):
    """How a node is to have ended."""

    node: str
    ending: Literal["success", "failed", "skipped"] = msgspec.field(name="as")
    reason: str | None = None


@get("/runs/{run_id:str}/nodes", **needs("viewer"))
async def show_nodes(request: ApiRequest, run_id: FromPath[str]) -> NodesDocument:
    """Where each node of a run stands, how far the run is, and what decides when it ends."""

    def look(tx: Tx) -> NodesDocument:
        run = visible_run(tx, request.caller, run_id)
        found = nodes(tx, run_id, namespace=request.namespace)
        progress = progress_of_nodes(tx, run, found, namespace=request.namespace)
        found = with_spans(tx, run_id, found)
        if run.state in FINAL:
            progress = msgspec.structs.replace(progress, critical_path=_taken(found))
        held = is_paused(tx, run_id)
        return NodesDocument(
            graph=_graph(tx, request, run, found, progress),
            paused=held,
            progress=progress_document(progress),
            verbs=[*run_verbs(run, request.caller, is_paused=held)],
        )

    return await request.read(look)


@post("/runs/{run_id:str}/mark", **needs("operator", changes=True), status_code=200)
async def mark_node(
    request: ApiRequest, run_id: FromPath[str], data: JSONBody[MarkBody]
) -> RunState:
    """Say how a node has ended that has not; what it is doing is stopped."""

    def say(tx: Tx, by: Actor) -> None:
        mark(tx, run_id, data.node, Ending(data.ending), namespace=request.namespace, by=by)

    detail = {"node": data.node, "as": data.ending}
    return await _act(request, "mark node", run_id, say, why=data.reason or "", detail=detail)


@post("/runs/{run_id:str}/pause", **needs("operator", changes=True), status_code=200)
async def pause_run(
    request: ApiRequest, run_id: FromPath[str], data: JSONBody[ReasonBody | None] = None
) -> RunState:
    """Of a graph: start no other node until it is resumed; those that run may end."""

    def hold(tx: Tx, by: Actor) -> None:
        pause(tx, run_id, namespace=request.namespace, by=by)

    return await _act(request, "pause run", run_id, hold, why=_reason(data))


@post("/runs/{run_id:str}/resume", **needs("operator", changes=True), status_code=200)
async def resume_run(
    request: ApiRequest, run_id: FromPath[str], data: JSONBody[ReasonBody | None] = None
) -> RunState:
    """Go on where it was paused."""

    def let_go(tx: Tx, by: Actor) -> None:
        resume(tx, run_id, namespace=request.namespace, by=by)

    return await _act(request, "resume run", run_id, let_go, why=_reason(data))


async def _act(
    request: ApiRequest,
    verb: str,
    run_id: str,
    work: Any,
    *,
    why: str,
    detail: dict[str, Any] | None = None,
) -> RunState:
    def change(tx: Tx, by: Actor) -> RunState:
        visible_run(tx, request.caller, run_id)
        work(tx, by)
        state = visible_run(tx, request.caller, run_id).state
        return RunState(run_id=run_id, status=state)

    return await request.change(
        verb,
        run_id,
        change,
        answers=RunState,
        before=lambda tx: visible_run(tx, request.caller, run_id),
        detail=detail,
        why=why,
    )


def _graph(
    tx: Tx, request: ApiRequest, run: RunView, found: list[NodeView], progress: Progress
) -> RunGraph | None:
    spec = find_spec(tx, run.job, run.version, namespace=request.namespace)
    if spec is None or not isinstance(spec.target, GraphTarget):
        return None
    plan = shape_of(tx, run.job, run.version, namespace=request.namespace).plan
    known = {each.name: each for each in found}
    critical = frozenset(progress.critical_path)
    may_act = request.credential.has("operator")
    return RunGraph(
        nodes=[
            node_document(planned, known.get(name), run, critical, may_act=may_act)
            for name, planned in plan.nodes.items()
        ],
        edges=edges_of(plan),
    )


def _taken(found: list[NodeView]) -> tuple[str, ...]:
    ended = {each.name: each.finished_at for each in found if each.finished_at is not None}
    return tuple(taken_path({each.name: each.parents for each in found}, ended))


def _reason(data: ReasonBody | None) -> str:
    return (data.reason if data else None) or ""


ROUTES = (show_nodes, mark_node, pause_run, resume_run)
