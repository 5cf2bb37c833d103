"""Views: the public form of each noun, shared by Python, HTTP and the command line.

A view is a struct whose JSON is what the API answers, what a client decodes and what `--json`
prints: camelCase names, instants as text in UTC, JSON of the store as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from operator import attrgetter
from types import UnionType
from typing import Any, Generic, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from rota.clock import Moment, moment, read_moment
from rota.model.values.artifact import stand_in

T = TypeVar("T")
V = TypeVar("V", bound="View")
PERCENT = 100


class View(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A noun as people see it; fields that a newer server adds are left alone."""


class Body(msgspec.Struct, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """The body of a request; an unknown field is refused by name."""


class Page(msgspec.Struct, Generic[T], frozen=True, kw_only=True, rename="camel"):
    """Some of many; `next` is the `cursor` of the page that follows."""

    items: list[T]
    next: str | None = None


class JsonText(str):
    """A value as JSON text, as the store holds it; nobody reads it on its way to the client."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"JsonText({str(self)!r})"

    @property
    def value(self) -> Any:
        """The value itself: numbers, strings, lists and dictionaries."""
        return msgspec.json.decode(str(self))


def plain_text(text: JsonText | None) -> str | None:
    """Return a plain string, which decoders and encoders take."""
    return None if text is None else str(text)


class Share(float):
    """A part of a whole, from 0 to 1; as JSON in percent."""

    __slots__ = ()


def encode(value: object) -> bytes:
    """Return the JSON of views, and of values that hold views."""
    return msgspec.json.encode(value, enc_hook=to_wire)


def decode(content: bytes | str, kind: type[T]) -> T:
    """Decode views from their JSON; msgspec.DecodeError for anything else."""
    wanted: Any = kind
    value: T = _decoder(wanted).decode(content)
    return value


def to_wire(value: object) -> object:
    """Return a value that msgspec does not know as one that it knows."""
    if isinstance(value, Moment):
        return value.text()
    if isinstance(value, JsonText):
        return msgspec.Raw(stand_in(value).encode())
    if isinstance(value, Share):
        return round(value * PERCENT, 2)
    raise NotImplementedError(f"{type(value).__name__} has no JSON")


def _from_wire(kind: type, value: Any) -> object:
    if kind is Moment:
        return read_moment(value)
    if kind is JsonText:
        return JsonText(msgspec.json.encode(value).decode())
    if kind is Share:
        return Share(value / PERCENT)
    raise NotImplementedError(f"{kind.__name__} has no JSON")


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind, dec_hook=_from_wire)


def view_of(kind: type[V], row: Mapping[str, Any], /, **made: Any) -> V:
    """Return the view of a row whose columns have the names of fields.

    `made` gives the fields that are no columns. Milliseconds become instants, numbers become yes or
    no, and lists and objects are read from their JSON, as the types of the fields require.
    """
    facts = made
    for name, convert in _columns(kind):
        if name not in facts and name in row:
            value = row[name]
            facts[name] = value if convert is None or value is None else convert(value)
    return kind(**facts)


def project(kind: type[V], source: object) -> V:
    """Return the part of a view that a smaller one has; its fields are given in their order."""
    return kind(*_fields(kind)(source))


@cache
def _fields(kind: type[View]) -> Callable[[object], tuple[Any, ...]]:
    return attrgetter(*kind.__struct_fields__)


@cache
def _columns(kind: type[View]) -> tuple[tuple[str, Callable[[Any], Any] | None], ...]:
    hints = get_type_hints(kind)
    return tuple((name, _conversion(hints[name])) for name in kind.__struct_fields__)


def _conversion(hint: Any) -> Callable[[Any], Any] | None:
    """Return the conversion of a column to a field of this type; None where it needs none."""
    if get_origin(hint) in (Union, UnionType):
        hint = next(each for each in get_args(hint) if each is not type(None))
    if hint is Moment:
        return moment
    if hint in (bool, JsonText, Share):
        kind: Callable[[Any], Any] = hint
        return kind
    is_struct = isinstance(hint, type) and issubclass(hint, msgspec.Struct)
    if is_struct or get_origin(hint) in (tuple, list, dict):
        return msgspec.json.Decoder(hint).decode
    return None
