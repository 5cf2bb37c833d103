"""Figures that may be a little old: many callers of the same figure share one query."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from rota.clock import elapsed_s

T = TypeVar("T")
GOOD_S = 2.0
MOST = 500


class RecentFigures:
    """The figures of the last two seconds; for any number of threads."""

    def __init__(self) -> None:
        self._known: dict[Hashable, tuple[float, Any]] = {}

    def read(self, key: Hashable, look: Callable[[], T]) -> T:
        """Return the recent figure under the key, or read it with `look`."""
        at_s, known = self._known.get(key, (0.0, None))
        if at_s and elapsed_s() - at_s < GOOD_S:
            answer: T = known
            return answer
        found = look()
        if len(self._known) >= MOST:
            self._known.clear()
        self._known[key] = elapsed_s(), found
        return found
