"""The graphs of a file: those under `graphs:`, or the one that the whole file describes."""

from __future__ import annotations

from rota.errors import BadGraph
from rota.model.graph import Graph
from rota.rules.graph_options import read_graph
from rota.rules.graphs import expand
from rota.rules.jobfile.field import Field
from rota.rules.jobfile.yaml12 import read_yaml


def read_graphs(data: bytes, file: str) -> dict[str, Graph]:
    """By name, each checked as a whole; BadFile tells line, column and field.

    JSON is YAML, too. Jobs are not looked up: they may be defined elsewhere.
    """
    found: dict[str, Graph] = {}
    fields: dict[str, Field] = {}
    for document in read_yaml(data, file):
        root = Field(document, document.value)
        top = root.fields()
        named = {str(root.value.get("name", _stem(file))): root}
        fields |= top["graphs"].fields() if "graphs" in top else named if "nodes" in top else {}
    for name, field in fields.items():
        found[name] = read_at(name, field)
    for name, graph in found.items():
        try:
            expand(graph, found)
        except BadGraph as error:
            field = fields[name]
            raise field.document.refusal((*field.path, *error.path), str(error)) from error
    return found


def read_at(name: str, field: Field) -> Graph:
    """One graph at its place in a document."""
    try:
        return read_graph(name, field.value)
    except BadGraph as error:
        raise field.document.refusal((*field.path, *error.path), _without_path(error)) from error


def _without_path(error: BadGraph) -> str:
    """The place is told in front by the document."""
    where, colon, says = str(error).partition(": ")
    return says if colon and error.path and " " not in where else str(error)


def _stem(file: str) -> str:
    return file.rsplit("/", 1)[-1].partition(".")[0]
