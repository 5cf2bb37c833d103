"""Operations on graphs: their nodes, and the results of their last runs, node by node."""

from __future__ import annotations

from typing import Annotated

import msgspec

from rota.engine.graphs.graph_run import find_spec, shape_of
from rota.engine.graphs.views.grid import grid
from rota.engine.graphs.views.nodes import edges_of
from rota.engine.jobs.definitions import JobView
from rota.engine.jobs.views import Activity, activity
from rota.errors import UnknownJob, UnknownVersion
from rota.model.graphs.definition import GraphItem, GraphView, Grid, MapDefinition, NodeDefinition
from rota.model.graphs.graph import Map
from rota.model.jobs.spec import GraphTarget, JobSpec
from rota.model.view import Page
from rota.operations.caller import Caller
from rota.operations.jobs.job_views import job_facts, job_verbs
from rota.operations.jobs.visible import job_page, visible_job
from rota.operations.operation import reads
from rota.operations.paging import PAGE, Limit
from rota.rules.graphs import GraphPlan, Planned
from rota.rules.jobs.parameter_schema import schema_of
from rota.store.base import Tx

SHOWN, MOST_RUNS = 30, 200
"""Runs in a grid."""
MOST_VERSIONS = 2**31 - 1


@reads("/graphs")
def list_graphs(
    tx: Tx, caller: Caller, *, cursor: str | None = None, limit: Limit = PAGE
) -> Page[GraphItem]:
    """By name; `cursor` is the `next` of the page before."""
    page, following = job_page(tx, caller, cursor=cursor, limit=limit, only_graphs=True)
    lately = activity(tx, [each.name for each in page], namespace=caller.namespace)
    return Page(items=[_item(each, lately[each.name], caller) for each in page], next=following)


@reads("/graphs/{graph}")
def show_graph(
    tx: Tx,
    caller: Caller,
    graph: str,
    *,
    version: Annotated[int | None, msgspec.Meta(ge=1, le=MOST_VERSIONS)] = None,
) -> GraphView:
    """The definition of a graph, or of an older version of it."""
    job = _visible_graph(tx, caller, graph)
    wanted = version or job.version
    spec = _spec(tx, caller, job, wanted)
    plan = shape_of(tx, job.name, wanted, namespace=caller.namespace).plan
    return _view(msgspec.structs.replace(job, version=wanted, spec=spec), plan, caller)


@reads("/graphs/{graph}/grid")
def show_grid(
    tx: Tx,
    caller: Caller,
    graph: str,
    *,
    runs: Annotated[int, msgspec.Meta(ge=1, le=MOST_RUNS)] = SHOWN,
) -> Grid:
    """Its last runs beside each other: where each node of each of them stands."""
    job = _visible_graph(tx, caller, graph)
    at = {"namespace": caller.namespace}
    return grid(tx, job.name, job.version, limit=runs, sees=caller.sees, **at)


def _visible_graph(tx: Tx, caller: Caller, name: str) -> JobView:
    """Return the graph, if it exists for the caller; a job of another kind is not one."""
    job = visible_job(tx, caller, name)
    if not isinstance(job.spec.target, GraphTarget):
        raise UnknownJob(name)
    return job


def _spec(tx: Tx, caller: Caller, job: JobView, version: int) -> JobSpec:
    spec = find_spec(tx, job.name, version, namespace=caller.namespace)
    if spec is None or not isinstance(spec.target, GraphTarget):
        raise UnknownVersion(job.name, version)
    return spec


def _item(job: JobView, lately: Activity, caller: Caller) -> GraphItem:
    assert isinstance(job.spec.target, GraphTarget)  # noqa: S101  # only those are listed
    graph = job.spec.target.graph
    return GraphItem(
        **job_facts(job, lately, caller.credential),
        description=graph.description,
        nodes=len(graph.nodes),
        paused_runs=lately.paused,
    )


def _view(job: JobView, plan: GraphPlan, caller: Caller) -> GraphView:
    graph = plan.graph
    return GraphView(
        name=job.name,
        version=job.version,
        description=graph.description,
        origin=job.origin,
        queue=job.spec.queue,
        mode=graph.mode,
        timeout=graph.timeout,
        retries=graph.retries,
        max_nodes=graph.max_nodes,
        max_runs=graph.max_runs,
        depends_on_past=graph.depends_on_past,
        parameters=schema_of(job.spec),
        nodes=[_node(each) for each in plan.nodes.values()],
        edges=edges_of(plan),
        verbs=job_verbs(job, caller.credential),
    )


def _node(planned: Planned) -> NodeDefinition:
    node = planned.node
    return NodeDefinition(
        name=node.name,
        job=node.job or node.graph or "",
        is_graph=node.graph is not None,
        group=node.group,
        kind=node.kind,
        join=planned.join,
        when=node.when,
        map=None if node.map is None else _map(node.map),
        level=planned.level,
        retries=node.retries,
        timeout=node.timeout,
    )


def _map(mapped: Map) -> MapDefinition:
    return MapDefinition(
        over=mapped.over,
        batch=mapped.batch,
        concurrency=mapped.concurrency,
        tolerate=mapped.tolerate,
    )
