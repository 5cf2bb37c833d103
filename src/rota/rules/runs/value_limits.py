"""Limits for values that handlers store beside their result: JSON of bounded size."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from rota.errors import BadInput, PayloadTooLarge
from rota.rules.jobs.signature import wire

T = TypeVar("T")

MAX_STATE_BYTES = 256 * 1024


def encoded(value: object, what: str, *, limit: int = MAX_STATE_BYTES) -> str:
    """Return the value as JSON; BadInput says what JSON cannot hold."""
    try:
        data = wire.ENCODER.encode(value)
        if b"null" in data:
            wire.refuse_nan(value)
    except wire.UNENCODABLE as error:
        raise BadInput(f"{what} is no JSON: {wire.in_words(error)}") from error
    if len(data) > limit:
        raise PayloadTooLarge(
            f"{what} takes {len(data):,} bytes and the limit is {limit:,}; keep a reference instead"
        )
    return data.decode()


def decoded(text: str, kind: Any) -> Any:
    """Return the typed value; BadInput if it no longer fits the type."""
    try:
        return msgspec.json.decode(text, type=kind, dec_hook=wire.dec_hook)
    except wire.UNDECODABLE as error:
        raise BadInput(f"what was kept does not fit {kind!r}: {wire.in_words(error)}") from error
