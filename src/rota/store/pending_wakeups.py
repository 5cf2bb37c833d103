"""Pending wake-ups: the keys that a transaction wakes once it is committed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeVar

from rota.errors import BadInput, RotaError
from rota.store.base import PartFailed

T = TypeVar("T")
Details = dict[str, dict[str, Any]]


class PendingWakeups:
    """The base of both stores' transactions: keys to notify, and runs on offer."""

    def __init__(self) -> None:
        self.woken: set[str] = set()
        self.wake_count = 0
        self._offers: dict[str, str] = {}
        self.fresh: dict[Any, Any] = {}
        self.drafts: Details = {}
        self.is_careful = False

    def part(self, work: Callable[[], T]) -> T:
        """Work under a savepoint; nested ones of the same name hide each other until released."""
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

        Other Rota errors (not permitted, a lost lease) are answers to the caller.
        """
        if isinstance(error, RotaError):
            return isinstance(error, BadInput)
        return not isinstance(error, OSError | MemoryError) and self._is_of_values(error)

    def _is_of_values(self, error: Exception) -> bool:
        """Whether an error of the driver concerns the values to be written."""
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
        """Return all keys to notify now."""
        return self.woken.union(self._offers.values()) if self._offers else self.woken

    def remember(self) -> tuple[set[str], dict[str, str], Details]:
        """Return the state for `restore`, for when the next work is rolled back."""
        drafts = {act_id: dict(detail) for act_id, detail in self.drafts.items()}
        return set(self.woken), dict(self._offers), drafts

    def restore(self, remembered: tuple[set[str], dict[str, str], Details]) -> None:
        """Restore the state; clear the cache, whose rows may be gone."""
        self.woken, self._offers, self.drafts = remembered
        self.fresh.clear()
