"""The gate: every operation names the role it needs; one without a role stops the start.

The gate stands in front of all protocols and files. It hangs on the application and not on a path,
so no spelling of a path leads around it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from litestar import Litestar
from litestar.connection import ASGIConnection
from litestar.exceptions import MethodNotAllowedException
from litestar.handlers import BaseRouteHandler
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import QueryParameter

from rota.api.identity.identities import address_of
from rota.api.server.problems import MEDIA_TYPE, Problem
from rota.errors import BadInput, BadOption, NotPermitted, TooMany
from rota.model.identity.credentials import LADDER, WORKER, Role

KEY = "needs"
WHOLE = "whole house"
REPEATED = "repeated"
"""Names of query parameters that may be given several times."""
ANY_QUERY = "any query"
"""Marks the routes of pages: any query is accepted, because scripts of the page read it."""
PUBLIC = frozenset(
    {
        ("GET", "/healthz"),
        ("GET", "/readyz"),
        ("GET", "/login"),
        ("POST", "/login"),
        ("GET", "/login/page.css"),
        ("GET", "/login/oidc"),
        ("GET", "/login/oidc/callback"),
        ("GET", "/ping/{place:path}"),
        ("HEAD", "/ping/{place:path}"),
        ("POST", "/ping/{place:path}"),
    }
)
"""All routes that need no credential: exact pairs of method and path, none of them with data. Of
the addresses of monitors a secret part is the credential."""
SCHEMES: list[dict[str, list[str]]] = [{"token": []}, {"session": []}]
_SAYS = {
    400: "The request makes no sense.",
    401: "No credential, or none that is good.",
    403: "The credential does not allow this.",
    404: "There is no such thing, or it is not yours.",
    409: "The present state does not allow this.",
    412: "It was changed since it was read.",
    413: "Too much at once.",
    415: "The body is not JSON.",
    422: "The request can be read and cannot be done.",
    429: "Too much in this time, or beyond a quota.",
    503: "The database cannot be reached.",
}
WORKERS = 20
"""Workers may send this many times the requests of other clients: many workers share a token."""
READS = (400, 401, 403, 404, 429, 503)
CHANGES = (400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 503)


class Needs(NamedTuple):
    """The credential that an operation needs; an operation without a role is public."""

    role: Role | None
    also: tuple[str, ...] = ()
    """Further roles that some uses of the operation need, for the documentation."""
    everybody: bool = False
    """Whether any credential will do, that of a worker too."""


class Endpoint(NamedTuple):
    """One method of one path."""

    method: str
    path: str
    needs: Needs
    name: str


def needs(
    role: Role,
    *,
    changes: bool = False,
    also: tuple[str, ...] = (),
    whole: bool = False,
    everybody: bool = False,
) -> dict[str, Any]:
    """Return the options for the decorator of a route: `@get("/runs", **needs("viewer"))`.

    The check at the gate, the tested matrix of roles and the description of the API are all made
    from them. With `whole` the operation is about all namespaces and only for callers in the home
    namespace.
    """
    who = "Needs any credential" if everybody else f"Needs the role `{role}`"
    description = who + "".join(f"; some uses need `{each}`" for each in also) + "."
    return {
        "opt": {KEY: Needs(role, also, everybody), WHOLE: whole},
        "security": SCHEMES,
        "responses": {status: _spec(status) for status in (CHANGES if changes else READS)},
        "response_description": description,
    }


def public() -> dict[str, Any]:
    """Return the options for the few routes listed in PUBLIC."""
    return {"opt": {KEY: Needs(None)}, "security": [{}], "include_in_schema": False}


async def gate(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """Check the credential of a request; Litestar calls this before each handler of any kind."""
    needed: Needs | None = handler.opt.get(KEY)
    if needed is None:  # the answer to OPTIONS that Litestar makes by itself
        raise MethodNotAllowedException
    if needed.role is None:
        return
    server_state = connection.app.state.server_state
    credential = await server_state.identities.of(connection)
    facts: dict[str, Any] = connection.scope  # type: ignore[assignment]
    facts["credential"] = credential
    rate = server_state.options.rate * (WORKERS if WORKER in credential.roles else 1)
    wait_s = server_state.buckets.take(credential.id, rate=rate, burst=2 * rate)
    if wait_s:
        raise TooMany(f"more than {rate:g} requests a second", retry_after_s=wait_s)
    if not (needed.everybody or credential.has(needed.role)):
        server_state.refusals.tell(
            "not-permitted",
            address=address_of(connection),
            request_id=str(connection.scope.get("request_id", "")),
            detail=f"{connection.scope.get('method', '')} {connection.scope['path']}",
            who=credential.who,
        )
        raise NotPermitted(
            f"this needs the role {needed.role}; the credential has {', '.join(credential.roles)}"
        )
    if facts["query_string"] and not handler.opt.get(ANY_QUERY):
        repeated = handler.opt.get(REPEATED, frozenset())
        _check_query(facts["query_string"], _query_names(handler), repeated)


def _check_query(text: bytes, allowed: frozenset[str], repeated: frozenset[str]) -> None:
    """Refuse a query parameter that is unknown, or given twice if it takes one value."""
    seen_names: set[str] = set()
    for name, _ in parse_qsl(text.decode("latin-1"), keep_blank_values=True):
        if name not in allowed:
            raise BadInput(
                f"there is no parameter {name!r:.64} here;"
                f" known are: {', '.join(sorted(allowed)) or 'none'}"
            )
        if name in seen_names and name not in repeated:
            raise BadInput(f"the parameter {name!r:.64} is given twice")
        seen_names.add(name)


@cache
def _query_names(handler: BaseRouteHandler) -> frozenset[str]:
    fields = handler.parsed_fn_signature.parameters
    return frozenset(
        field.kwarg_definition.name or name
        for name, field in fields.items()
        if isinstance(field.kwarg_definition, QueryParameter)
    )


def operations(app: Litestar) -> Iterator[Endpoint]:
    """Yield all operations that the application really serves; BadOption for one without needs."""
    for route in app.routes:
        handlers = getattr(route, "route_handlers", None) or [getattr(route, "route_handler", None)]
        for handler in handlers:
            methods = sorted(getattr(handler, "http_methods", ()) or ("GET",))
            if methods == ["OPTIONS"]:
                continue
            for method in methods:
                yield _operation(str(method), route.path, handler)


def _operation(method: str, path: str, handler: Any) -> Endpoint:
    needed = handler.opt.get(KEY) if handler is not None else None
    if not isinstance(needed, Needs):
        raise BadOption(f"{method} {path} does not say which role it needs")
    if (needed.role is None) != ((method, path) in PUBLIC):
        raise BadOption(f"{method} {path} and the list of what is public do not agree")
    beside = (*LADDER, WORKER, "audit")
    if needed.role is not None and needed.role not in beside:
        raise BadOption(f"{method} {path} needs one of the roles {', '.join(beside)}")
    return Endpoint(method, path, needed, handler.handler_name)


def _spec(status: int) -> ResponseSpec:
    return ResponseSpec(
        data_container=Problem,
        description=_SAYS[status],
        media_type=MEDIA_TYPE,
        generate_examples=False,
    )
