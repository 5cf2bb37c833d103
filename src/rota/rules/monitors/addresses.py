"""The addresses that foreign jobs ping, as healthchecks.io forms them.

/ping/UUID, /ping/UUID/start, /ping/UUID/fail, /ping/UUID/log, /ping/UUID/EXIT-STATUS
/ping/PING-KEY/NAME, /ping/PING-KEY/NAME/start, ...
"""

from __future__ import annotations

import re
from typing import NamedTuple

from rota.errors import BadOption
from rota.model.monitors.monitor import PingKind
from rota.url_text import to_url_text

PREFIX = "/ping/"
MASK = "********"
KEY_BYTES = 16
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_KEY = re.compile(r"[A-Za-z0-9_-]{22}")
_STATUS = re.compile(r"[0-9]{1,3}")
_KINDS: dict[str, PingKind] = {"": "success", "start": "start", "fail": "fail", "log": "log"}
HIGHEST_STATUS = 255


class PingTarget(NamedTuple):
    """The monitor that an address names, and the news of its job."""

    secret: str
    """The id of the address, or the ping key of a namespace."""
    name: str | None
    """The monitor beside a ping key."""
    kind: PingKind
    exit_status: int | None = None


def read_address(path: str) -> PingTarget:
    """Return what the part after `/ping/` names; BadOption when it has no such form."""
    first, *rest = path.split("/")
    name = None
    if not _UUID.fullmatch(first):
        if not rest or not rest[0] or not _KEY.fullmatch(first):
            raise BadOption("invalid url format")
        name = rest.pop(0)
    else:
        first = first.lower()
    if len(rest) > 1:
        raise BadOption("invalid url format")
    kind, exit_status = _signal(rest[0] if rest else "")
    return PingTarget(first, name, kind, exit_status)


def _signal(word: str) -> tuple[PingKind, int | None]:
    if word in _KINDS:
        return _KINDS[word], None
    if not _STATUS.fullmatch(word) or int(word) > HIGHEST_STATUS:
        raise BadOption("invalid url format")
    return ("fail" if int(word) else "success"), int(word)


def read_rid(text: str | None) -> str | None:
    """Return the id of a foreign run; BadOption for one that is no UUID."""
    if text is None:
        return None
    if not _UUID.fullmatch(text):
        raise BadOption("invalid uuid format")
    return text.lower()


def ping_key_text(entropy: bytes) -> str:
    """Return a ping key that holds these random bytes."""
    return to_url_text(entropy[:KEY_BYTES])
