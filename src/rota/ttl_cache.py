"""A cache of recent answers: many callers of the same figure share one query."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from rota.clock import elapsed_s

T = TypeVar("T")
GOOD_S = 2.0
MOST = 500


class TtlCache(Generic[T]):
    """The answers of the last two seconds, at most 500; for any number of threads."""

    def __init__(self) -> None:
        self._known: dict[Hashable, tuple[float, T]] = {}

    def get(self, key: Hashable) -> T | None:
        """Return the recent answer under the key; None if there is none."""
        known = self._known.get(key)
        return None if known is None or elapsed_s() - known[0] >= GOOD_S else known[1]

    def put(self, key: Hashable, answer: T) -> T:
        """Keep the answer, and return it."""
        if len(self._known) >= MOST:
            self._known.clear()
        self._known[key] = elapsed_s(), answer
        return answer

    def drop(self, key: Hashable) -> None:
        self._known.pop(key, None)

    def read(self, key: Hashable, look: Callable[[], T]) -> T:
        """Return the recent answer under the key, or find it with `look`."""
        known = self.get(key)
        return self.put(key, look()) if known is None else known
