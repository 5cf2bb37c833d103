"""Attempt tokens: a worker without a database proves with one that it owns an attempt.

The server signs its facts about the attempt and stores nothing. A token is valid for one run under
one fence, from one worker, with one bearer token. The store decides whether the fence still holds.
"""

from __future__ import annotations

import hashlib
import hmac

import msgspec

from rota.errors import NotPermitted
from rota.url_text import from_url_text, to_url_text

VERSION = "1"
LONGEST = 2_000
"""The most characters of a token; a name of a job is much shorter."""


class Facts(msgspec.Struct, frozen=True, array_like=True):
    """The facts about an attempt that the server need not look up again."""

    job: str
    attempt: int
    claimed_at: int


class Seal(msgspec.Struct, frozen=True, kw_only=True):
    """The key of tokens, and the worker that they are for."""

    key: str
    """The key of this worker alone, as hexadecimal digits."""
    worker_id: str
    token_id: str


_facts = msgspec.json.Decoder(Facts)


def make_token(seal: Seal, run_id: str, fence: int, facts: Facts) -> str:
    """Return the token of one attempt."""
    text = to_url_text(msgspec.json.encode(facts))
    return f"{text}.{_signature(seal, run_id, fence, text)}"


def read_token(seal: Seal, run_id: str, fence: int, token: str) -> Facts:
    """Return the facts in a token; NotPermitted unless it was made for exactly this attempt."""
    text, _, signature = token[:LONGEST].partition(".")
    expected = _signature(seal, run_id, fence, text)
    if len(token) > LONGEST or not hmac.compare_digest(signature.encode(), expected.encode()):
        raise _refused(run_id)
    try:
        return _facts.decode(from_url_text(text))
    except (ValueError, msgspec.MsgspecError):  # of another version of ours
        raise _refused(run_id) from None


def _signature(seal: Seal, run_id: str, fence: int, text: str) -> str:
    message = "\n".join((VERSION, seal.token_id, seal.worker_id, run_id, str(fence), text))
    return hmac.new(bytes.fromhex(seal.key), message.encode(), hashlib.sha256).hexdigest()


def _refused(run_id: str) -> NotPermitted:
    return NotPermitted(
        f"this is not the attempt token that this worker was given with run {run_id:.64}"
    )
