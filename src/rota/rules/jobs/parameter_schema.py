"""The JSON Schema of a job's parameters, as far as their annotations tell."""

from __future__ import annotations

import ast
from typing import Any

import msgspec

from rota.model.jobs.spec import GraphTarget, JobSpec
from rota.rules.jobs.annotations import MAX_CHARS, Annotation, parsed
from rota.rules.jobs.target_kinds import target_kind

_TYPES: dict[str, dict[str, Any]] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "None": {"type": "null"},
    "datetime": {"type": "string", "format": "date-time"},
    "date": {"type": "string", "format": "date"},
    "time": {"type": "string", "format": "time"},
    "timedelta": {"type": "string", "format": "duration"},
    "UUID": {"type": "string", "format": "uuid"},
    "Path": {"type": "string"},
    "Decimal": {"type": "string"},
    "bytes": {"type": "string", "contentEncoding": "base64"},
}
_LISTS = frozenset(
    {"list", "List", "set", "Set", "frozenset", "Sequence", "Iterable", "Collection"}
)
_MAPPINGS = frozenset({"dict", "Dict", "Mapping"})
_PAIR = 2


def schema_of(spec: JobSpec) -> dict[str, Any]:
    """Return the schema of a run's arguments; an unknown annotation allows anything.

    If the defaults of a function are not on record, no argument is required.
    """
    schema: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": spec.name,
        "type": "object",
        "properties": {name: _of_parameter(spec, name) for name in spec.parameters},
        "additionalProperties": _of_more(spec),
    }
    if target_kind(spec.target).is_template:
        schema["required"] = list(spec.parameters)
    if isinstance(spec.target, GraphTarget):
        _of_graph(spec.target, schema)
    elif not isinstance(spec.defaults, msgspec.UnsetType):
        _of_function(spec, spec.defaults, schema)
    return schema


def _of_parameter(spec: JobSpec, name: str) -> dict[str, Any]:
    """Return the recorded schema of a parameter's type, else one from its annotation."""
    text = spec.parameters[name]
    if isinstance(spec.schemas, msgspec.UnsetType) or name not in spec.schemas:
        return of_annotation(text)
    return {**spec.schemas[name], "description": text}


def of_annotation(text: str) -> dict[str, Any]:
    """Return the schema of an annotation, with its text as the description for people."""
    choices = _choices(text)
    schema = _of(parsed(text)) if choices is None else {"enum": choices}
    return {**schema, "description": text}


def _choices(text: str) -> list[Any] | None:
    """Return the values of `Literal[...]`, for a form to offer."""
    if "Literal[" not in text or len(text) > MAX_CHARS:
        return None
    try:
        tree = ast.parse(text, mode="eval").body
        if not isinstance(tree, ast.Subscript) or not ast.unparse(tree.value).endswith("Literal"):
            return None
        choices = ast.literal_eval(tree.slice)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return list(choices) if isinstance(choices, tuple) else [choices]


def _of_graph(target: GraphTarget, schema: dict[str, Any]) -> None:
    parameters = target.graph.parameters
    schema["required"] = [name for name, each in parameters.items() if _is_needed(each.default)]
    for name, each in parameters.items():
        fields = schema["properties"].setdefault(name, of_annotation(each.type))
        if not _is_needed(each.default):
            fields["default"] = each.default


def _of_function(spec: JobSpec, defaults: dict[str, Any], schema: dict[str, Any]) -> None:
    schema["required"] = [name for name in spec.parameters if name not in defaults]
    for name, default in defaults.items():
        if default is not None:
            schema["properties"][name]["default"] = default


def _of_more(spec: JobSpec) -> dict[str, Any] | bool:
    """Return the schema of arguments under other names, or whether any are taken."""
    return of_annotation(spec.more) if isinstance(spec.more, str) else False


def _is_needed(default: Any) -> bool:
    return default is msgspec.UNSET


def _of(kind: Annotation) -> dict[str, Any]:
    if kind.name == "|":
        return {"anyOf": [_of(each) for each in kind.inner]}
    if kind.name in _LISTS:
        return {"type": "array", "items": _of(kind.inner[0]) if kind.inner else {}}
    if kind.name in _MAPPINGS:
        values = _of(kind.inner[1]) if len(kind.inner) == _PAIR else {}
        return {"type": "object", "additionalProperties": values}
    return dict(_TYPES.get(kind.name, {}))
