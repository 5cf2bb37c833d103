"""Graphs in Python: a function whose calls of jobs are the nodes.

Outside of a graph nothing of this happens: jobs are functions, and so are graphs.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, Protocol, TypeVar, cast, get_args

import msgspec

from rota.app.refs import Ref, value_of
from rota.app.trace import (
    MAP_OPTIONS,
    check_options,
    current_trace,
    duration_text,
    mapped_over,
    tracing,
)
from rota.app.works import reference
from rota.errors import BadGraph, BadInput, BadOption, NotAllowed
from rota.model.graph import Graph, Mode, Parameter
from rota.rules.checks import hint, one_of
from rota.rules.graph_options import read_graph
from rota.rules.graphs import Plan, expand, plan_graph
from rota.rules.graphs.types import facts_of
from rota.rules.options import check_name
from rota.rules.references import NOTHING, mentions, resolve
from rota.rules.signature import Signature

if TYPE_CHECKING:
    from rota.app.app import App

P = ParamSpec("P")
R = TypeVar("R")
GRAPH_OPTIONS = frozenset(Graph.__struct_fields__) - {"name", "nodes", "parameters", "result"}


class Callee(Protocol):
    """A job or a graph: what can be a node."""

    name: str
    signature: Signature
    target: str
    """`job` or `graph`."""

    def plainly(self, *args: Any, **kwargs: Any) -> Any: ...


class Maker(Generic[P, R]):
    """A job or a graph with options of a node: call it, or map it over items.

    In the eyes of a type checker the call gives the result itself, so that what is passed from
    node to node is checked as in any function.
    """

    def __init__(self, callee: Callee, options: Mapping[str, Any]) -> None:
        check_options(options)
        self._callee = callee
        self._options = options

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Make a node; outside of a graph, call the function here and now."""
        trace = current_trace()
        if trace is None:
            allowed = self._is_wanted()
            return cast("R", self._callee.plainly(*args, **kwargs) if allowed else None)
        for name in self._options:
            if name in MAP_OPTIONS:
                raise BadOption(f"{name}= is for .map(...)")
        values = self._callee.signature.arrange(args, kwargs)
        return cast("R", trace.add(self._target(), values, self._options))

    def map(self, items: Any, *args: Any, **kwargs: Any) -> list[R]:
        """One node with an instance for each item; the result is the list of their results.

        The item goes to the first parameter that is not given otherwise, or to `into=`.
        """
        into = self._options.get("into") or self._free_parameter(kwargs)
        trace = current_trace()
        if trace is None:
            return self._map_plainly(items, into, args, kwargs)
        values = self._callee.signature.arrange((), self._named(into, args, kwargs), but=into)
        options = {key: each for key, each in self._options.items() if key not in MAP_OPTIONS}
        mapped = mapped_over(items, into, self._options)
        return cast("list[R]", trace.add(self._target(), values, options, mapped))

    def _target(self) -> dict[str, str]:
        return {self._callee.target: self._callee.name}

    def _is_wanted(self) -> bool:
        when = self._options.get("when", True)
        if isinstance(when, bool):
            return when
        raise NotAllowed(
            f"when={when!r:.64} is for graphs that run; a plain call takes True or False"
        )

    def _free_parameter(self, kwargs: Mapping[str, Any]) -> str:
        free = [name for name in self._callee.signature.parameters if name not in kwargs]
        if not free:
            raise BadGraph(f"{self._callee.name}: no parameter is left to take the items")
        return free[0]

    def _named(self, into: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        free = [
            name
            for name in self._callee.signature.parameters
            if name != into and name not in kwargs
        ]
        if len(args) > len(free):
            raise BadGraph(f"{self._callee.name}: .map() was given too many arguments")
        return {**dict(zip(free, args, strict=False)), **kwargs}

    def _map_plainly(
        self, items: Any, into: str, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> list[R]:
        if not self._is_wanted():
            return []
        size = self._options.get("batch", 1)
        listed = list(items)
        batches = [listed[at : at + size] for at in range(0, len(listed), size)]
        named = self._named(into, args, kwargs)
        return [
            self._callee.plainly(**{**named, into: batch if size > 1 else batch[0]})
            for batch in batches
        ]


class Node(Generic[P, R]):
    """What jobs and graphs have in common: they can be nodes of a graph."""

    def node(self, **options: Any) -> Maker[P, R]:
        """The same with options of a node: `load.node(retries=3, join="none_failed")(rows)`.

        Options: name, after, when, join, kind, setups, fails_run, group, retries, timeout,
        queue, priority, isolation, cache; for .map(): into, batch, concurrency, tolerate.
        """
        return Maker(cast("Callee", self), options)

    def map(self, items: Any, *args: Any, **kwargs: Any) -> list[R]:
        """As Maker.map, without options."""
        return self.node().map(items, *args, **kwargs)


class TracedGraph(Node[P, R]):
    """A graph of one app, made by its function; a plain call is a plain call."""

    target = "graph"

    def __init__(
        self, app: App, function: Callable[P, R], name: str | None, options: Mapping[str, Any]
    ) -> None:
        self.app = app
        self.name = check_name("graph", name or function.__name__)
        self.signature = Signature.of(function)
        self.function = function
        self._options = _graph_options(self.name, function, options)
        self._graph: Graph | None = None
        functools.update_wrapper(self, function)

    def __repr__(self) -> str:
        return f"<Graph {self.name}>"

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """A node, inside of another graph; elsewhere the function, with jobs as functions."""
        return self.node()(*args, **kwargs)

    def plainly(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.function(*args, **kwargs)

    @property
    def graph(self) -> Graph:
        """The graph as data; its function is called for this once, with references."""
        if self._graph is None:
            self._graph = self._traced()
        return self._graph

    @property
    def plan(self) -> Plan:
        """Checked against the jobs and graphs of the app; BadGraph names the node."""
        jobs = {name: facts_of(job.signature) for name, job in self.app.jobs.items()}
        graphs = self._with_inner()
        plan = plan_graph(self.graph, jobs=jobs, graphs=graphs)
        if len(graphs) > 1:
            expand(self.graph, graphs, jobs=jobs)
        self._check_literals(plan)
        return plan

    def _check_literals(self, plan: Plan) -> None:
        """Arguments that are all known are checked as those of a submit are."""
        for name, planned in plan.nodes.items():
            node = planned.node
            if node.job is None or node.map is not None or any(mentions(node.args)):
                continue
            try:
                self.app.jobs[node.job].signature.bind((), resolve(node.args, NOTHING))
            except BadInput as error:
                raise BadGraph(f"graph {self.name!r}: node {name!r}: {error}") from error

    def _with_inner(self) -> dict[str, Graph]:
        """This graph and all within it; the others of the app are not even traced."""
        found = {self.name: self.graph}
        waiting = [self.graph]
        while waiting:
            for name in {node.graph for node in waiting.pop().nodes if node.graph} - found.keys():
                if name in self.app.graphs:
                    found[name] = self.app.graphs[name].graph
                    waiting.append(found[name])
        return found

    def _traced(self) -> Graph:
        parameters = _parameters(self.function)
        with tracing() as trace:
            given: Any = {name: Ref("$param", name) for name in parameters}
            function: Callable[..., object] = self.function
            result = function(**given)
        if inspect.iscoroutine(result):
            result.close()
            raise BadGraph(f"graph {self.name!r}: its function is async; make it a plain def")
        made = Graph(
            name=self.name,
            nodes=tuple(trace.nodes.values()),
            parameters=parameters,
            result=value_of(result),
            **self._options,
        )
        try:
            # Options came as people gave them; the reader of files knows every form and refusal.
            document = msgspec.to_builtins(made)
            by_name = {node["name"]: node for node in document["nodes"]}
            return read_graph(self.name, {**document, "nodes": by_name})
        except BadGraph as error:
            raise BadGraph(f"graph {self.name!r}: {error}", path=error.path) from error


def add_graph(
    app: App, function: Callable[P, R], name: str | None, options: Mapping[str, Any]
) -> TracedGraph[P, R]:
    """Make the graph known to the app; another function of the same name is refused."""
    graph = TracedGraph(app, function, name, options)
    known = app.graphs.get(graph.name)
    if known is not None and reference(known.function) != reference(function):
        raise BadOption(f"a graph named {graph.name!r} is defined already; give one of them name=")
    app.graphs[graph.name] = graph
    return graph


def _parameters(function: Callable[..., Any]) -> dict[str, Parameter]:
    signature = Signature.of(function)
    found: dict[str, Parameter] = {}
    for each in inspect.signature(function).parameters.values():
        if each.kind in (each.VAR_KEYWORD, each.VAR_POSITIONAL, each.POSITIONAL_ONLY):
            raise BadGraph(
                f"graph {function.__name__!r}: {each.name}: parameters of a graph have names"
            )
        default = msgspec.UNSET if each.default is each.empty else value_of(each.default)
        found[each.name] = Parameter(type=signature.parameters[each.name], default=default)
    return found


def _graph_options(
    name: str, function: Callable[..., Any], options: Mapping[str, Any]
) -> dict[str, Any]:
    for option in options:
        if option not in GRAPH_OPTIONS:
            raise BadOption(
                f"graph {name!r} has no option {option!r:.64}.{hint(option, GRAPH_OPTIONS)} "
                f"Options are: {', '.join(sorted(GRAPH_OPTIONS))}"
            )
    if "mode" in options:
        one_of("mode", options["mode"], get_args(Mode))
    described = {"description": inspect.cleandoc(function.__doc__)} if function.__doc__ else {}
    given = {key: each for key, each in options.items() if each is not None}
    if "timeout" in given:
        given["timeout"] = duration_text(given["timeout"])
    return {**described, **given}
