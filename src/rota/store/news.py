"""News: whom a transaction wakes once it is committed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping


class News:
    """What the transactions of both stores have in common: keys, and runs that are on offer."""

    def __init__(self) -> None:
        self.woken: set[str] = set()
        self.rung = 0
        self._offers: dict[str, str] = {}

    def notify(self, queues: Collection[str]) -> None:
        self.woken.update(queues)
        self.rung += 1

    def offer(self, runs: Mapping[str, str]) -> None:
        self._offers.update(runs)
        self.rung += 1

    def taken(self, run_ids: Iterable[str]) -> None:
        if self._offers:
            for run_id in run_ids:
                self._offers.pop(run_id, None)

    def keys(self) -> set[str]:
        """All that is to be told now."""
        return self.woken.union(self._offers.values()) if self._offers else self.woken

    def remember(self) -> tuple[set[str], dict[str, str]]:
        """For `restore`, when what comes next is rolled back."""
        return set(self.woken), dict(self._offers)

    def restore(self, remembered: tuple[set[str], dict[str, str]]) -> None:
        self.woken, self._offers = remembered
