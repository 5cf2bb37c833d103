"""Connection options in an address; a module of its own, so that reading them needs no driver."""

from __future__ import annotations

import msgspec


class PoolOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options by which a process connects to PostgreSQL."""

    size: int = 6
    """Most connections at once, besides one for heartbeats and one for wake-ups."""
    prepares: bool = True
    """Prepared statements save planning; behind a pooler there are none, whatever this says."""
    direct: str | None = None
    """The address by which wake-ups reach the server past a pooler: HOST[:PORT][/DATABASE]."""
