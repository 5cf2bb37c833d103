"""Types that an annotation alone names: they can be checked without the function."""

from __future__ import annotations

import ast
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Any, Literal, Union
from uuid import UUID

import msgspec

from rota.rules.jobs.annotations import Annotation, parsed
from rota.rules.jobs.signature import wire
from rota.rules.jobs.signature.hints import readable

_PLAIN: dict[str, Any] = {
    "str": str, "int": int, "float": float, "bool": bool, "None": None,
    "date": date, "datetime": datetime, "time": time, "timedelta": timedelta,
    "Decimal": Decimal, "UUID": UUID,
}  # fmt: skip
_LISTS = frozenset({"list", "List"})
_MAPPINGS = frozenset({"dict", "Dict"})
_PAIR = 2


@lru_cache(maxsize=4_096)
def plain_kind(annotation: str) -> Any:
    """Return the type of a text such as `list[int] | None`; Any if only the code knows it."""
    kind = _of(parsed(annotation))
    try:
        return readable(kind)
    except TypeError:
        return Any


def misfit(name: str, value: Any, kind: Any) -> str | None:
    """Return why a value does not fit a parameter of this type, such as `rows[1]: Expected...`.

    None if it fits, or if only the code can tell.
    """
    if kind is Any:
        return None
    try:
        msgspec.convert(value, kind, dec_hook=wire.dec_hook)
    except msgspec.ValidationError as error:
        words, _, at = str(error).partition(" - at `$")
        return f"{name}{at.removesuffix('`')}: {words}"
    return None


def _of(kind: Annotation) -> Any:
    if kind.name == "|":
        members = [_of(each) for each in kind.inner]
        return Any if Any in members else Union[tuple(members)]  # noqa: UP007  # found at run time
    if kind.name in _LISTS:
        return list[_of(kind.inner[0])] if len(kind.inner) == 1 else list[Any]  # type: ignore[misc]
    if kind.name in _MAPPINGS:
        has_types = len(kind.inner) == _PAIR and kind.inner[0].name == "str"
        return dict[str, _of(kind.inner[1])] if has_types else dict[str, Any]  # type: ignore[misc]
    if kind.name == "Literal":
        return literal([_constant(each) for each in kind.inner])
    return _PLAIN.get(kind.name, Any) if not kind.inner else Any


def literal(values: list[Any]) -> Any:
    """Return the type of exactly these values; Any if one is not text, a number or None."""
    if not values or not all(type(each) in (str, int, type(None)) for each in values):
        return Any
    return Literal[tuple(values)]


def _constant(each: Annotation) -> Any:
    try:
        return ast.literal_eval(each.name)
    except (ValueError, SyntaxError):
        return ...
