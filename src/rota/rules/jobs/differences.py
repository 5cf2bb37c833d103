"""Differences: two definitions compared field by field, for people."""

from __future__ import annotations

from typing import Any

import msgspec

from rota.model.graph import Graph
from rota.model.plan import FieldChange

_OF_GRAPH = "target.graph."


def differences(old: msgspec.Struct | None, new: msgspec.Struct) -> list[FieldChange]:
    """Field by field, down to the leaves; the same spelled in another way is the same."""
    was = {} if old is None else _leaves(_plain(old))
    now = _leaves(_plain(new))
    return [
        FieldChange(field=field.removeprefix(_OF_GRAPH), old=was.get(field), new=now.get(field))
        for field in dict.fromkeys([*was, *now])
        if was.get(field) != now.get(field) and not _is_told_by_parts(field, was, now)
    ]


def _is_told_by_parts(field: str, was: dict[str, Any], now: dict[str, Any]) -> bool:
    """Nothing that becomes something, or the reverse: each part of the something is a change."""
    inside = f"{field}."
    whole, parts = (was, now) if field in was else (now, was)
    return whole[field] == {} and any(each.startswith(inside) for each in parts)


def _plain(value: Any) -> Any:
    """With all defaults, so that one that is written out does not look like a change.

    Nodes go by their names: to add one does not change the others.
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
    found: dict[str, Any] = {}
    for key, each in value.items():
        found |= _leaves(each, f"{path}.{key}" if path else str(key))
    return found
