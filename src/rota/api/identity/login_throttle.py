"""Throttling of bad credentials, counted by address and by the first characters of the credential.

Many clients share an address: a proxy, an office, a node. Bad credentials of one of them must not
shut out the others, so a credential is looked up whatever its address has tried before. Once an
address has gone too far, the answer is `too many` instead of `unknown`. Credentials that begin with
the same characters (the ones that lists of tokens show) are guesses at the same token; after some
of those from one address, no further one is looked up.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable

from rota.api.server.rate_limit import TokenBuckets
from rota.clock import elapsed_s
from rota.errors import TooMany
from rota.rules.security.secrets import SHOWN


class LoginThrottle:
    """The throttle of one server process, in constant memory."""

    def __init__(self, most: int, *, clock: Callable[[], float] = elapsed_s) -> None:
        """Allow `most` bad credentials a minute."""
        self._most = most
        self._rate = most / 60
        self._buckets = TokenBuckets(clock=clock)

    def check(self, address: str, secret: str) -> None:
        """TooMany after too many bad credentials from this address that begin as this one does."""
        at = _network_of(address), secret[:SHOWN]
        wait_s = self._buckets.wait_s(at, rate=self._rate, burst=self._most)
        if wait_s:
            raise TooMany("too many bad credentials that begin like this one", retry_after_s=wait_s)

    def fail(self, address: str, secret: str) -> None:
        """Count a bad credential; TooMany if this address has sent too many."""
        network = _network_of(address)
        self._buckets.take((network, secret[:SHOWN]), rate=self._rate, burst=self._most)
        wait_s = self._buckets.take(network, rate=self._rate, burst=self._most)
        if wait_s:
            raise TooMany("too many bad credentials from this address", retry_after_s=wait_s)

    def clear(self) -> None:
        """Forget all failures."""
        self._buckets.clear()


def _network_of(address: str) -> str:
    """Return the network whose bad credentials are counted together: with IPv6, a whole /64.

    Anybody with IPv6 has 2**64 addresses.
    """
    if ":" not in address:
        return address
    return str(ipaddress.ip_network((address.partition("%")[0], 64), strict=False))
