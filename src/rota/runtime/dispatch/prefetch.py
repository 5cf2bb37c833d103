"""Prefetch: how many runs a worker holds ready beyond its slots, and when it gives them back.

Runs are held only while they are short, and never for long. Decisions only: callers pass the time.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from rota.runtime.attempts.attempt import Attempt

BUSY_S = 0.05
"""When no slot has begun a run for this long, held runs are given back. Runs that take longer than

this are not held at all.
"""
LATE = 4
"""The longest time that a run is held, as a multiple of the expected one."""
REST_S, LONGEST_REST_S = 0.2, 6.4
"""How long a worker holds nothing after a give-back; doubled if that was too short."""


class Prefetch:
    """The prefetch of one worker; at the present pace, held runs should last for `hold_s`."""

    def __init__(self, *, most: int, hold_s: float, now_s: float) -> None:
        self._most = most
        self._hold_s = hold_s
        self._pace = 0.0
        """Runs that end in a second."""
        self._took_s = 0.0
        """How long a handler takes; the newest count most."""
        self._measured_s = now_s
        self.begun_s = now_s
        """When a slot last began a run; slots that still work on one say too little."""
        self._rest_s = REST_S
        self._rests_until_s = -inf

    def ahead(self, now_s: float) -> int:
        """Return how many to hold beyond the slots; 0 while runs are slow, or after a give-back."""
        if self._took_s > BUSY_S or now_s < self._rests_until_s:
            return 0
        return min(self._most, int(self._pace * self._hold_s))

    def measure(self, count: int, took_s: float, now_s: float) -> None:
        """Note `count` runs that ended since the last call, and the time their handlers took."""
        since_s = max(now_s - self._measured_s, 1e-4)
        self._measured_s = now_s
        # After a rest the old pace says nothing.
        weight = 0.5 if since_s < LATE * self._hold_s else 0.0
        self._pace = weight * self._pace + (1 - weight) * (count / since_s)
        if count:
            self._took_s = 0.5 * self._took_s + 0.5 * (took_s / count)

    def is_hoard(self, calls: Iterable[Attempt], now_s: float) -> bool:
        """Whether runs that wait for a slot would start sooner, or be better off, elsewhere."""
        oldest_s = min((call.claimed_s for call in calls), default=inf)
        is_stuck = now_s - max(oldest_s, self.begun_s) > BUSY_S
        return is_stuck or now_s - oldest_s > LATE * self._hold_s

    def gave_back(self, now_s: float) -> None:
        """Hold nothing until the pace has shown itself again."""
        if now_s - self._rests_until_s > 10 * self._rest_s:
            self._rest_s = REST_S
        else:
            self._rest_s = min(LONGEST_REST_S, 2 * self._rest_s)
        self._rests_until_s = now_s + self._rest_s
        self._pace = 0.0
