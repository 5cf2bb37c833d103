"""Anchor: the end of an audit's chain at some moment, noted where the database cannot reach."""

from __future__ import annotations

import msgspec


class Anchor(msgspec.Struct, frozen=True, kw_only=True):
    """What the chain of a namespace was."""

    namespace: str
    seq: int
    hash: str
    at: int
    """When it was noted."""
    kept_until: int | None = None
    """Until when retention has to keep the act at its end; None if that is not known."""
