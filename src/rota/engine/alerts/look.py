"""A look: one reading of a namespace for alerts."""

from __future__ import annotations

from typing import NamedTuple


class Look(NamedTuple):
    """One look at a namespace."""

    namespace: str
    now: int
    since: int
    """From when on failed runs count."""
