"""The address of a server, and whether a token may be sent there."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from rota.errors import BadUrl

PREFIX = "/api/v1"


def check_address(url: str, *, in_clear: bool = False) -> str:
    """Return the address without a slash at its end; BadUrl if it is invalid or leaks the token."""
    try:
        parts = urlsplit(url.strip())
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise BadUrl(f"{url!r:.140} is no address of a server: {error}") from error
    if parts.scheme not in ("http", "https") or not host:
        raise BadUrl(f"the address of a server is https://rota.example.org, not {url!r:.140}")
    if parts.username is not None or parts.query or parts.fragment:
        raise BadUrl("an address holds no credential and no query; the token is given apart")
    if parts.scheme == "http" and not in_clear and not _is_here(host):
        raise BadUrl(
            f"http://{host} would carry the token in the clear; use https, or say in_clear "
            "if the way there is safe"
        )
    return url.strip().rstrip("/").removesuffix(PREFIX)


def is_near(url: str) -> bool:
    """Whether the address is on this machine."""
    return _is_here(urlsplit(url).hostname or "")


def _is_here(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
