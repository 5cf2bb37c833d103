"""Addresses of HTTP jobs: no credentials stay in them, since addresses are told to everybody.

`https://user:password@host/` becomes `https://host/` and a header, which is kept and hidden like
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
"""What an HTTP job may ask with."""

_PARTS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://)([^/?#]*)(.*)", re.DOTALL)
_WEB = re.compile(r"https?://", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x20\x7f\\]")
_BREAK = re.compile(r"[\x00-\x1f\x7f]")


class Split(NamedTuple):
    """An address, and what its credentials say in a header."""

    url: str
    authorization: str | None


def shown_address(url: str) -> str:
    """For people: without what stands before the host."""
    found = _PARTS.fullmatch(url)
    if found is None or "@" not in found[2]:
        return url
    return f"{found[1]}{found[2].rpartition('@')[2]}{found[3]}"


def split_address(url: str) -> Split:
    """The address alone, and the value of a header that says who calls, if it said that."""
    found = _PARTS.fullmatch(url)
    if found is None or "@" not in found[2]:
        return Split(url, None)
    return Split(shown_address(url), _basic(found[2].rpartition("@")[0]))


def check_address_text(url: str) -> None:
    """BadOption for what is no web address, told without its credentials."""
    shown = shown_address(url)
    if not _WEB.match(url):
        raise BadOption(f"{shown!r:.80} does not start with http:// or https://")
    found = _PARTS.fullmatch(url)
    host = found[2] if found else ""
    if not host.rpartition("@")[2] or _CONTROL.search(host) or _BREAK.search(url):
        raise BadOption(f"{shown!r:.80} has no host, or signs that no address may have")


def apart(url: str, headers: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """A checked address without credentials, and the headers with them."""
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
    """Of `user:password`, as it stands in an address."""
    plain = unquote_to_bytes(who)
    return f"Basic {base64.b64encode(plain if b':' in plain else plain + b':').decode()}"
