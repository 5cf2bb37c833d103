"""Pending wake-ups: whom a transaction wakes once it is committed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeVar

from rota.errors import BadInput, RotaError
from rota.store.base import PartFailed

T = TypeVar("T")
Details = dict[str, dict[str, Any]]


class PendingWakeups:
    """What the transactions of both stores have in common: keys, and runs that are on offer."""

    def __init__(self) -> None:
        self.woken: set[str] = set()
        self.wake_count = 0
        self._offers: dict[str, str] = {}
        self.fresh: dict[Any, Any] = {}
        self.drafts: Details = {}
        self.is_careful = False

    def part(self, work: Callable[[], T]) -> T:
        """Under a savepoint; nested ones of the same name hide each other until released."""
        remembered = self.remember()
        self._say("savepoint part")
        try:
            answer = work()
        except Exception as error:
            if not self._can_take_back(error):
                raise
            self._say("rollback to part")
            self._say("release part")
            self.restore(remembered)
            raise PartFailed(error) from error
        self._say("release part")
        return answer

    def _say(self, text: str) -> None:
        raise NotImplementedError

    def _can_take_back(self, error: Exception) -> bool:
        """Whether a value is to blame, and the transaction can go on without it.

        Other errors of ours (not permitted, a lost lease) are answers to whoever asked.
        """
        if isinstance(error, RotaError):
            return isinstance(error, BadInput)
        return not isinstance(error, OSError | MemoryError) and self._is_of_values(error)

    def _is_of_values(self, error: Exception) -> bool:
        """Of the driver's errors: whether it says something of what was to be written."""
        raise NotImplementedError

    def notify(self, queues: Collection[str]) -> None:
        self.woken.update(queues)
        self.wake_count += 1

    def offer(self, runs: Mapping[str, str]) -> None:
        self._offers.update(runs)
        self.wake_count += 1

    def taken(self, run_ids: Iterable[str]) -> None:
        if self._offers:
            for run_id in run_ids:
                self._offers.pop(run_id, None)

    def keys(self) -> set[str]:
        """All that is to be told now."""
        return self.woken.union(self._offers.values()) if self._offers else self.woken

    def remember(self) -> tuple[set[str], dict[str, str], Details]:
        """For `restore`, when what comes next is rolled back."""
        drafts = {act_id: dict(detail) for act_id, detail in self.drafts.items()}
        return set(self.woken), dict(self._offers), drafts

    def restore(self, remembered: tuple[set[str], dict[str, str], Details]) -> None:
        """As it was; what the cache holds may not be there any more."""
        self.woken, self._offers, self.drafts = remembered
        self.fresh.clear()
