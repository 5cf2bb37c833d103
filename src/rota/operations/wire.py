"""The place of each parameter of an operation in its HTTP request; server and client agree here."""

from __future__ import annotations

from enum import Enum
from functools import cache
from typing import Annotated, Any, NamedTuple, get_origin, get_type_hints

from rota.model.view import Body
from rota.operations.operation import Operation, parameters


class Place(Enum):
    """Where a parameter is in a request."""

    PATH = "path"
    QUERY = "query"
    HEADER = "header"
    BODY = "body"
    """A field of the JSON body."""
    WHOLE_BODY = "whole body"
    """The JSON body itself."""


class QueryName(NamedTuple):
    """Annotated to a parameter: its name in a query, where that is not its own in camelCase."""

    name: str


class WholeBody:
    """Annotated to a parameter that is the whole JSON body, although it is no Body."""


HEADERS = {"if_match": "If-Match", "if_none_match": "If-None-Match"}


def places(operation: Operation[..., Any]) -> dict[str, Place]:
    """The place of each parameter."""
    return _places(operation.function, operation.method, operation.path)


@cache
def _places(function: Any, method: str, path: str) -> dict[str, Place]:
    hints = get_type_hints(function, include_extras=True)
    return {name: _place(name, hints[name], method, path) for name in parameters(function)}


def _place(name: str, hint: Any, method: str, path: str) -> Place:
    if f"{{{name}}}" in path:
        return Place.PATH
    if name in HEADERS:
        return Place.HEADER
    is_body = isinstance(hint, type) and issubclass(hint, Body)
    if is_body or WholeBody in getattr(hint, "__metadata__", ()):
        return Place.WHOLE_BODY
    return Place.QUERY if method in ("GET", "DELETE") else Place.BODY


def plain(hint: Any) -> Any:
    """A type without what is annotated to it."""
    return getattr(hint, "__origin__", hint) if get_origin(hint) is Annotated else hint


@cache
def query_name(function: Any, name: str) -> str:
    """Return the name of a parameter in a query."""
    hint = get_type_hints(function, include_extras=True)[name]
    said = [each for each in getattr(hint, "__metadata__", ()) if isinstance(each, QueryName)]
    return said[0].name if said else camel(name)


@cache
def answer_type(function: Any) -> Any:
    """Return the type of an operation's answer."""
    return get_type_hints(function)["return"]


def camel(name: str) -> str:
    """`run_id` is `runId`."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
