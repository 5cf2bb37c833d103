"""Token buckets: a rate for each key, in constant memory."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from rota.clock import elapsed_s

MOST = 10_000
"""The most buckets kept; beyond it, buckets that are full again are forgotten."""


class TokenBuckets:
    """One token bucket for each key; full buckets are not kept."""

    def __init__(self, *, clock: Callable[[], float] = elapsed_s) -> None:
        self._clock = clock
        self._held: dict[Hashable, tuple[float, float]] = {}

    def take(self, key: Hashable, *, rate: float, burst: float, cost: float = 1.0) -> float:
        """Take from a bucket: 0 on success, otherwise the seconds to wait."""
        now = self._clock()
        tokens, then = self._held.get(key, (burst, now))
        tokens = min(burst, tokens + (now - then) * rate)
        is_good = tokens >= min(cost, burst)
        self._held[key] = tokens - cost if is_good else tokens, now
        if len(self._held) > MOST:
            self._forget(rate, burst, now)
        return 0.0 if is_good else (min(cost, burst) - tokens) / rate

    def wait_s(self, key: Hashable, *, rate: float, burst: float) -> float:
        """Return how long to wait for one token, without taking it."""
        tokens, then = self._held.get(key, (burst, 0.0))
        return max(0.0, (1.0 - tokens) / rate - (self._clock() - then))

    def clear(self) -> None:
        """Fill all buckets."""
        self._held.clear()

    def _forget(self, rate: float, burst: float, now: float) -> None:
        full = [
            key
            for key, (tokens, then) in self._held.items()
            if tokens + (now - then) * rate >= burst
        ]
        for key in full:
            del self._held[key]
        if len(self._held) > MOST:  # all are busy: those that waited longest
            for key in sorted(self._held, key=lambda each: self._held[each][1])[: MOST // 10]:
                del self._held[key]
