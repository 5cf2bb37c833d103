"""The addresses that foreign jobs ping; the secret in the address is the credential.

They are those of healthchecks.io, so that a job or a library that pings there can ping here.
Answers are plain text. What comes along in a POST is kept up to a bound, and a ping is not refused
because its log is too long.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from litestar import HttpMethod, MediaType, Response, route
from litestar.exceptions import ClientException, InternalServerException
from litestar.params import FromPath

from rota.api.identity.authorization import public
from rota.api.identity.identities import address_of
from rota.api.server.request import ApiRequest
from rota.errors import BadOption, TooMany
from rota.model.monitors.monitor import PING_BODY_BYTES, PingFacts
from rota.rules.monitors.addresses import read_address, read_rid

MOST_READ = 10_000_000
"""Bytes of a body that are read; a job that sends more is cut off."""
MOST_AGENT = 200
LIMIT = {"Ping-Body-Limit": str(PING_BODY_BYTES)}


@route(
    "/ping/{place:path}",
    http_method=[HttpMethod.GET, HttpMethod.HEAD, HttpMethod.POST],
    **public(),
    status_code=200,
    request_max_body_size=None,
)
async def receive_ping(request: ApiRequest, place: FromPath[Path]) -> Response[str]:
    """Record a ping."""
    try:
        target = read_address(str(place).lstrip("/"))
        rid = read_rid(request.query_params.get("rid"))
    except BadOption as error:
        return _answer(str(error), 400)
    body, size = await _body(request) if request.method == "POST" else (b"", 0)
    ping = PingFacts(
        kind=target.kind,
        exit_status=target.exit_status,
        rid=rid,
        method=str(request.method),
        address=address_of(request),
        agent=_printable(request.headers.get("user-agent", "")),
        body=_text(body),
        size=size,
    )
    try:
        is_known = await request.server_state.pings.send(target, ping)
    except TooMany as error:
        return _answer(
            "rate limited", 429, {"Retry-After": str(max(1, round(error.retry_after_s)))}
        )
    if not is_known:
        return _answer("not found", 404)
    closing = {"Connection": "close"} if size > MOST_READ else {}
    return _answer("OK", 200, LIMIT | closing)


async def _body(request: ApiRequest) -> tuple[bytes, int]:
    """Return the first bytes of the body and the number of those that came; the rest is dropped."""
    kept, size = bytearray(), 0
    try:
        async with asyncio.timeout(request.server_state.options.body_s):
            async for piece in request.stream():
                size += len(piece)
                kept += piece[: max(0, PING_BODY_BYTES - len(kept))]
                if size > MOST_READ:
                    break
    except InternalServerException:
        raise ClientException("the request was cut off") from None
    except TimeoutError:
        raise ClientException(
            "the body did not arrive in time", status_code=408, headers={"Connection": "close"}
        ) from None
    return bytes(kept), size


def _text(body: bytes) -> str:
    """Return the body as text that any database keeps, of no more bytes than the limit."""
    text = body.decode("utf-8", "replace").replace("\0", "�")
    return text.encode()[:PING_BODY_BYTES].decode("utf-8", "ignore")


def _printable(text: str) -> str:
    return "".join(each for each in text if each.isprintable())[:MOST_AGENT]


def _answer(text: str, status: int, headers: dict[str, str] | None = None) -> Response[str]:
    return Response(text, status_code=status, headers=headers, media_type=MediaType.TEXT)


ROUTES = (receive_ping,)
