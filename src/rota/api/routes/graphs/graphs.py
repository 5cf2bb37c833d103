"""Graphs: what they are made of, and how their last runs went, node by node."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from litestar import get
from litestar.params import FromPath, FromQuery, QueryParameter

from rota.api.identity.authorization import needs
from rota.api.routes.runs.documents import Status, origin_of, status_of
from rota.api.server.documents import Document, Moment, then, when
from rota.api.server.edge import named
from rota.api.server.request import ApiRequest
from rota.engine.graphs.graph_run import find_spec, shape_of
from rota.engine.graphs.views.grid import grid
from rota.engine.graphs.views.nodes import edges_of
from rota.engine.jobs.definitions import JobView
from rota.engine.jobs.views import activity
from rota.errors import UnknownJob, UnknownVersion
from rota.model.graph import Join, Kind, Mode
from rota.model.graphs.run_nodes import GraphEdge
from rota.model.jobs.job import JobItem
from rota.model.run import RunView
from rota.model.spec import GraphTarget
from rota.model.view import Page
from rota.operations.jobs.job_views import job_facts, job_verbs
from rota.operations.jobs.visible import job_page, visible_job
from rota.operations.paging import MOST, PAGE
from rota.rules.graphs import Plan, Planned
from rota.rules.jobs.parameter_schema import schema_of
from rota.store.base import Tx

Limit = Annotated[int, QueryParameter(ge=1, le=MOST)]
SHOWN, MOST_RUNS = 30, 200
"""Runs in a grid."""


class GraphItem(JobItem, frozen=True):
    """A graph in a list."""

    description: str
    nodes: int
    paused_runs: int
    """Runs that somebody has paused; `running` counts those whose nodes go on."""


class MapDocument(Document):
    """How a mapped node makes its instances."""

    over: Any
    batch: int
    concurrency: int | None
    tolerate: int | str


class NodeDocument(Document):
    """A node as it is defined."""

    name: str
    job: str
    """Or the graph that stands there."""
    is_graph: bool
    group: str | None
    kind: Kind
    join: Join
    when: str | None
    map: MapDocument | None
    level: int
    """0 for a node without parents."""
    retries: int | None
    timeout: str | None


class GraphDocument(Document):
    """A graph as it is defined."""

    name: str
    version: int
    description: str
    origin: str
    queue: str
    mode: Mode
    timeout: str | None
    retries: int
    max_nodes: int | None
    max_runs: int | None
    depends_on_past: bool
    parameters: dict[str, Any]
    """As JSON Schema."""
    nodes: list[NodeDocument]
    """Parents first."""
    edges: list[GraphEdge]
    verbs: list[str]


class GridRun(Document):
    """A column of a grid."""

    run_id: str = msgspec.field(name="executionId")
    state: Status
    version: int
    scheduled_for: Moment | None
    created_at: Moment
    started_at: Moment | None
    finished_at: Moment | None


class GridDocument(Document):
    """The last runs of a graph beside each other."""

    runs: list[GridRun]
    """The newest first."""
    nodes: list[str]
    cells: dict[str, dict[str, str]]
    """State by run and node; a run that has not begun has none."""


@get("/graphs", **needs("viewer"))
async def list_graphs(
    request: ApiRequest, cursor: FromQuery[str | None] = None, limit: Limit = PAGE
) -> Page[GraphItem]:
    """By name; `cursor` is the `next` of the page before."""

    def look(tx: Tx) -> Page[GraphItem]:
        page, following = job_page(tx, request.caller, cursor=cursor, limit=limit, only_graphs=True)
        lately = activity(tx, [each.name for each in page], namespace=request.namespace)
        items = [
            GraphItem(
                **job_facts(each, lately[each.name], request.credential),
                description=_target(each).graph.description,
                nodes=len(_target(each).graph.nodes),
                paused_runs=lately[each.name].paused,
            )
            for each in page
        ]
        return Page(items=items, next=following)

    return await request.read(look)


@get("/graphs/{graph:str}", **needs("viewer"))
async def show_graph(
    request: ApiRequest,
    graph: FromPath[str],
    version: Annotated[int | None, QueryParameter(ge=1, le=2**31 - 1)] = None,
) -> GraphDocument:
    """What a graph is made of; of an older version if one is named."""

    def look(tx: Tx) -> GraphDocument:
        view = reached_graph(tx, request, named(graph))
        wanted = version or view.version
        return _document(view, wanted, _plan(tx, view, wanted, request), request)

    return await request.read(look)


@get("/graphs/{graph:str}/grid", **needs("viewer"))
async def show_grid(
    request: ApiRequest,
    graph: FromPath[str],
    runs: Annotated[int, QueryParameter(ge=1, le=MOST_RUNS)] = SHOWN,
) -> GridDocument:
    """Its last runs beside each other: where each node of each of them stands."""

    def look(tx: Tx) -> GridDocument:
        view = reached_graph(tx, request, named(graph))
        found = grid(tx, view.name, view.version, namespace=request.namespace, limit=runs)
        mine = [run for run in found.runs if request.credential.reaches(run.queue)]
        return GridDocument(
            runs=[_grid_run(run) for run in mine],
            nodes=found.nodes,
            cells={run.id: found.cells[run.id] for run in mine},
        )

    return await request.read(look)


def reached_graph(tx: Tx, request: ApiRequest, name: str) -> JobView:
    """The graph, if the credential reaches it; a job of another kind is not one."""
    view = visible_job(tx, request.caller, name)
    if not isinstance(view.spec.target, GraphTarget):
        raise UnknownJob(name)
    return view


def node_document(planned: Planned) -> NodeDocument:
    node = planned.node
    return NodeDocument(
        name=node.name,
        job=node.job or node.graph or "",
        is_graph=node.graph is not None,
        group=node.group,
        kind=node.kind,
        join=planned.join,
        when=node.when,
        map=None
        if node.map is None
        else MapDocument(
            over=node.map.over,
            batch=node.map.batch,
            concurrency=node.map.concurrency,
            tolerate=node.map.tolerate,
        ),
        level=planned.level,
        retries=node.retries,
        timeout=node.timeout,
    )


def _plan(tx: Tx, view: JobView, version: int, request: ApiRequest) -> Plan:
    spec = find_spec(tx, view.name, version, namespace=request.namespace)
    if spec is None or not isinstance(spec.target, GraphTarget):
        raise UnknownVersion(view.name, version)
    return shape_of(tx, view.name, version, namespace=request.namespace).plan


def _document(view: JobView, version: int, plan: Plan, request: ApiRequest) -> GraphDocument:
    graph = plan.graph
    return GraphDocument(
        name=view.name,
        version=version,
        description=graph.description,
        origin=view.origin,
        queue=view.spec.queue,
        mode=graph.mode,
        timeout=graph.timeout,
        retries=graph.retries,
        max_nodes=graph.max_nodes,
        max_runs=graph.max_runs,
        depends_on_past=graph.depends_on_past,
        parameters=schema_of(view.spec),
        nodes=[node_document(each) for each in plan.nodes.values()],
        edges=edges_of(plan),
        verbs=[*job_verbs(view, request.credential)],
    )


def _grid_run(run: RunView) -> GridRun:
    origin = origin_of(run)
    return GridRun(
        run_id=run.id,
        state=status_of(run.state),
        version=run.version,
        scheduled_for=when(origin.scheduled_for) if origin else None,
        created_at=then(run.created_at),
        started_at=when(run.started_at),
        finished_at=when(run.finished_at),
    )


def _target(view: JobView) -> GraphTarget:
    assert isinstance(view.spec.target, GraphTarget)  # noqa: S101  # only those are listed
    return view.spec.target


ROUTES = (list_graphs, show_graph, show_grid)
