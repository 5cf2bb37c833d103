"""The attempt tokens of a worker: of runs that it holds, and of the latest that it held."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from threading import Lock

from rota.engine.workers.heartbeat import HeldLease
from rota.model.workers.remote import AttemptBody

MOST_PAST = 5_000
"""How many tokens of ended attempts to keep: log lines may be sent after a run has ended."""

MOST_DISOWNED = 5_000
"""How many disowned attempts to remember; an answer later than that was given up long ago."""

_At = tuple[str, int]


class AttemptTokens:
    """Attempt tokens by run and fence; safe in any thread."""

    def __init__(self) -> None:
        self._held: dict[_At, str] = {}
        self._past: OrderedDict[_At, str] = OrderedDict()
        self._disowned: OrderedDict[_At, None] = OrderedDict()
        self._lock = Lock()

    def add(self, run_id: str, fence: int, token: str) -> bool:
        """Hold an attempt; return False if it was held or disowned before."""
        at = run_id, fence
        with self._lock:
            is_new = at not in self._held and at not in self._past and at not in self._disowned
            if is_new:
                self._held[at] = token
            return is_new

    def disown(self, run_id: str, fence: int) -> bool | None:
        """Disown a run that we do not hold; return whether it began here, or None if we hold it.

        A run that never arrived is refused from now on, should the answer with it still come.
        """
        at = run_id, fence
        with self._lock:
            if at in self._held:
                return None
            if at in self._past:
                return True
            self._disowned[at] = None
            if len(self._disowned) > MOST_DISOWNED:
                self._disowned.popitem(last=False)
            return False

    def find(self, run_id: str, fence: int) -> str | None:
        """Return the token of an attempt; None once this worker cannot report on it any more."""
        at = run_id, fence
        return self._held.get(at) or self._past.get(at)

    def part_with(self, run_id: str, fence: int) -> None:
        """Move the token of an ended attempt to the past ones."""
        with self._lock:
            token = self._held.pop((run_id, fence), None)
            if token is not None:
                self._past[run_id, fence] = token
                if len(self._past) > MOST_PAST:
                    self._past.popitem(last=False)

    def clear(self) -> None:
        """Forget all tokens: they belong to a registration that is over."""
        with self._lock:
            self._held.clear()
            self._past.clear()
            self._disowned.clear()

    def all_held(self) -> list[AttemptBody]:
        with self._lock:
            pairs = list(self._held.items())
        return [AttemptBody(run_id=at[0], fence=at[1], token=token) for at, token in pairs]

    def those(self, leases: Iterable[HeldLease]) -> list[AttemptBody]:
        """Return the attempts among these leases whose tokens we have."""
        pairs = [(each, self.find(each.run_id, each.fence)) for each in leases]
        return [
            AttemptBody(run_id=each.run_id, fence=each.fence, token=token)
            for each, token in pairs
            if token is not None
        ]
