"""Jitter spreads starts: a little later than planned, never past the next firing."""

from __future__ import annotations

import hashlib


def random_jitter(limit: int, *, nominal: int, following: int | None, random: float) -> int:
    """Return milliseconds to add, evenly from 0 to just under the limit; `random` is in [0, 1)."""
    return int(random * _room(limit, nominal, following))


def hash_jitter(limit: int, *, nominal: int, following: int | None, seed: str) -> int:
    """Return jitter that is always equal for one schedule and firing, on every machine."""
    room = _room(limit, nominal, following)
    digest = hashlib.sha256(f"{seed}\0{nominal}".encode()).digest()
    return int.from_bytes(digest[:8]) % room if room else 0


def fixed_jitter(limit: int, *, nominal: int, following: int | None, seed: str) -> int:
    """Return jitter that is equal for all firings of a schedule, unless the next is nearer."""
    digest = hashlib.sha256(seed.encode()).digest()
    later = int.from_bytes(digest[:8]) % limit if limit else 0
    return max(0, min(later, _room(limit, nominal, following) - 1))


def _room(limit: int, nominal: int, following: int | None) -> int:
    return max(0, limit if following is None else min(limit, following - nominal))
