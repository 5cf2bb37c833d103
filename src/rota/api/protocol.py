"""HTTP as uvicorn speaks it, with an end to the patience: heads must arrive soon and be small.

Without it a thousand half-sent requests would be kept open for ever.
"""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from rota.api.options import ServerOptions

TOO_LARGE = "The head of the request is too large."
OVERSIZED = "oversized head"


class Guarded(HttpToolsProtocol):
    """One connection; `limits` are those of the server."""

    limits: ClassVar[ServerOptions] = ServerOptions()

    _timer: asyncio.TimerHandle | None = None
    _head_bytes = 0
    _in_head = True

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._disarm()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._in_head:
            self._head_bytes += len(data)
            if self._timer is None:
                self._expect_head()
        super().data_received(data)
        if self._in_head and self._head_bytes > self.limits.header_bytes:
            self.send_400_response(TOO_LARGE)

    def on_message_begin(self) -> None:
        self._in_head = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._head_bytes = 0
        self._disarm()
        size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        facts: dict[str, Any] = self.scope  # type: ignore[assignment]  # ours ride along
        if size > self.limits.header_bytes:
            self.url = b"/"
            self.headers[:] = [(b"host", b"")]
            facts[OVERSIZED] = True  # refused at the doors
        facts["abandon"] = self.transport.abort
        facts["is_gone"] = self.transport.is_closing
        super().on_headers_complete()

    def shutdown(self) -> None:
        """The server stops: an answer that never ends by itself is told to end."""
        super().shutdown()
        facts: dict[str, Any] | None = self.scope  # type: ignore[assignment]
        ending = facts.get("ending") if facts else None
        if ending is not None:
            ending()

    def on_response_complete(self) -> None:
        self._in_head = True
        super().on_response_complete()

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


def guarded(options: ServerOptions) -> type[Guarded]:
    """A protocol with the limits of these options."""
    return type("Guarded", (Guarded,), {"limits": options})
