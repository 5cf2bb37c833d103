"""Forms of pydantic models: the JSON Schema that a model gives of itself, as a form needs it.

A model may read more than its schema says (the text "3" as a number), so a form checks nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

Schema = dict[str, Any]
MAX_BYTES = 4_000
"""The most bytes of a form; a larger one is not recorded."""
_MAX_DEPTH = 8
_KEPT = ("type", "enum", "format", "default", "description", "required", "minimum", "maximum")
_REFERENCE = "#/$defs/"


def form_of(model: type) -> Schema | None:
    """Return the form of a model; None for one that gives no schema, or a very large one."""
    try:
        whole = model.model_json_schema()  # type: ignore[attr-defined]  # duck-typed
        form = _shown(whole, whole.get("$defs", {}), ())
        is_large = len(msgspec.json.encode(form)) > MAX_BYTES
    except Exception:  # noqa: BLE001  # a model is code of others; it is edited as JSON then
        return None
    return None if is_large else form


def _shown(schema: Any, named: Mapping[str, Any], around: tuple[str, ...]) -> Schema:
    """Return what a form shows of a schema; `around` are the enclosing models."""
    reference = schema.get("$ref")
    if reference is not None:
        name = reference.removeprefix(_REFERENCE)
        if name in around or len(around) > _MAX_DEPTH:
            return {}
        return _shown(named[name], named, (*around, name)) | _own(schema)
    shown = _own(schema)
    if "const" in schema:
        shown["enum"] = [schema["const"]]
    if "anyOf" in schema:
        shown["anyOf"] = [_shown(each, named, around) for each in schema["anyOf"]]
    if isinstance(schema.get("items"), dict):
        shown["items"] = _shown(schema["items"], named, around)
    if isinstance(schema.get("additionalProperties"), dict):
        shown["additionalProperties"] = _shown(schema["additionalProperties"], named, around)
    if "properties" in schema:
        properties = schema["properties"].items()
        shown["properties"] = {name: _shown(each, named, around) for name, each in properties}
    return shown


def _own(schema: Mapping[str, Any]) -> Schema:
    return {key: schema[key] for key in _KEPT if key in schema}
