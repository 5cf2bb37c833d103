"""JSON Schemas of types in code, recorded with a job so that others can check without the code.

Only values that certainly cannot be read are excluded: a type with its own decoding allows
anything, and may have a `form` beside it.
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
from rota.rules.jobs.signature.pydantic_forms import form_of
from rota.rules.jobs.signature.wire import is_pydantic

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
    complex_names = [name for name, text in texts.items() if not _PLAIN.fullmatch(text)]
    if not complex_names:
        return {}
    try:
        kinds_by_name = kinds()
    except Exception:  # noqa: BLE001  # annotations are code of others; who runs it tells
        return {}
    schemas: dict[str, Schema] = {}
    for name in complex_names:
        schema = described(kinds_by_name.get(name, Any))
        if shape.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
            schema = {"type": "array", "items": schema}
        if schema != described(plain_kind(texts[name])):
            schemas[name] = schema
    is_large = len(msgspec.json.encode(schemas)) > MAX_BYTES
    return {name: {} for name in schemas} if is_large else schemas


def described(kind: Any) -> Schema:
    """Return the schema of a type; `{}` if values of it may be anything."""
    try:
        return _of(look.type_info(kind), ())
    except (TypeError, NameError, AttributeError, ValueError):
        pass
    if get_origin(kind) in (Union, types.UnionType):  # one that msgspec cannot tell apart
        return _any_of([described(each) for each in get_args(kind)])
    return {}


def _of(info: Any, around: tuple[type, ...]) -> Schema:
    """Return a schema; `around` are the enclosing classes, so that recursion is cut."""
    kind = type(info)
    if kind in _SIMPLE:
        return dict(_SIMPLE[kind])
    if kind in _LEAVES:
        return _LEAVES[kind](info)
    if kind is look.Metadata:
        return _of(info.type, around)
    if kind is look.UnionType:
        return _any_of([_of(each, around) for each in info.types])
    return _of_parts(info, around)


def _with_format(info: Any) -> Schema:
    form = {look.DateTimeType: "date-time", look.TimeType: "time"}[type(info)]
    return {"type": "string"} | ({"format": form} if info.tz is None else {})


def _bounds(info: Any) -> Schema:
    limits = {BOUNDS[key]: getattr(info, key, None) for key in BOUNDS}
    bounds = {key: each for key, each in limits.items() if each is not None}
    return {"type": _NAMES[type(info)], **bounds}


def _of_enum(info: Any) -> Schema:
    cls: type[enum.Enum] = info.cls
    values = [each.value for each in cls]
    # msgspec asks it about other values.
    reads_more = "_missing_" in {name for each in cls.__mro__ for name in _own(each)}
    return {} if reads_more or len(values) > MAX_CHOICES else {"enum": values}


def _of_custom(cls: type) -> Schema:
    """Return `{}` for a type with its own decoding; with a form, if it tells one."""
    if issubclass(cls, PurePath):
        return {"type": "string"}
    form = form_of(cls) if is_pydantic(cls) else None
    return {} if form is None else {"form": form}


def _own(cls: type) -> Iterable[str]:
    return () if cls in (enum.Enum, object, str, int) else vars(cls)


_NAMES: dict[type, str] = {
    look.IntType: "integer",
    look.FloatType: "number",
    look.StrType: "string",
}
_LEAVES: dict[type, Callable[[Any], Schema]] = {
    **dict.fromkeys(_NAMES, _bounds),
    look.DateTimeType: _with_format,
    look.TimeType: _with_format,
    look.EnumType: _of_enum,
    look.LiteralType: lambda info: {"enum": list(info.values)},
    look.CustomType: lambda info: _of_custom(info.cls),
}


def _of_parts(info: Any, around: tuple[type, ...]) -> Schema:
    """Return the schema of a type that holds other values."""
    if isinstance(info, _LISTS):
        return {"type": "array", "items": _of(info.item_type, around)}
    if isinstance(info, look.TupleType):
        items = [_of(each, around) for each in info.item_types]
        return {"type": "array", "prefixItems": items, "items": False, "minItems": len(items)}
    if isinstance(info, look.NamedTupleType):
        return {"type": "array"}
    if isinstance(info, look.DictType):
        return {"type": "object", "additionalProperties": _of(info.value_type, around)}
    if isinstance(info, _RECORDS):
        return _of_record(info, around)
    return {}


def _any_of(members: list[Schema]) -> Schema:
    """Return the schema of a union; optional choices become choices with null, for forms."""
    choices = [each for each in members if each != _NULL]
    if len(choices) == 1 and "enum" in choices[0] and len(members) > 1:
        return {"enum": [*choices[0]["enum"], None]}
    return {} if {} in members else {"anyOf": members}


def _of_record(info: Any, around: tuple[type, ...]) -> Schema:
    if info.cls in around or len(around) > _MAX_DEPTH:
        return {}
    if getattr(info, "array_like", False):
        return {"type": "array"}
    within = (*around, info.cls)
    properties = {each.encode_name: _of(each.type, within) for each in info.fields}
    schema: Schema = {"type": "object", "properties": properties}
    required = [each.encode_name for each in info.fields if each.required]
    if required:
        schema["required"] = required
    if getattr(info, "tag_field", None) is not None:
        properties[info.tag_field] = {"enum": [info.tag]}
    if getattr(info, "forbid_unknown_fields", False):
        schema["additionalProperties"] = False
    return schema
