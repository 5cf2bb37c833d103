"""Protection from SSRF: no request of an HTTP job reaches an address inside our own network.

Every address is checked where it is used, after the name was resolved, so that a name whose answer
changes between check and connection cannot slip through. rules.security.egress decides which
addresses are allowed.
"""

from __future__ import annotations

import ipaddress
import socket

from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver
from yarl import URL

from rota.errors import BadInput
from rota.model.workers.sandbox import Egress
from rota.rules.security.addresses import METADATA_NAMES, Address
from rota.rules.security.egress import may_call, may_reach
from rota.rules.security.web_address import shown_address

ANYWHERE = Egress()


class NotReached(BadInput):
    """The settings of this worker forbid its jobs to call this host or address."""


class PrivateAddress(NotReached):
    """The address is not on the public internet; set allow_private to call it all the same."""


def check_url(url: URL, *, allow_private: bool, egress: Egress = ANYWHERE) -> None:
    """Refuse URLs that are no web address, hosts not on the list, and literal private addresses."""
    if url.scheme not in ("http", "https") or not url.host:
        shown = shown_address(str(url))[:200]
        raise BadInput(f"{shown!r} is not an address that starts with http:// or https://")
    if not may_call(egress, url.host):
        raise NotReached(
            f"{url.host} is not among the hosts that this worker may call: see `hosts` in [http] "
            "of its rota.toml"
        )
    if url.host.lower().rstrip(".") in METADATA_NAMES and egress.inside is None:
        raise NotReached(f"{url.host} serves credentials of a cloud machine; jobs may not call it")
    literal = _literal(url.host)
    if literal is not None:
        check_address(literal, url.host, allow_private=allow_private, egress=egress)


def check_address(
    address: Address, host: str, *, allow_private: bool = False, egress: Egress = ANYWHERE
) -> None:
    """Raise unless a connection to the address, and to any it stands for, is allowed."""
    if may_reach(egress, address, allow_private=allow_private):
        return
    if allow_private:
        raise NotReached(
            f"{host} leads to {address}, which this worker may not reach: see `inside` in [http] "
            "of its rota.toml"
        )
    raise PrivateAddress(
        f"{host} leads to {address}, which is not on the public internet; "
        "set allow_private to call it all the same"
    )


class GuardedResolver(AbstractResolver):
    """Resolves names once and refuses those with any forbidden address among their answers."""

    def __init__(self, *, allow_private: bool = False, egress: Egress = ANYWHERE) -> None:
        self._resolver: AbstractResolver = ThreadedResolver()
        self._allow_private = allow_private
        self._egress = egress

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        answers = await self._resolver.resolve(host, port, family)
        for answer in answers:
            address = ipaddress.ip_address(answer["host"])
            check_address(address, host, allow_private=self._allow_private, egress=self._egress)
        return answers

    async def close(self) -> None:
        await self._resolver.close()


def _literal(host: str) -> Address | None:
    """Return the address that a host spells, also 2130706433, 0x7f.1 or 0177.0.0.1; else None."""
    try:
        return ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        pass
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host))
    except (OSError, ValueError):
        return None
