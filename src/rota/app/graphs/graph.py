"""Graphs in Python: a function whose calls of jobs are the nodes.

Outside a graph, jobs and graphs are plain functions.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, get_args

import msgspec

from rota.app.graphs.node import UsableAsNode
from rota.app.graphs.plain import calling
from rota.app.graphs.refs import Ref, value_of
from rota.app.graphs.trace import duration_text, tracing
from rota.app.jobs.job import Define, Job, Submission
from rota.app.run import Run
from rota.app.within import Within
from rota.app.workers.handler_resolver import reference
from rota.errors import BadGraph, BadInput, BadOption
from rota.model.graphs.graph import Graph, Mode, Parameter
from rota.model.jobs.spec import GraphTarget, JobSpec
from rota.model.runs.run import NewRun
from rota.rules.graphs import GraphPlan, expand, plan_graph
from rota.rules.graphs.inner_options import check_inner_options
from rota.rules.graphs.options import read_graph
from rota.rules.graphs.references import NOTHING, mentions, resolve
from rota.rules.graphs.types import facts_of
from rota.rules.jobs.options import GRAPH_RUN_OPTIONS, TIMING_OPTIONS, job_options
from rota.rules.jobs.signature import Signature
from rota.rules.text.checks import hint, one_of
from rota.rules.text.names import check_name

if TYPE_CHECKING:
    from rota.app.app import App

P = ParamSpec("P")
R = TypeVar("R")
GRAPH_OPTIONS = frozenset(Graph.__struct_fields__) - {"name", "nodes", "parameters", "result"}
RUN_OPTIONS = TIMING_OPTIONS | GRAPH_RUN_OPTIONS | {"schedule"}
"""The options that a graph shares with any job."""


class TracedGraph(UsableAsNode[P, R]):
    """A graph of one app, made by its function; a plain call is a plain call."""

    target = "graph"

    def __init__(
        self, app: App, function: Callable[P, R], name: str | None, options: Mapping[str, Any]
    ) -> None:
        self.app = app
        self.name = check_name("graph", name or function.__name__)
        self.signature = Signature.of(function)
        self.function = function
        self._of_job = job_options(
            self.name, {key: each for key, each in options.items() if key in RUN_OPTIONS}
        )
        own = {key: each for key, each in options.items() if key not in RUN_OPTIONS}
        self._options = _graph_options(self.name, function, own)
        self._graph: Graph | None = None
        self._job: Job[P, R] | None = None
        functools.update_wrapper(self, function)

    def __repr__(self) -> str:
        return f"<Graph {self.name}>"

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Make a node inside another graph; elsewhere call the function, with jobs as functions."""
        return self.node()(*args, **kwargs)

    def plainly(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function; NotAllowed if only a run can decide the result."""
        with calling(plan_graph(self.graph)):
            return self.function(*args, **kwargs)

    @property
    def graph(self) -> Graph:
        """The graph as data; its function is called once, with references, to make it."""
        if self._graph is None:
            self._graph = self._trace()
        return self._graph

    @property
    def plan(self) -> GraphPlan:
        """Return the plan, checked against the jobs and graphs of the app.

        BadGraph names the node.
        """
        jobs = {name: facts_of(job.signature) for name, job in self.app.jobs.items()}
        graphs = self._with_inner()
        plan = plan_graph(self.graph, jobs=jobs, graphs=graphs)
        check_inner_options(self.graph)
        if len(graphs) > 1:
            expand(self.graph, graphs, jobs=jobs)
        self._check_literals(plan)
        return plan

    def _check_literals(self, plan: GraphPlan) -> None:
        """Check arguments that are all known in the way a submit would check them."""
        for name, planned in plan.nodes.items():
            node = planned.node
            if node.job is None or node.map is not None or any(mentions(node.args)):
                continue
            try:
                self.app.jobs[node.job].signature.bind((), resolve(node.args, NOTHING))
            except BadInput as error:
                raise BadGraph(f"graph {self.name!r}: node {name!r}: {error}") from error

    def _with_inner(self) -> dict[str, Graph]:
        """Return this graph and all within it; other graphs of the app are not traced."""
        graphs = {self.name: self.graph}
        waiting = [self.graph]
        while waiting:
            for name in {node.graph for node in waiting.pop().nodes if node.graph} - graphs.keys():
                if name in self.app.graphs:
                    graphs[name] = self.app.graphs[name].graph
                    waiting.append(graphs[name])
        return graphs

    @property
    def job(self) -> Job[P, R]:
        """The graph as a job, with versions, schedules and submits."""
        if self._job is None:
            spec = JobSpec(
                target=GraphTarget(graph=self.plan.graph),
                parameters=self.signature.parameters,
                schemas=self.signature.schemas or msgspec.UNSET,
                **self._of_job.spec_fields(),
            )
            schedules = self._of_job.schedules
            self._job = Job(self.app, spec, self.signature, None, schedules=schedules)
        return self._job

    def submit(self, *args: P.args, **kwargs: P.kwargs) -> Run[R]:
        """Ask for one run of the graph; when this returns, it is recorded on disk."""
        return self.job.submit(*args, **kwargs)

    def submit_many(self, calls: Iterable[Any]) -> list[Run[R]]:
        """Ask for many runs at once, all or none; the items are those of `Job.submit_many`."""
        return self.job.submit_many(calls)

    async def submit_async(self, *args: P.args, **kwargs: P.kwargs) -> Run[R]:
        """Submit as `submit` does, without blocking the event loop; see `Job.submit_async`."""
        return await self.job.submit_async(*args, **kwargs)

    async def submit_many_async(self, calls: Iterable[Any]) -> list[Run[R]]:
        """Submit many as `submit_many` does, without blocking the event loop."""
        return await self.job.submit_many_async(calls)

    def with_options(self, **options: Any) -> Submission[P, R]:
        """Change policies for the submits that are made through the result."""
        return self.job.with_options(**options)

    def after(self, delay: str | float | timedelta) -> Submission[P, R]:
        """Delay the runs: `nightly.after("10m").submit()`."""
        return self.job.after(delay)

    def at(self, when: datetime) -> Submission[P, R]:
        """Run at this time, which must have a zone."""
        return self.job.at(when)

    def within(self, connection: Any) -> Within[P, R]:
        """Submit in a transaction of yours: the runs exist if and only if you commit it."""
        return self.job.within(connection)

    def draft(
        self, args: Sequence[Any], kwargs: Mapping[str, Any], define: Define | None = None
    ) -> NewRun:
        """Return the run that a submit of these arguments asks for; `tx.submit` makes it."""
        return self.job.draft(args, kwargs, define)

    def _trace(self) -> Graph:
        parameters = _parameters(self.function)
        with tracing() as trace:
            refs: Any = {name: Ref("$param", name) for name in parameters}
            function: Callable[..., object] = self.function
            result = function(**refs)
        if inspect.iscoroutine(result):
            result.close()
            raise BadGraph(f"graph {self.name!r}: its function is async; make it a plain def")
        graph = Graph(
            name=self.name,
            nodes=tuple(trace.nodes.values()),
            parameters=parameters,
            result=value_of(result),
            **self._options,
        )
        try:
            # The options are as people wrote them; the reader of files knows each form and refusal.
            document = msgspec.to_builtins(graph)
            by_name = {node["name"]: node for node in document["nodes"]}
            return read_graph(self.name, {**document, "nodes": by_name})
        except BadGraph as error:
            raise BadGraph(f"graph {self.name!r}: {error}", path=error.path) from error


def add_graph(
    app: App, function: Callable[P, R], name: str | None, options: Mapping[str, Any]
) -> TracedGraph[P, R]:
    """Make the graph known to the app; another function of the same name is refused."""
    graph = TracedGraph(app, function, name, options)
    existing = app.graphs.get(graph.name)
    if existing is not None and reference(existing.function) != reference(function):
        raise BadOption(f"a graph named {graph.name!r} is defined already; give one of them name=")
    if graph.name in app.jobs:
        raise BadOption(f"a job is named {graph.name!r} as well; give one of them name=")
    app.graphs[graph.name] = graph
    return graph


def _parameters(function: Callable[..., Any]) -> dict[str, Parameter]:
    signature = Signature.of(function)
    parameters: dict[str, Parameter] = {}
    for each in inspect.signature(function).parameters.values():
        if each.kind in (each.VAR_KEYWORD, each.VAR_POSITIONAL, each.POSITIONAL_ONLY):
            raise BadGraph(
                f"graph {function.__name__!r}: {each.name}: parameters of a graph have names"
            )
        default = msgspec.UNSET if each.default is each.empty else value_of(each.default)
        parameters[each.name] = Parameter(type=signature.parameters[each.name], default=default)
    return parameters


def _graph_options(
    name: str, function: Callable[..., Any], options: Mapping[str, Any]
) -> dict[str, Any]:
    allowed = GRAPH_OPTIONS | RUN_OPTIONS
    for option in options:
        if option not in allowed:
            raise BadOption(
                f"graph {name!r} has no option {option!r:.64}.{hint(option, allowed)} "
                f"Options are: {', '.join(sorted(allowed))}"
            )
    if "mode" in options:
        one_of("mode", options["mode"], get_args(Mode))
    described = {"description": inspect.cleandoc(function.__doc__)} if function.__doc__ else {}
    set_options = {key: each for key, each in options.items() if each is not None}
    if "timeout" in set_options:
        set_options["timeout"] = duration_text(set_options["timeout"])
    return {**described, **set_options}
