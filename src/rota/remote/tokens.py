"""The attempt tokens of a worker: of the runs it holds, and for a while of those it held."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from threading import Lock

from rota.engine.workers.heartbeat import HeldLease
from rota.model.remote import AttemptBody

MOST_PAST = 5_000
"""Lines of a run may be sent after it has ended."""

MOST_DISOWNED = 5_000
"""Answers that come so late that this is not enough were given up long before."""

_At = tuple[str, int]


class AttemptTokens:
    """By run and fence; from any thread."""

    def __init__(self) -> None:
        self._held: dict[_At, str] = {}
        self._past: OrderedDict[_At, str] = OrderedDict()
        self._disowned: OrderedDict[_At, None] = OrderedDict()
        self._lock = Lock()

    def add(self, run_id: str, fence: int, token: str) -> bool:
        """Hold an attempt; False if we have it already, or have said that we never heard of it."""
        at = run_id, fence
        with self._lock:
            is_new = at not in self._held and at not in self._past and at not in self._disowned
            if is_new:
                self._held[at] = token
            return is_new

    def disown(self, run_id: str, fence: int) -> bool | None:
        """Whether a run that we do not hold has begun here; None if we hold it.

        One that we never heard of is not taken any more, should the answer with it still come.
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
        """The token of an attempt; None of one that we cannot speak for any more."""
        at = run_id, fence
        return self._held.get(at) or self._past.get(at)

    def part_with(self, run_id: str, fence: int) -> None:
        """The attempt is over."""
        with self._lock:
            token = self._held.pop((run_id, fence), None)
            if token is not None:
                self._past[run_id, fence] = token
                if len(self._past) > MOST_PAST:
                    self._past.popitem(last=False)

    def clear(self) -> None:
        """We are somebody else now: all of these were given to who we were."""
        with self._lock:
            self._held.clear()
            self._past.clear()
            self._disowned.clear()

    def all_held(self) -> list[AttemptBody]:
        with self._lock:
            held = list(self._held.items())
        return [AttemptBody(run_id=at[0], fence=at[1], token=token) for at, token in held]

    def those(self, held: Iterable[HeldLease]) -> list[AttemptBody]:
        """Of these, the ones we can speak for."""
        found = [(each, self.find(each.run_id, each.fence)) for each in held]
        return [
            AttemptBody(run_id=each.run_id, fence=each.fence, token=token)
            for each, token in found
            if token is not None
        ]
