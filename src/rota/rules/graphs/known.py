"""Check graphs of files against the jobs in the files and on record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec import UnsetType

from rota.errors import BadGraph
from rota.model.graphs.graph import Graph
from rota.model.jobs.spec import GraphTarget, JobSpec, PythonTarget
from rota.rules.graphs.expand import expand
from rota.rules.graphs.plan import plan_graph
from rota.rules.graphs.types import JobFacts
from rota.rules.jobs.stored_signature import kinds_of
from rota.rules.jobs.target_kinds import SCALAR
from rota.rules.text.checks import at_place, hint


def check_known(
    new_graphs: Iterable[Graph], specs: Mapping[str, JobSpec], places: Mapping[str, str]
) -> None:
    """Raise BadGraph if a node names an undefined job or gives it arguments that it does not take.

    `places` maps `graph/node` to its place in a file; the message begins with that place.
    """
    graphs = {
        name: spec.target.graph
        for name, spec in specs.items()
        if isinstance(spec.target, GraphTarget)
    }
    jobs = {name: _facts(spec) for name, spec in specs.items() if name not in graphs}
    new_graphs = tuple(new_graphs)
    for graph in new_graphs:
        for node in graph.nodes:
            place = at_place(places, f"{graph.name}/{node.name}")
            where = f"{place}graph {graph.name!r}: node {node.name!r}"
            _check_there(where, node.job, jobs, graphs, what="job")
            _check_there(where, node.graph, graphs, jobs, what="graph")
        try:
            plan_graph(graph, jobs=jobs, graphs=graphs)
        except BadGraph as error:
            raise _at_its_place(graph, error, places) from error
    for graph in new_graphs:
        expand(graph, graphs, jobs=jobs)


def _at_its_place(graph: Graph, error: BadGraph, places: Mapping[str, str]) -> BadGraph:
    node = error.path[1] if len(error.path) > 1 else ""
    place = places.get(f"{graph.name}/{node}", "")
    return BadGraph(f"{place}{': ' if place else ''}{error}", path=error.path)


def _check_there(
    where: str,
    name: str | None,
    definitions: Mapping[str, object],
    others: Mapping[str, object],
    *,
    what: Literal["job", "graph"],
) -> None:
    """Check that a name is defined; `others` are names that belong in the other field."""
    if name is None or name in definitions:
        return
    if name in others:
        other = "graph" if what == "job" else "job"
        raise BadGraph(f"{where}: {name!r:.64} is a {other}; write `{other}: {name:.64}`")
    similar = hint(name, definitions)
    raise BadGraph(
        f"{where}: no {what} is named {name!r:.64} in the files or on record.{similar} "
        "Define it there, or start a worker of the app that has it first"
    )


def _facts(spec: JobSpec) -> JobFacts:
    """Return the known facts; fewer if a file lacks parameters or an old version stored it."""
    defaults = spec.defaults
    if isinstance(defaults, UnsetType):
        if not isinstance(spec.target, PythonTarget):
            scalars = dict.fromkeys(spec.parameters, SCALAR)
            required = frozenset(spec.parameters)
            return JobFacts(scalars, kinds=kinds_of(spec), required=required)
        return JobFacts(spec.parameters, required=None, takes_more=not spec.parameters)
    return JobFacts(
        spec.parameters,
        kinds=kinds_of(spec),
        required=frozenset(spec.parameters.keys() - defaults.keys()),
        takes_more=isinstance(spec.more, str),
    )
