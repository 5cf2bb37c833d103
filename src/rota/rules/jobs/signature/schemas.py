"""Turn recorded JSON Schemas into types, so that msgspec reads values as the code would."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Annotated, Any, Union
from uuid import UUID

import msgspec

from rota.rules.jobs.signature.hints import readable
from rota.rules.jobs.signature.plain import literal

_FORMATS: dict[str, Any] = {
    "date": date, "date-time": datetime, "time": time, "duration": timedelta,
    "decimal": Decimal, "uuid": UUID,
}  # fmt: skip
_SIMPLE: dict[str, Any] = {
    "string": str, "integer": int, "number": float, "boolean": bool, "null": None,
}  # fmt: skip
_BOUNDS = {
    "minimum": "ge",
    "exclusiveMinimum": "gt",
    "maximum": "le",
    "exclusiveMaximum": "lt",
    "multipleOf": "multiple_of",
    "minLength": "min_length",
    "maxLength": "max_length",
    "pattern": "pattern",
}


def kind_of(schema: Mapping[str, Any]) -> Any:
    """Return the type of values that a schema allows; Any if the schema is not understood."""
    return _cached(msgspec.json.encode(schema, order="sorted"))


@lru_cache(maxsize=1_024)
def _cached(text: bytes) -> Any:
    return _kind(msgspec.json.decode(text))


def _kind(schema: Any) -> Any:
    try:
        return readable(_of(schema))
    except (TypeError, ValueError, AttributeError):
        return Any


def _of(schema: Mapping[str, Any]) -> Any:
    if "enum" in schema:
        return literal(list(schema["enum"]))
    if "anyOf" in schema:
        members = [_kind(each) for each in schema["anyOf"]]
        return Any if Any in members else Union[tuple(members)]  # noqa: UP007  # found at run time
    name = schema.get("type")
    if name == "array":
        return _array(schema)
    if name == "object":
        return _object(schema)
    kind = _FORMATS.get(schema.get("format", ""), _SIMPLE.get(name or "", Any))
    bounds = {_BOUNDS[key]: each for key, each in schema.items() if key in _BOUNDS}
    return Annotated[kind, msgspec.Meta(**bounds)] if bounds else kind


def _array(schema: Mapping[str, Any]) -> Any:
    if "prefixItems" in schema:
        return tuple[tuple(_kind(each) for each in schema["prefixItems"])]  # type: ignore[misc]
    return list[_kind(schema.get("items", {}))]  # type: ignore[misc]


def _object(schema: Mapping[str, Any]) -> Any:
    more = schema.get("additionalProperties")
    if "properties" not in schema:
        return dict[str, _kind(more) if isinstance(more, dict) else Any]  # type: ignore[misc]
    names = list(schema["properties"])
    needed = schema.get("required", ())
    fields: list[Any] = []
    for at, name in enumerate(names):
        kind = _kind(schema["properties"][name])
        is_needed = name in needed
        fields.append((f"f{at}", kind) if is_needed else (f"f{at}", kind, msgspec.UNSET))
    return msgspec.defstruct(
        "Object",
        fields,
        rename={f"f{at}": name for at, name in enumerate(names)},
        kw_only=True,
        forbid_unknown_fields=more is False,
    )
