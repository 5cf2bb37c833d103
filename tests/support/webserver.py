"""A real HTTP server on loopback for tests, in a thread of its own."""

from __future__ import annotations

import asyncio
import ssl
import threading
from typing import Any, Self

import msgspec
from aiohttp import web


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """A request as it arrived."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: str
    pairs: list[tuple[str, str]]
    """Headers as they came, also those that came twice."""


class WebServer:
    """Answers what the path names: /status/503, /json, /big, /slow; remembers all requests.

    With a context it speaks TLS only.
    """

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.seen: list[Seen] = []
        self._tls = tls
        self.port = 0
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._end = asyncio.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(60)
        return self

    def __exit__(self, *exc: object) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(20)
        self._loop.close()

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def _run(self) -> None:
        self._loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        app = web.Application()
        app.router.add_route("*", "/{tail:(?s:.*)}", self._answer)
        runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=self._tls)
        await site.start()
        self.port = runner.addresses[0][1]
        self._ready.set()
        await self._end.wait()
        await runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.seen.append(
            Seen(
                method=request.method,
                path=request.raw_path,
                query=dict(request.query),
                headers=dict(request.headers),
                pairs=list(request.headers.items()),
                body=await request.text(),
            )
        )
        kind, _, rest = request.path.strip("/").partition("/")
        answers: dict[str, Any] = {
            "status": lambda: _status(int(rest), dict(request.query)),
            "json": lambda: web.json_response({"cat": "Tom"}, headers={"ETag": '"7"'}),
            "big": lambda: web.Response(body=b"\x01" * 3_000_000),
        }
        if kind == "slow":
            await asyncio.sleep(60)
        return answers[kind]() if kind in answers else web.Response(text="plain ä")


def _status(status: int, headers: dict[str, str]) -> web.Response:
    return web.Response(status=status, text="the reason", headers=headers)
