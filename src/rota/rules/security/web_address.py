"""Addresses of HTTP jobs: credentials are removed, since everybody may see addresses.

`https://user:password@host/` becomes `https://host/` and a header, which is stored and hidden like
other headers: `Authorization: Basic ...`.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from rota.errors import BadOption
from rota.rules.text.template import fill, placeholders

AUTHORIZATION = "Authorization"
METHODS = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")
"""The methods that an HTTP job may use."""

_PARTS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://)([^/?#]*)(.*)", re.DOTALL)
_WEB = re.compile(r"https?://", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x20\x7f\\]")
_BREAK = re.compile(r"[\x00-\x1f\x7f]")


class Split(NamedTuple):
    """An address, and the header with its credentials."""

    url: str
    authorization: str | None


def shown_address(url: str) -> str:
    """Return an address for people: without credentials."""
    found = _PARTS.fullmatch(url)
    if found is None or "@" not in found[2]:
        return url
    return f"{found[1]}{found[2].rpartition('@')[2]}{found[3]}"


def split_address(url: str) -> Split:
    """Return the address alone, and the header value with its credentials, if it had any."""
    found = _PARTS.fullmatch(url)
    if found is None or "@" not in found[2]:
        return Split(url, None)
    return Split(shown_address(url), _basic(found[2].rpartition("@")[0]))


def check_address_text(url: str) -> None:
    """Raise BadOption for a malformed web address; the message leaves out its credentials."""
    shown = shown_address(url)
    if not _WEB.match(url):
        raise BadOption(f"{shown!r:.80} does not start with http:// or https://")
    found = _PARTS.fullmatch(url)
    host = found[2] if found else ""
    if not host.rpartition("@")[2] or _CONTROL.search(host) or _BREAK.search(url):
        raise BadOption(f"{shown!r:.80} has no host, or signs that no address may have")


def apart(url: str, headers: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return a checked address without credentials, and the headers with them."""
    check_address_text(url)
    found = _PARTS.fullmatch(url)
    who = found[2].rpartition("@")[0] if found else ""
    if names := placeholders((who,)):
        raise BadOption(
            f"{{{names[0]}}} stands before the host, where a password would be in an address; give "
            f"the header {AUTHORIZATION} instead"
        )
    if found is None or "@" not in found[2]:
        return url, dict(headers)
    if any(name.lower() == AUTHORIZATION.lower() for name in headers):
        raise BadOption(
            f"the address says who calls, and so does the header {AUTHORIZATION}; leave one out"
        )
    return shown_address(url), {**headers, AUTHORIZATION: _basic(fill(who, {}))}


def _basic(who: str) -> str:
    """Return the header value for `user:password` from an address."""
    plain = unquote_to_bytes(who)
    return f"Basic {base64.b64encode(plain if b':' in plain else plain + b':').decode()}"
