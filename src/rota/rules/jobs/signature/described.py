"""JSON Schemas of types in code, recorded with a job so that others can check without the code.

Only values that certainly cannot be read are excluded: a type with its own decoding is `{}`.
"""

from __future__ import annotations

import enum
import inspect
import re
import types
from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePath
from typing import Any, Union, get_args, get_origin

import msgspec
from msgspec import inspect as look

from rota.rules.jobs.signature.plain import plain_kind

Schema = dict[str, Any]
MAX_CHOICES = 200
"""The most values of an enum that are recorded; an enum with more allows anything."""
MAX_BYTES = 8_000
"""The most bytes of a job's schemas; larger schemas are not recorded."""
_MAX_DEPTH = 12
_NULL = {"type": "null"}
_PLAIN = re.compile(r"(?:\b(?:str|int|float|bool|None|Any|list|dict)\b|[\s\[\],|])*")

_SIMPLE: dict[type, Schema] = {
    look.BoolType: {"type": "boolean"},
    look.NoneType: {"type": "null"},
    look.DateType: {"type": "string", "format": "date"},
    look.UUIDType: {"type": "string", "format": "uuid"},
    look.DecimalType: {"type": "string", "format": "decimal"},
    look.TimeDeltaType: {"type": "string", "format": "duration"},
    look.BytesType: {"type": "string", "contentEncoding": "base64"},
    look.ByteArrayType: {"type": "string", "contentEncoding": "base64"},
    look.MemoryViewType: {"type": "string", "contentEncoding": "base64"},
}
_LISTS = (look.ListType, look.SetType, look.FrozenSetType, look.VarTupleType, look.CollectionType)
_RECORDS = (look.StructType, look.DataclassType, look.TypedDictType)
BOUNDS = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
    "min_length": "minLength",
    "max_length": "maxLength",
    "pattern": "pattern",
}
"""The constraints of msgspec and their JSON Schema names."""


def schemas_of(
    shape: inspect.Signature, texts: Mapping[str, str], kinds: Callable[[], Mapping[str, Any]]
) -> dict[str, Schema]:
    """Return schemas for parameters whose annotation text does not tell the type.

    A class that is defined later, or only for type checkers, allows anything.
    """
    asked = [name for name, text in texts.items() if not _PLAIN.fullmatch(text)]
    if not asked:
        return {}
    try:
        known = kinds()
    except Exception:  # noqa: BLE001  # annotations are code of others; who runs it tells
        return {}
    found: dict[str, Schema] = {}
    for name in asked:
        schema = described(known.get(name, Any))
        if shape.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
            schema = {"type": "array", "items": schema}
        if schema != described(plain_kind(texts[name])):
            found[name] = schema
    is_large = len(msgspec.json.encode(found)) > MAX_BYTES
    return {name: {} for name in found} if is_large else found


def described(kind: Any) -> Schema:
    """Return the schema of a type; `{}` if values of it may be anything."""
    try:
        return _of(look.type_info(kind), ())
    except (TypeError, NameError, AttributeError, ValueError):
        pass
    if get_origin(kind) in (Union, types.UnionType):  # one that msgspec cannot tell apart
        return _any_of([described(each) for each in get_args(kind)])
    return {}


def _of(found: Any, around: tuple[type, ...]) -> Schema:
    """Return a schema; `around` are the enclosing classes, so that recursion is cut."""
    kind = type(found)
    if kind in _SIMPLE:
        return dict(_SIMPLE[kind])
    if kind in _LEAVES:
        return _LEAVES[kind](found)
    if kind is look.Metadata:
        return _of(found.type, around)
    if kind is look.UnionType:
        return _any_of([_of(each, around) for each in found.types])
    return _of_parts(found, around)


def _timed(found: Any) -> Schema:
    form = {look.DateTimeType: "date-time", look.TimeType: "time"}[type(found)]
    return {"type": "string"} | ({"format": form} if found.tz is None else {})


def _bounded(found: Any) -> Schema:
    said = {BOUNDS[key]: getattr(found, key, None) for key in BOUNDS}
    bounds = {key: each for key, each in said.items() if each is not None}
    return {"type": _NAMES[type(found)], **bounds}


def _of_enum(found: Any) -> Schema:
    cls: type[enum.Enum] = found.cls
    values = [each.value for each in cls]
    # msgspec asks it about other values.
    reads_more = "_missing_" in {name for each in cls.__mro__ for name in _own(each)}
    return {} if reads_more or len(values) > MAX_CHOICES else {"enum": values}


def _own(cls: type) -> Iterable[str]:
    return () if cls in (enum.Enum, object, str, int) else vars(cls)


_NAMES: dict[type, str] = {
    look.IntType: "integer",
    look.FloatType: "number",
    look.StrType: "string",
}
_LEAVES: dict[type, Callable[[Any], Schema]] = {
    **dict.fromkeys(_NAMES, _bounded),
    look.DateTimeType: _timed,
    look.TimeType: _timed,
    look.EnumType: _of_enum,
    look.LiteralType: lambda found: {"enum": list(found.values)},
    look.CustomType: lambda found: {"type": "string"} if issubclass(found.cls, PurePath) else {},
}


def _of_parts(found: Any, around: tuple[type, ...]) -> Schema:
    """Return the schema of a type that holds other values."""
    if isinstance(found, _LISTS):
        return {"type": "array", "items": _of(found.item_type, around)}
    if isinstance(found, look.TupleType):
        items = [_of(each, around) for each in found.item_types]
        return {"type": "array", "prefixItems": items, "items": False, "minItems": len(items)}
    if isinstance(found, look.NamedTupleType):
        return {"type": "array"}
    if isinstance(found, look.DictType):
        return {"type": "object", "additionalProperties": _of(found.value_type, around)}
    if isinstance(found, _RECORDS):
        return _of_record(found, around)
    return {}


def _any_of(members: list[Schema]) -> Schema:
    """Return the schema of a union; optional choices become choices with null, for forms."""
    choices = [each for each in members if each != _NULL]
    if len(choices) == 1 and "enum" in choices[0] and len(members) > 1:
        return {"enum": [*choices[0]["enum"], None]}
    return {} if {} in members else {"anyOf": members}


def _of_record(found: Any, around: tuple[type, ...]) -> Schema:
    if found.cls in around or len(around) > _MAX_DEPTH:
        return {}
    if getattr(found, "array_like", False):
        return {"type": "array"}
    within = (*around, found.cls)
    properties = {each.encode_name: _of(each.type, within) for each in found.fields}
    schema: Schema = {"type": "object", "properties": properties}
    required = [each.encode_name for each in found.fields if each.required]
    if required:
        schema["required"] = required
    if getattr(found, "tag_field", None) is not None:
        properties[found.tag_field] = {"enum": [found.tag]}
    if getattr(found, "forbid_unknown_fields", False):
        schema["additionalProperties"] = False
    return schema
