"""Internet addresses: which are public, and the IPv4 addresses inside IPv6 forms."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

METADATA_NAMES = frozenset(
    (
        "instance-data",
        "metadata",
        "metadata.azure.internal",
        "metadata.google.internal",
        "metadata.goog",
        "metadata.tencentyun.com",
    )
)
"""The host names of cloud metadata services, which give keys to callers on their machines."""
_METADATA = frozenset(
    map(
        ipaddress.ip_address,
        (
            "100.100.100.200",
            "168.63.129.16",
            "169.254.169.254",
            "169.254.170.2",
            "169.254.170.23",
            "192.0.0.192",
            "fd00:ec2::23",
            "fd00:ec2::254",
            "fd20:ce::254",
        ),
    )
)
_INSIDE = tuple(
    map(
        ipaddress.ip_network,
        (
            "0.0.0.0/8",
            "100.64.0.0/10",
            "192.0.0.0/24",
            "192.88.99.0/24",  # relays of 6to4
            "198.18.0.0/15",
            "240.0.0.0/4",
            "64:ff9b:1::/48",  # translators of a network of one's own
            "100::/64",
            "2001::/23",
            "3fff::/20",
            "5f00::/16",
            "fec0::/10",
        ),
    )
)
"""Networks that versions of Python classify differently."""
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_TRANSLATED = ipaddress.IPv6Network("::ffff:0:0:0/96")
_COMPATIBLE = ipaddress.IPv6Network("::/96")
_ISATAP = 0x5EFE
_LOW = 0xFFFFFFFF


def is_public(address: Address) -> bool:
    """Whether an address, and any IPv4 address inside it, is on the public internet."""
    return all(
        each.is_global
        and not each.is_multicast
        and each not in _METADATA
        and not any(each in network for network in _INSIDE)
        for each in (address, *embedded(address))
    )


def is_metadata(address: Address) -> bool:
    """Whether an address is a cloud metadata service, which gives out the keys of a machine."""
    return any(each in _METADATA for each in (address, *embedded(address)))


def lies_in(address: Address, networks: Iterable[Network]) -> bool:
    """Whether an address, or any IPv4 address inside it, is in one of the networks."""
    blocks = tuple(networks)
    whole = embedded(address) or [address]
    return all(any(each in network for network in blocks) for each in whole)


def embedded(address: Address) -> list[Address]:
    """Return the IPv4 addresses inside an IPv6 address.

    Mapped, translated, compatible, 6to4, Teredo, NAT64, ISATAP.
    """
    if isinstance(address, ipaddress.IPv4Address):
        return []
    inner: list[Address | None] = [address.ipv4_mapped, address.sixtofour]
    inner += address.teredo or ()
    low = int(address) & _LOW
    is_isatap = (int(address) >> 32) & 0xFDFFFFFF == _ISATAP
    is_compatible = address in _COMPATIBLE and low > 1
    is_translated = address in _NAT64 or address in _TRANSLATED
    if is_translated or is_isatap or is_compatible:
        inner.append(ipaddress.IPv4Address(low))
    return [each for each in inner if each is not None]
