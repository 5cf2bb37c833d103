"""The guard of HTTP jobs: no request reaches an address inside our own network.

Every address is checked where it is used, after the name was resolved, so that a
name whose answer changes between check and connection cannot slip through.
"""

from __future__ import annotations

import ipaddress
import socket

from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver
from yarl import URL

from rota.errors import BadInput

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_NAT64 = ipaddress.ip_network("64:ff9b::/96")


class PrivateAddress(BadInput):
    """The address is not on the public internet; set allow_private to call it all the same."""


def check_url(url: URL, *, allow_private: bool) -> None:
    """Refuse what is no web address, and literal private addresses in any spelling."""
    if url.scheme not in ("http", "https") or not url.host:
        raise BadInput(f"{str(url)[:200]!r} is no address that starts with http:// or https://")
    literal = _literal(url.host)
    if literal is not None and not allow_private:
        check_address(literal, url.host)


def check_address(address: Address, host: str) -> None:
    """Raise PrivateAddress unless the address, and any it stands for, is public."""
    for each in (address, *_embedded(address)):
        if not each.is_global or each.is_multicast:
            raise PrivateAddress(
                f"{host} leads to {address}, which is not on the public internet; "
                "set allow_private to call it all the same"
            )


class GuardedResolver(AbstractResolver):
    """Resolves names and refuses those with any private address among their answers."""

    def __init__(self) -> None:
        self._resolver = ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        found = await self._resolver.resolve(host, port, family)
        for answer in found:
            check_address(ipaddress.ip_address(answer["host"]), host)
        return found

    async def close(self) -> None:
        await self._resolver.close()


def _literal(host: str) -> Address | None:
    """The address a host spells out, also as 2130706433, 0x7f.1 or 0177.0.0.1; None for names."""
    try:
        return ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        pass
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host))
    except (OSError, ValueError):
        return None


def _embedded(address: Address) -> list[Address]:
    """IPv4 addresses that an IPv6 address leads to: mapped, 6to4, Teredo, NAT64."""
    if isinstance(address, ipaddress.IPv4Address):
        return []
    inner = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _NAT64:
        inner.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [each for each in inner if each is not None]
