"""The client address of a request behind a proxy, as the proxy in front reports it.

A proxy adds its peer to the end of `X-Forwarded-For`; the entries before come from that peer, and
may be made up. So the last entry that is not one of our own proxies counts.
"""

from __future__ import annotations

import ipaddress
from typing import Any

from litestar.types import ASGIApp, Receive, Scope, Send

from rota.api.server.options import ServerOptions
from rota.rules.security.addresses import Address


class ProxyMiddleware:
    """Middleware that trusts the peer as a proxy, because the options of the server say so."""

    def __init__(self, app: ASGIApp, options: ServerOptions) -> None:
        self._app = app
        self._proxies = tuple(map(ipaddress.ip_network, options.proxies))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        facts: dict[str, Any] = scope  # type: ignore[assignment]  # all protocols alike
        if facts["type"] in ("http", "websocket"):
            values = [value for name, value in facts["headers"] if name == b"x-forwarded-for"]
            address = self._last(b",".join(values).decode("latin-1"))
            if address is not None:
                facts["client"] = (str(address), 0)
        await self._app(scope, receive, send)

    def _last(self, text: str) -> Address | None:
        """Return the last address; None when there is none, or the entry is malformed."""
        last: Address | None = None
        for entry in reversed(text.split(",")):
            address = _address(entry.strip())
            if address is None:
                break
            last = address
            if not any(address in network for network in self._proxies):
                break
        return last


def _address(entry: str) -> Address | None:
    """Return the address in `1.2.3.4`, `1.2.3.4:567`, `::1` or `[::1]:80`."""
    if entry.startswith("["):
        entry = entry[1:].partition("]")[0]
    elif entry.count(":") == 1:
        entry = entry.partition(":")[0]
    try:
        return ipaddress.ip_address(entry)
    except ValueError:
        return None
