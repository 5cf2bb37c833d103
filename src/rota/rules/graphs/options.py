"""Read graphs as people write them in YAML and JSON into the graph model.

More forms are accepted than the model has: nodes by name or as a list, `after: load` for one
parent, `day: str` for a parameter, `cache: 1d`, numbers of seconds. BadGraph names the field, and
its `path` tells where the field stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, get_args

import msgspec

from rota.errors import BadGraph, BadInput
from rota.model.graphs.graph import Cache, Graph, Join, Kind, Map, Mode, Node, Parameter
from rota.rules.admission.order import parse_priority
from rota.rules.text.checks import hint

Path = tuple[str | int, ...]
_AT = re.compile(r" - at `\$(.*)`$")
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]|\[\.\.\.\]")
_WORDS: dict[str, tuple[str, ...]] = {
    "join": get_args(Join),
    "kind": get_args(Kind),
    "mode": get_args(Mode),
}


def read_graph(name: str, value: object) -> Graph:
    """Build a graph from a mapping; fields are checked one by one, not yet against each other.

    `plan_graph` checks whether the nodes fit together.
    """
    fields = _mapping(value, (), Graph)
    fields = {"name": name, **fields}
    if fields["name"] != name:
        raise BadGraph(f"name: {fields['name']!r:.64} is called {name!r:.64} here", path=("name",))
    listed = _nodes(fields.get("nodes"))
    document = {
        **fields,
        "nodes": [node for _, node in listed],
        "parameters": _parameters(fields.get("parameters")),
    }
    return _convert(_spell(document, ()), [path for path, _ in listed])


def graph_schema() -> dict[str, Any]:
    """Return the JSON Schema of the mappings that `read_graph` takes."""
    (_, components) = msgspec.json.schema_components([Graph], ref_template="#/$defs/{name}")
    node, graph = components["Node"], components["Graph"]
    unnamed = {"$ref": "#/$defs/Node"}
    node["required"] = []
    names = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
    node["properties"] |= {"after": names, "setups": names}
    node["properties"]["priority"] = {"type": ["integer", "string", "null"]}
    node["properties"]["cache"] = {
        "anyOf": [{"type": "string"}, {"$ref": "#/$defs/Cache"}, {"type": "null"}]
    }
    for part in (node, graph):
        part["properties"]["timeout"] = {"type": ["string", "number", "null"]}
    graph["required"] = ["nodes"]
    graph["properties"]["nodes"] = {
        "anyOf": [
            {"type": "object", "additionalProperties": unnamed},
            {"type": "array", "items": unnamed},
        ]
    }
    graph["properties"]["parameters"] = {
        "type": "object",
        "additionalProperties": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/Parameter"}]},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A graph of Rota",
        "$ref": "#/$defs/Graph",
        "$defs": components,
    }


def _nodes(value: object) -> list[tuple[Path, dict[str, Any]]]:
    """Return each node with its path in the document."""
    if isinstance(value, Mapping):
        return [_named(str(name), node) for name, node in value.items()]
    if not isinstance(value, list | tuple) or not value:
        raise BadGraph("nodes: a graph needs nodes; write them by name", path=("nodes",))
    entries: list[tuple[Path, dict[str, Any]]] = []
    for at, node in enumerate(value):
        path: Path = ("nodes", at)
        fields = _mapping(node, path, Node)
        if not isinstance(fields.get("name"), str):
            raise BadGraph(f"{_shown(path)}: a node in a list needs a name", path=path)
        entries.append((path, _node(fields, path)))
    return entries


def _named(name: str, value: object) -> tuple[Path, dict[str, Any]]:
    path: Path = ("nodes", name)
    fields = _mapping({} if value is None else value, path, Node)
    if fields.get("name", name) != name:
        raise BadGraph(f"{_shown(path)}: it has another name, too", path=(*path, "name"))
    if "job" not in fields and "graph" not in fields:
        # A node that says nothing else is the job of its name.
        fields = {"job": name, **fields}
    return path, _node({"name": name, **fields}, path)


def _node(fields: dict[str, Any], path: Path) -> dict[str, Any]:
    for part, kind in (("map", Map), ("cache", Cache)):
        if isinstance(fields.get(part), Mapping):
            fields[part] = _mapping(fields[part], (*path, part), kind)
    return _spell(fields, path)


def _spell(fields: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """Expand the short forms of a node's fields, and check their words with a hint."""
    for field, words in _WORDS.items():
        word = fields.get(field)
        if word is not None and word not in words:
            raise BadGraph(
                f"{_shown((*path, field))}: {word!r:.64} is not one of {', '.join(words)}."
                f"{hint(word, words)}",
                path=(*path, field),
            )
    spelled: dict[str, Any] = {}
    for name, value in fields.items():
        try:
            spelled[name] = _SHORT.get(name, _same)(value)
        except BadInput as error:
            place = (*path, name)
            raise BadGraph(f"{_shown(place)}: {error}", path=place) from error
    return spelled


def _parameters(value: object) -> dict[str, Any]:
    path: Path = ("parameters",)
    if value is None:
        return {}
    if isinstance(value, list):
        return {str(name): {} for name in value}
    if not isinstance(value, Mapping):
        raise BadGraph("parameters: write them by name, as in `day: str`", path=path)
    parameters: dict[str, Any] = {}
    for name, each in value.items():
        if isinstance(each, str):
            parameters[str(name)] = {"type": each}
        else:
            parameters[str(name)] = _mapping(each or {}, (*path, str(name)), Parameter)
    return parameters


def _mapping(value: object, path: Path, kind: type[msgspec.Struct]) -> dict[str, Any]:
    where = f"{_shown(path)}: " if path else ""
    if not isinstance(value, Mapping):
        raise BadGraph(f"{where}{value!r:.64} is not a mapping of names to values", path=path)
    fields = kind.__struct_fields__
    for name in value:
        if name not in fields:
            raise BadGraph(
                f"{where}there is no {name!r:.64} here.{hint(name, fields)} "
                f"Known are: {', '.join(sorted(fields))}",
                path=(*path, str(name)),
            )
    return dict(value)


def _convert(document: dict[str, Any], paths: list[Path]) -> Graph:
    try:
        return msgspec.convert(document, type=Graph)
    except msgspec.ValidationError as error:
        says = str(error)
        match = _AT.search(says)
        path = _path(match[1], paths) if match else ()
        where = f"{_shown(path)}: " if path else ""
        raise BadGraph(f"{where}{_AT.sub('', says)}", path=path) from error


def _path(text: str, paths: list[Path]) -> Path:
    """Return the path from a msgspec error, with the node's place in the document in front."""
    steps: list[str | int] = [
        int(index) if index else name for name, index in _STEP.findall(text) if name or index
    ]
    match steps:
        case ["nodes", int(at), *rest]:
            return (*paths[at], *rest)
    return tuple(steps)


def _shown(path: Path) -> str:
    text = ""
    for part in path:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part:.64}" if text else part
    return text


def _same(value: Any) -> Any:
    return value


def _list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _seconds(value: Any) -> Any:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{value}s" if is_number else value


def _priority(value: Any) -> Any:
    """Convert words for priorities, such as `high`, to numbers."""
    return value if value is None or value == "critical_path" else parse_priority(value)


def _cache(value: Any) -> Any:
    return {"ttl": value} if isinstance(value, str) else value


_SHORT: dict[str, Callable[[Any], Any]] = {
    "after": _list,
    "setups": _list,
    "timeout": _seconds,
    "cache": _cache,
    "priority": _priority,
}
