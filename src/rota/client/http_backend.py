"""The backend of a Client: each operation is one request to a server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar
from urllib.parse import quote

import msgspec

from rota.client.line import Call
from rota.errors import BadInput
from rota.ids import new_id
from rota.model.view import encode
from rota.operations.operation import Operation, parameters
from rota.operations.wire import HEADERS, Place, answer_type, camel, places, query_name

if TYPE_CHECKING:
    from rota.client.line import HttpTransport

P = ParamSpec("P")
T = TypeVar("T")
BATCH = 2_000
"""The most items in one request, so that its body is not too large."""


class HttpBackend:
    """Carries operations out through a server, as the token permits."""

    def __init__(self, line: HttpTransport, namespace: Callable[[], str]) -> None:
        self._line = line
        self._namespace = namespace
        self.batch = BATCH

    @property
    def namespace(self) -> str:
        """The namespace of the token."""
        return self._namespace()

    def call(self, operation: Operation[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Carry out an operation; a change is on disk when this returns, and made once."""
        names = parameters(operation.function)
        arguments = {**dict(zip(names, args, strict=False)), **kwargs}
        set_arguments = {name: it for name, it in arguments.items() if it != names[name].default}
        answer: T = self._line.ask(
            _request(operation, set_arguments), answer_type(operation.function)
        )
        return answer

    def acting_as(self, who: str | None) -> Self:
        """Refuse another actor: only a program on the store may name one."""
        if who is not None:
            raise BadInput("who: at a server the token says who it is")
        return self


def _request(operation: Operation[..., Any], arguments: Mapping[str, Any]) -> Call:
    """Return the request that the server's route of the operation expects."""
    path = operation.path
    query: dict[str, str | list[str]] = {}
    headers: dict[str, str] = {}
    fields: dict[str, Any] = {}
    body: object = None
    where = places(operation)
    for name, value in arguments.items():
        match where[name]:
            case Place.PATH:
                path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
            case Place.QUERY:
                query[query_name(operation.function, name)] = _in_query(value)
            case Place.HEADER:
                headers[HEADERS[name]] = value
            case Place.BODY:
                fields[camel(name)] = value
            case Place.WHOLE_BODY:
                body = value
    takes_body = any(each in (Place.BODY, Place.WHOLE_BODY) for each in where.values())
    content = encode(fields if body is None else body) if takes_body else None
    key = None if operation.verb is None else new_id()
    return Call(operation.method, path, query, content, key, headers=headers)


def _in_query(value: Any) -> str | list[str]:
    """Return the value of a query parameter; a list is given once for each of its items."""
    return [_text(each) for each in value] if isinstance(value, list | tuple) else _text(value)


def _text(value: Any) -> str:
    """Return a value in the form of a query."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode().strip('"')
