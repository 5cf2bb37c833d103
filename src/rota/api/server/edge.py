"""The edge: checks that every request passes before a route sees it.

Foreign Host headers (DNS rebinding) and foreign origins of changes are refused; every answer gets
the id of its request and the headers that keep browsers strict.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from rota.api.identity.security_events import Kind, SecurityEvents
from rota.api.server.options import ServerOptions
from rota.api.server.problems import MEDIA_TYPE, Problem, make
from rota.api.server.protocol import ABSOLUTE, OVERSIZED, TOO_LARGE
from rota.ids import new_id

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"content-security-policy", CSP.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)
_KINDS: dict[str, Kind] = {"foreign-host": "foreign-host", "foreign-origin": "foreign-origin"}
SINGLE = frozenset(
    {b"authorization", b"content-type", b"idempotency-key", b"if-match", b"x-csrf-token"}
)
"""Headers that decide about a request, each of which may come only once."""
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]{1,5})?")
HSTS = (b"strict-transport-security", b"max-age=31536000")


class EdgeMiddleware:
    """Middleware around the whole application, for any protocol."""

    def __init__(self, app: ASGIApp, options: ServerOptions, refusals: SecurityEvents) -> None:
        self._app = app
        self._refusals = refusals
        self._names = options.allowed_names
        self._is_secure = options.is_secure
        self._headers = (*HEADERS, *((HSTS,) if options.is_secure else ()))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        request_id = new_id()
        facts: dict[str, Any] = scope  # type: ignore[assignment]  # ours ride along
        facts["request_id"] = request_id
        facts["answer_headers"] = []
        _keep_slashes(facts)

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", []))
                present = {name for name, _ in headers}
                headers.append((b"x-request-id", request_id.encode()))
                headers += [pair for pair in self._headers if pair[0] not in present]
                headers += facts["answer_headers"]
                message["headers"] = headers
            await send(message)

        refusal = self._refusal(facts)
        if refusal is not None:
            address = (facts.get("client") or ("",))[0]
            event = {"address": address, "request_id": request_id, "detail": refusal.detail}
            self._refusals.tell(refusal.code, **event)
            self._refusals.count(_KINDS.get(refusal.code, "bad-head"))
        if refusal is None:
            await self._app(scope, receive, answer)
        elif facts["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": refusal.code})
        else:
            await _refuse(answer, msgspec.structs.replace(refusal, request_id=request_id))

    def _refusal(self, scope: dict[str, Any]) -> Problem | None:
        if scope.get(OVERSIZED):
            remedy = "Send fewer or shorter headers, or a shorter address."
            return make("head-too-large", 431, TOO_LARGE, remedy)
        headers = scope["headers"]
        hosts = [value.decode("latin-1") for name, value in headers if name == b"host"]
        if len(hosts) != 1 or _name(hosts[0]) not in self._names:
            return make(
                "foreign-host",
                421,
                f"This server is not called {', '.join(hosts)!r:.100}.",
                "Use one of its names; `--server-names` adds some.",
            )
        if scope.get(ABSOLUTE, hosts[0].lower()) != hosts[0].lower():
            return make(
                "foreign-host",
                421,
                "The request is for an address of another host than its Host header names.",
                "Send the path alone, or the same host in both.",
            )
        if (wrong := _bad_path(scope) or _doubled(headers)) is not None:
            return wrong
        return None if scope.get("method") in SAFE else self._stranger(headers, hosts[0])

    def _stranger(self, headers: list[tuple[bytes, bytes]], host: str) -> Problem | None:
        """Return a problem if a page of another site makes the request."""
        # As our pages tell no referrer, browsers send `null` for their forms; which site they are
        # of is in a header that no page can set.
        is_own = (b"sec-fetch-site", b"same-origin") in headers
        for name, value in headers:
            if name == b"origin" and value == b"null" and is_own:
                continue
            if name == b"origin" and not self._is_ours(value.decode("latin-1"), host):
                return _foreign(value.decode("latin-1"))
            if name == b"sec-fetch-site" and value not in (b"same-origin", b"none"):
                return _foreign(value.decode("latin-1"))
        return None

    def _is_ours(self, origin: str, host: str) -> bool:
        """Whether a page is of this host; over https, a page of http is not."""
        try:
            page = urlsplit(origin)
        except ValueError:
            return False
        schemes = ("https",) if self._is_secure else ("http", "https")
        return page.scheme in schemes and page.netloc.lower() == host.lower()


def _bad_path(scope: dict[str, Any]) -> Problem | None:
    if "\0" in scope["path"] or b"%00" in scope.get("query_string", b""):
        remedy = "No name has one; leave it out."
        return make("bad-request", 400, "The address holds a zero byte.", remedy)
    if "//" in scope["path"]:  # for a proxy in front it is another path than with one slash
        remedy = "Leave one of them out; a slash in a name is written as %2F."
        return make("not-found", 404, "There is nothing where two slashes are in a row.", remedy)
    return None


def _doubled(headers: list[tuple[bytes, bytes]]) -> Problem | None:
    """Return a problem if a header comes twice: a proxy in front may have checked the other one."""
    names = [name for name, _ in headers if name in SINGLE]
    if len(set(names)) == len(names):
        return None
    twice = max(names, key=names.count).decode()
    return make(
        "bad-request", 400, f"The header {twice} comes twice.", "Send it once; nothing was done."
    )


def _foreign(origin: str) -> Problem:
    return make(
        "foreign-origin",
        403,
        f"A page of {origin!r:.100} asks for a change here.",
        "Pages of other sites cannot use this server; programs send no Origin.",
    )


def _name(host: str) -> str:
    """Return the name in a Host header, without port and brackets; empty if it is malformed."""
    match = _HOST.fullmatch(host)
    return match[1].strip("[]").lower() if match else ""


def _keep_slashes(scope: dict[str, Any]) -> None:
    """Keep a slash that was sent as %2F in its name; decoded, it would make another path."""
    raw = scope.get("raw_path") or b""
    if b"%2f" in raw.lower():
        text = raw.decode("ascii", "replace").replace("%2F", "%252F").replace("%2f", "%252F")
        scope["path"] = unquote(text)


def named(part: str) -> str:
    """Return a name from a path, with the slashes that `_keep_slashes` kept."""
    return part.replace("%2F", "/")


async def _refuse(send: Send, problem: Problem) -> None:
    body = msgspec.json.encode(problem)
    headers = [
        (b"content-type", MEDIA_TYPE.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    start: Any = {"type": "http.response.start", "status": problem.status, "headers": headers}
    await send(start)
    last: Any = {"type": "http.response.body", "body": body, "more_body": False}
    await send(last)
