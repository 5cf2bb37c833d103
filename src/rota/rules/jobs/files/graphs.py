"""The graphs of a file: those under `graphs:`, or the whole file as one graph.

A node may define its own work with `command:`, `http:` or `python:`. That work becomes a separate
job, named after graph and node.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from rota.errors import BadGraph, BadOption
from rota.model.graphs.graph import Graph
from rota.rules.graphs import expand, plan_graph
from rota.rules.graphs.inner_options import check_inner_options
from rota.rules.graphs.options import read_graph
from rota.rules.jobs.files.field import Field
from rota.rules.jobs.files.known import FLOW_FIELDS, GRAPH_FIELDS, INLINE_FIELDS
from rota.rules.jobs.files.parameters import check_parameter
from rota.rules.jobs.files.targets import KINDS
from rota.rules.jobs.files.yaml12 import read_yaml


class FileGraph(NamedTuple):
    """A graph as a file describes it."""

    graph: Graph
    own: dict[str, Field]
    """The schedules and other job fields, which are not part of the graph itself."""
    inline: dict[str, tuple[Field, dict[str, Field]]]
    """The jobs that nodes define, by name: the place of each, and its fields."""


def read_graphs(data: bytes, file: str) -> dict[str, Graph]:
    """Return the graphs by name, each checked as a whole; BadFile tells line, column and field.

    JSON is YAML, too. Jobs are not looked up: they may be defined elsewhere.
    """
    graphs: dict[str, Graph] = {}
    fields: dict[str, Field] = {}
    for document in read_yaml(data, file):
        fields |= graph_fields(Field(document, document.value))
    for name, field in fields.items():
        graphs[name] = read_flow(name, field).graph
    for name, graph in graphs.items():
        with_inner = any(node.graph for node in graph.nodes)
        try:
            expand(graph, graphs) if with_inner else plan_graph(graph)
        except BadGraph as error:
            raise _refusal(fields[name], error) from error
    return graphs


def graph_fields(root: Field) -> dict[str, Field]:
    """Return the graphs of a document by name; a document with `nodes` is itself a graph."""
    top = root.fields()
    if "nodes" in top:
        return {str(root.value.get("name", _stem(root.document.file))): root}
    return top["graphs"].fields() if "graphs" in top and top["graphs"].value is not None else {}


def read_flow(name: str, field: Field) -> FileGraph:
    """Read one graph at its place in a document and check each field."""
    fields = field.fields(GRAPH_FIELDS)
    inline: dict[str, tuple[Field, dict[str, Field]]] = {}
    value = {key: each.value for key, each in fields.items() if key not in FLOW_FIELDS}
    if "nodes" in fields:
        value["nodes"] = _nodes(name, fields["nodes"], inline)
    try:
        graph = read_graph(name, value)
        _check_parameters(graph)
        plan_graph(graph)
        check_inner_options(graph)
    except BadGraph as error:
        raise _refusal(field, error) from error
    return FileGraph(
        graph, {key: each for key, each in fields.items() if key in FLOW_FIELDS}, inline
    )


def _check_parameters(graph: Graph) -> None:
    """Raise BadGraph for a default of another type, or for a type under its JSON name."""
    for name, each in graph.parameters.items():
        try:
            check_parameter(name, each.type, each.default)
        except BadOption as error:
            path = ("parameters", name)
            raise BadGraph(f"parameters.{name}: {error}", path=path) from error


def _nodes(graph: str, nodes: Field, inline: dict[str, tuple[Field, dict[str, Field]]]) -> Any:
    """Return the nodes for `read_graph`; a node with its own work names the job for it."""
    if isinstance(nodes.value, dict):
        return {name: _node(graph, name, each, inline) for name, each in nodes.fields().items()}
    if not isinstance(nodes.value, list):
        return nodes.value
    entries = []
    for each in nodes.items():
        name = each.value.get("name") if isinstance(each.value, dict) else None
        entries.append(_node(graph, name, each, inline) if isinstance(name, str) else each.value)
    return entries


def _node(
    graph: str, name: str, node: Field, inline: dict[str, tuple[Field, dict[str, Field]]]
) -> Any:
    if not isinstance(node.value, dict) or not any(kind in node.value for kind in KINDS):
        return node.value
    fields = node.fields()
    for other in ("job", "graph"):
        if other in fields:
            raise fields[other].refusal(f"it defines its own work; leave {other} out")
    job = f"{graph}.{name}"
    inline[job] = node, {key: each for key, each in fields.items() if key in INLINE_FIELDS}
    options = {key: each.value for key, each in fields.items() if key not in INLINE_FIELDS}
    return {**options, "job": job}


def _refusal(field: Field, error: BadGraph) -> Exception:
    return field.document.refusal((*field.path, *error.path), _without_path(error))


def _without_path(error: BadGraph) -> str:
    """Return the message without its path, since the document adds the place in front."""
    where, colon, says = str(error).partition(": ")
    return says if colon and error.path and " " not in where else str(error)


def _stem(file: str) -> str:
    return file.rsplit("/", 1)[-1].partition(".")[0]
