"""Differences between two definitions, field by field, for people."""

from __future__ import annotations

from typing import Any

import msgspec

from rota.model.graphs.graph import Graph
from rota.model.jobs.apply_plan import FieldChange

_OF_GRAPH = "target.graph."


def differences(old: msgspec.Struct | None, new: msgspec.Struct) -> list[FieldChange]:
    """Return the changed fields, down to the leaves; another spelling is not a change."""
    was = {} if old is None else _leaves(_plain(old))
    now = _leaves(_plain(new))
    return [
        FieldChange(field=field.removeprefix(_OF_GRAPH), old=was.get(field), new=now.get(field))
        for field in dict.fromkeys([*was, *now])
        if was.get(field) != now.get(field) and not _is_told_by_parts(field, was, now)
    ]


def _is_told_by_parts(field: str, was: dict[str, Any], now: dict[str, Any]) -> bool:
    """Whether a value appeared or vanished as a whole: then each of its parts is a change."""
    inside = f"{field}."
    whole, parts = (was, now) if field in was else (now, was)
    return whole[field] == {} and any(each.startswith(inside) for each in parts)


def _plain(value: Any) -> Any:
    """Return plain data with all defaults, so that a default that is written out is not a change.

    Nodes are keyed by their names: a new node does not change the others.
    """
    if isinstance(value, Graph):
        fields = {name: _plain(getattr(value, name)) for name in value.__struct_fields__}
        return {**fields, "nodes": {node.name: _plain(node) for node in value.nodes}}
    if isinstance(value, msgspec.UnsetType):
        return None
    if isinstance(value, msgspec.Struct):
        tag = value.__struct_config__.tag
        kind = {} if tag is None else {"type": tag}
        return kind | {name: _plain(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return value


def _leaves(value: Any, path: str = "") -> dict[str, Any]:
    if not isinstance(value, dict) or not value:
        return {path: value}
    leaves: dict[str, Any] = {}
    for key, each in value.items():
        leaves |= _leaves(each, f"{path}.{key}" if path else str(key))
    return leaves
