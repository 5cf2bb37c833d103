"""Attempt tokens: what a worker without a database shows to speak for one attempt of one run.

The server signs what it knows of the attempt and keeps nothing: a token is good for this run under
this fence, from this worker, with this bearer token. Whether the fence still holds the store says.
"""

from __future__ import annotations

import hashlib
import hmac

import msgspec

from rota.errors import NotPermitted
from rota.url_text import from_url_text, to_url_text

VERSION = "1"
LONGEST = 2_000
"""Characters; a name of a job is much shorter."""


class Facts(msgspec.Struct, frozen=True, array_like=True):
    """What the server knows of an attempt and need not ask again."""

    job: str
    attempt: int
    claimed_at: int


class Seal(msgspec.Struct, frozen=True, kw_only=True):
    """With what, and for whom, tokens are made."""

    key: str
    """Of this worker alone, as hexadecimal digits."""
    worker_id: str
    token_id: str


_facts = msgspec.json.Decoder(Facts)


def make_token(seal: Seal, run_id: str, fence: int, facts: Facts) -> str:
    """The token of one attempt."""
    text = to_url_text(msgspec.json.encode(facts))
    return f"{text}.{_signature(seal, run_id, fence, text)}"


def read_token(seal: Seal, run_id: str, fence: int, token: str) -> Facts:
    """What it was made with; NotPermitted unless it was made for this very attempt."""
    text, _, given = token[:LONGEST].partition(".")
    wanted = _signature(seal, run_id, fence, text)
    if len(token) > LONGEST or not hmac.compare_digest(given.encode(), wanted.encode()):
        raise _refused(run_id)
    try:
        return _facts.decode(from_url_text(text))
    except (ValueError, msgspec.MsgspecError):  # of another version of ours
        raise _refused(run_id) from None


def _signature(seal: Seal, run_id: str, fence: int, text: str) -> str:
    said = "\n".join((VERSION, seal.token_id, seal.worker_id, run_id, str(fence), text))
    return hmac.new(bytes.fromhex(seal.key), said.encode(), hashlib.sha256).hexdigest()


def _refused(run_id: str) -> NotPermitted:
    return NotPermitted(
        f"this is not the attempt token that this worker was given with run {run_id:.64}"
    )
