"""Wake-ups: hints to look at the store now. They may be early or lost; a poll is the truth."""

from __future__ import annotations

from collections.abc import Collection
from typing import Generic, NamedTuple, TypeVar

from rota.store.base import CommitParticipant, Wake

T = TypeVar("T")

EVERYWHERE = "*"


class _Watcher(NamedTuple):
    """Whom to tell of a key: by a thread in a hurry, and by one that only listens."""

    wake: Wake
    heard: Wake


class _Entry(Generic[T]):
    """A place in a list that can be given up."""

    def __init__(self, entries: list[_Entry[T]], what: T) -> None:
        self._entries = entries
        self.what = what
        entries.append(self)

    def close(self) -> None:
        if self in self._entries:
            self._entries.remove(self)


class Wakeups:
    """Who in this process wants to hear of changes, or to ride along with them."""

    def __init__(self) -> None:
        self._watches: list[_Entry[_Watcher]] = []
        self._participants: list[_Entry[CommitParticipant]] = []

    def are_wanted(self) -> bool:
        """Whether anybody listens."""
        return bool(self._watches)

    def watch(self, wake: Wake, heard: Wake | None = None) -> _Entry[_Watcher]:
        return _Entry(self._watches, _Watcher(wake, heard or wake))

    def join_commits(self, participant: CommitParticipant) -> _Entry[CommitParticipant]:
        return _Entry(self._participants, participant)

    def participants(self) -> list[CommitParticipant]:
        return [entry.what for entry in tuple(self._participants)]

    def ring(self, keys: Collection[str]) -> None:
        """After a commit: tell everybody."""
        for entry in tuple(self._watches):
            for key in keys:
                entry.what.wake(key)

    def hear(self, key: str) -> None:
        """Another process has told us, and this thread has nothing else to do."""
        for entry in tuple(self._watches):
            entry.what.heard(key)
