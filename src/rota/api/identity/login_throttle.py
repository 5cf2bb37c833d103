"""Patience with bad credentials: counted by where they come from and by how they begin.

Many share an address: a proxy, an office, a node. So bad credentials of one of them must not shut
out the others, and a credential is looked up whatever its address has tried before. What is told is
`too many` instead of `unknown` once an address has gone too far. Credentials that begin the same,
with the characters that lists of tokens show, are guesses at one and the same; after some of those
from one address no further one is looked up.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable

from rota.api.server.rate_limit import TokenBuckets
from rota.clock import elapsed_s
from rota.errors import TooMany
from rota.rules.security.secrets import SHOWN


class LoginThrottle:
    """Of one server process; in constant memory."""

    def __init__(self, most: int, *, clock: Callable[[], float] = elapsed_s) -> None:
        """So many a minute."""
        self._most = most
        self._rate = most / 60
        self._buckets = TokenBuckets(clock=clock)

    def check(self, address: str, secret: str) -> None:
        """TooMany after too many bad credentials from there that begin as this one does."""
        at = _network_of(address), secret[:SHOWN]
        wait_s = self._buckets.wait_s(at, rate=self._rate, burst=self._most)
        if wait_s:
            raise TooMany("too many bad credentials that begin like this one", retry_after_s=wait_s)

    def fail(self, address: str, secret: str) -> None:
        """A credential was bad; TooMany if too many of this address were."""
        network = _network_of(address)
        self._buckets.take((network, secret[:SHOWN]), rate=self._rate, burst=self._most)
        wait_s = self._buckets.take(network, rate=self._rate, burst=self._most)
        if wait_s:
            raise TooMany("too many bad credentials from this address", retry_after_s=wait_s)

    def clear(self) -> None:
        """As if nobody had failed."""
        self._buckets.clear()


def _network_of(address: str) -> str:
    """Whom bad credentials are counted for: with IPv6 everybody has 2**64 addresses."""
    if ":" not in address:
        return address
    return str(ipaddress.ip_network((address.partition("%")[0], 64), strict=False))
