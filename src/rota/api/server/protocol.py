"""HTTP through uvicorn, with bounds on time and size for every part of a request.

Heads must arrive soon and be small. After the head, everything that is not the body (trailers,
extensions of chunks) is discarded, and ends the connection when it is larger than a head may be.
Without the bounds a client could keep a thousand half-sent requests open for ever, or take all
memory with one, before it has authenticated.
"""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from rota.api.server.options import ServerOptions

TOO_LARGE = "The head of the request is too large."
OVERSIZED = "oversized head"
ABSOLUTE = "absolute target"
"""The key in the scope for the host and port of a request whose target is an absolute address."""
MOST_PIPELINED = 32
"""The most requests that wait on one connection behind the one being answered."""


class BoundedHttpProtocol(HttpToolsProtocol):
    """One connection; `limits` are the options of the server."""

    limits: ClassVar[ServerOptions] = ServerOptions()

    _timer: asyncio.TimerHandle | None = None
    _head_bytes = 0
    _loose_bytes = 0
    """The bytes after a head that are neither content nor the size of a chunk: all extensions and
    trailers of a request together."""
    _chunk_bytes = 0
    _in_head = True

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._disarm()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        if self._in_head:
            self._head_bytes += len(data)
            if self._timer is None:
                self._expect_head()
        else:
            self._loose_bytes += len(data)
        super().data_received(data)
        most = self.limits.header_bytes
        if (self._in_head and self._head_bytes > most) or self._loose_bytes > most:
            self._refuse()
        elif len(self.pipeline) > MOST_PIPELINED:
            self.transport.abort()

    def on_message_begin(self) -> None:
        self._in_head = True
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._in_head:  # what comes after a body was not there when the head was judged
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._disarm()
        size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        self._loose_bytes = max(0, self._head_bytes + self._loose_bytes - size)
        self._head_bytes = 0
        facts: dict[str, Any] = self.scope  # type: ignore[assignment]  # ours ride along
        if size > self.limits.header_bytes:
            self.url = b"/"
            self.headers[:] = [(b"host", b"")]
            facts[OVERSIZED] = True  # refused at the doors
        if not self.url.startswith(b"/") and self.url != b"*":
            facts[ABSOLUTE] = _host_of(self.url)
        facts["abandon"] = self.transport.abort
        facts["is_gone"] = self.transport.is_closing
        super().on_headers_complete()

    def on_chunk_header(self) -> None:
        self._chunk_bytes = 0

    def on_chunk_complete(self) -> None:
        """Take off the bytes that every chunk needs: its size, and the ends of two lines."""
        self._is_due(len(f"{self._chunk_bytes:x}") + 4)

    def on_body(self, body: bytes) -> None:
        self._chunk_bytes += len(body)
        self._is_due(len(body))
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._loose_bytes = 0
        super().on_message_complete()

    def shutdown(self) -> None:
        """End the answer of an endless stream when the server stops."""
        super().shutdown()
        facts: dict[str, Any] | None = self.scope  # type: ignore[assignment]
        ending = facts.get("ending") if facts else None
        if ending is not None:
            ending()

    def on_response_complete(self) -> None:
        self._in_head = True
        super().on_response_complete()

    def _is_due(self, count: int) -> None:
        self._loose_bytes = max(0, self._loose_bytes - count)

    def _refuse(self) -> None:
        """Refuse the request, or close: after an answer, a refusal would be taken for another's."""
        if self.transport.is_closing():
            return
        if self._in_head:
            self.send_400_response(TOO_LARGE)
        else:
            self.transport.abort()

    def _expect_head(self) -> None:
        self._timer = self.loop.call_later(self.limits.header_s, self._give_up)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        self._timer = None
        if self._in_head and not self.transport.is_closing():
            self.transport.close()


def _host_of(target: bytes) -> str:
    """Return the host of an absolute target; empty when it names no host of the web.

    The host is returned as written: a part before an `@` stays, so that it fits no Host header.
    """
    scheme, marker, rest = target.partition(b"://")
    if not marker or scheme.lower() not in (b"http", b"https"):
        return ""
    try:
        httptools.parse_url(target)
    except httptools.HttpParserInvalidURLError:
        return ""
    for sign in (b"/", b"?", b"#"):
        rest = rest.partition(sign)[0]
    return rest.decode("latin-1").lower()


def guarded(options: ServerOptions) -> type[BoundedHttpProtocol]:
    """Return a protocol class with the limits of these options."""
    return type("BoundedHttpProtocol", (BoundedHttpProtocol,), {"limits": options})
