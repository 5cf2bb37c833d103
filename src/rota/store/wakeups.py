"""Wake-ups: hints to look at the store now. They may be early or lost; a poll is the truth."""

from __future__ import annotations

from collections.abc import Collection
from typing import Generic, NamedTuple, TypeVar

from rota.store.base import CommitParticipant, Wake

T = TypeVar("T")

EVERYWHERE = "*"


class _Watcher(NamedTuple):
    """The callbacks of a key: for a thread in a hurry, and for one that only listens."""

    wake: Wake
    heard: Wake


class _Entry(Generic[T]):
    """An entry of a list that can be given up."""

    def __init__(self, entries: list[_Entry[T]], what: T) -> None:
        self._entries = entries
        self.what = what
        entries.append(self)

    def close(self) -> None:
        if self in self._entries:
            self._entries.remove(self)


class Wakeups:
    """Watchers of changes in this process, and participants in its commits."""

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
        """Wake all watchers after a commit."""
        for entry in tuple(self._watches):
            for key in keys:
                entry.what.wake(key)

    def hear(self, key: str) -> None:
        """Wake the watchers of a key that another process sent, in a thread that only listens."""
        for entry in tuple(self._watches):
            entry.what.heard(key)
