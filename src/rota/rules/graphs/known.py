"""Graphs of files against the jobs that are known: those of the files, and those on record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import UnsetType

from rota.errors import BadGraph
from rota.model.graph import Graph
from rota.model.spec import GraphTarget, JobSpec, PythonTarget
from rota.rules.checks import hint
from rota.rules.graphs.expand import expand
from rota.rules.graphs.types import JobFacts


def check_known(wanted: Iterable[Graph], known: Mapping[str, JobSpec]) -> None:
    """BadGraph if a node names what is nowhere defined, or gives it what it does not take."""
    graphs = {
        name: spec.target.graph
        for name, spec in known.items()
        if isinstance(spec.target, GraphTarget)
    }
    jobs = {name: _facts(spec) for name, spec in known.items() if name not in graphs}
    for graph in wanted:
        for node in graph.nodes:
            _check_there(graph, node.name, node.job, jobs, what="job")
            _check_there(graph, node.name, node.graph, graphs, what="graph")
        expand(graph, graphs, jobs=jobs)


def _check_there(
    graph: Graph, node: str, name: str | None, known: Mapping[str, object], *, what: str
) -> None:
    if name is not None and name not in known:
        raise BadGraph(
            f"graph {graph.name!r}: node {node!r}: no {what} is named {name!r:.64} in the files or "
            f"on record.{hint(name, known)} Define it there, or start a worker of the app that "
            "has it first"
        )


def _facts(spec: JobSpec) -> JobFacts:
    """Of a function that a file names, or an older version recorded, less is known."""
    defaults = spec.defaults
    if isinstance(defaults, UnsetType):
        is_function = isinstance(spec.target, PythonTarget)
        required = None if is_function else frozenset(spec.parameters)
        return JobFacts(spec.parameters, required=required, takes_more=is_function)
    return JobFacts(
        spec.parameters,
        required=frozenset(spec.parameters.keys() - defaults.keys()),
        takes_more=isinstance(spec.more, str),
    )
