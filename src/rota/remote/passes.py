"""The attempt tokens of a worker: of the runs it holds, and for a while of those it held."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from threading import Lock

from rota.engine.heartbeat import Held
from rota.model.remote import AttemptBody

MOST_PAST = 5_000
"""Lines of a run may be sent after it has ended."""

_At = tuple[str, int]


class Passes:
    """By run and fence; from any thread."""

    def __init__(self) -> None:
        self._held: dict[_At, str] = {}
        self._past: OrderedDict[_At, str] = OrderedDict()
        self._lock = Lock()

    def add(self, run_id: str, fence: int, token: str) -> None:
        with self._lock:
            self._held[run_id, fence] = token

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

    def all_held(self) -> list[AttemptBody]:
        with self._lock:
            held = list(self._held.items())
        return [AttemptBody(run_id=at[0], fence=at[1], token=token) for at, token in held]

    def those(self, held: Iterable[Held]) -> list[AttemptBody]:
        """Of these, the ones we can speak for."""
        found = [(each, self.find(each.run_id, each.fence)) for each in held]
        return [
            AttemptBody(run_id=each.run_id, fence=each.fence, token=token)
            for each, token in found
            if token is not None
        ]
