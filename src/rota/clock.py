"""Time as the rest of the code sees it: a parameter, or the database's clock.

Only this module and the database know the time; hosts measure durations only.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

# CLOCK_BOOTTIME counts suspend, so a laptop that slept through its lease notices.
_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)

elapsed_s: Callable[[], float] = partial(time.clock_gettime, _CLOCK)
"""Seconds on a clock that never jumps; for durations only. Asked several times a run."""


def to_datetime(ms: int) -> datetime:
    """An aware UTC time from the store's integer milliseconds."""
    return datetime.fromtimestamp(ms / 1000, UTC)


def to_ms(when: datetime) -> int:
    """The store's integer milliseconds from an aware time."""
    if when.tzinfo is None:
        raise ValueError("a time needs a zone: use datetime(..., tzinfo=UTC) or .astimezone()")
    return round(when.timestamp() * 1000)
