"""A client of the live stream: its topics, and a bounded number of events that wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from typing import NamedTuple

from rota.api.identity.identities import Connection
from rota.api.live.topics import Resume, Topics, resume_text
from rota.clock import elapsed_s
from rota.model.identity.credentials import Credential

MOST_WAITING = 1000
"""The most events that wait for one client; with more, it has to fetch everything anew."""


class LinePosition(NamedTuple):
    """The position of an event that is a log line."""

    run_id: str
    claim: int
    seq: int


class _Event(NamedTuple):
    floor: int
    text: bytes
    line: LinePosition | None


class LiveClient:
    """One open stream; used on the event loop only."""

    def __init__(
        self, connection: Connection, credential: Credential, topics: Topics, resume: Resume | None
    ) -> None:
        self.connection = connection
        self.credential = credential
        self.topics = topics
        self.resume = resume
        self.is_ended = False
        self.is_new = topics.queues or topics.workers
        """Whether the client still needs the current state of queues and workers."""
        self.ends: dict[str, dict[int, int]] = {run_id: {} for run_id in topics.logs}
        """The last line of each claim that the client has, or that existed before it joined."""
        self.abandon: Callable[[], None] | None = None
        self.taken_s = elapsed_s()
        self._least = resume.floor if resume else None
        """Where the client must begin again as long as it lacks some of the events it missed."""
        self._waiting: dict[Hashable, _Event] = {}
        self._woken = asyncio.Event()

    @property
    def namespace(self) -> str:
        return self.credential.namespace

    def reaches(self, queue: str) -> bool:
        return self.credential.reaches(queue)

    def is_stalled(self, patience_s: float) -> bool:
        """Whether events have waited for this long and the client takes none."""
        return bool(self._waiting) and elapsed_s() - self.taken_s > patience_s

    def put(self, key: Hashable, floor: int, text: bytes, line: LinePosition | None = None) -> None:
        """Add an event; of the same key only the last event is kept, in the order of ids."""
        if line is not None and not self._is_fresh(line):
            return
        if len(self._waiting) >= MOST_WAITING and key not in self._waiting:
            self.reset(floor)
            return
        self._waiting.pop(key, None)
        self._waiting[key] = _Event(floor, text, line)
        self._woken.set()

    def put_older(self, key: Hashable, floor: int, text: bytes) -> None:
        """Add an event that was read for this client alone, unless a newer one of its key waits."""
        if key not in self._waiting:
            self.put(key, floor, text)

    def reset(self, floor: int) -> None:
        """Tell the client to fetch everything anew: waiting events are too many or incomplete."""
        self._waiting.clear()
        self._waiting["reset"] = _Event(floor, b"event: reset\ndata: {}\n", None)
        self._woken.set()

    def end(self) -> None:
        """End the stream in order."""
        self.is_ended = True
        self._woken.set()

    async def take(self, *, timeout_s: float) -> bytes:
        """Return all waiting events as text; empty if none arrives in time."""
        self.taken_s = elapsed_s()
        if not self._waiting and not self.is_ended:
            try:
                async with asyncio.timeout(timeout_s):
                    await self._woken.wait()
            except TimeoutError:
                pass
        self._woken.clear()
        events, self._waiting = self._waiting, {}
        self.taken_s = elapsed_s()
        told = b"".join([self._told(event) for event in events.values()])
        if told:
            self._least = None
        return told

    def sign(self, floor: int) -> bytes:
        """Return the line with the id to resume from: before every event that was not taken yet."""
        least = floor if self._least is None else min(floor, self._least)
        for event in self._waiting.values():
            least = min(least, event.floor)
            break  # they are in order
        name = resume_text(Resume(least, self.ends)) if self.ends else str(least)
        return b"id: %b\n" % name.encode()

    def _told(self, event: _Event) -> bytes:
        if event.line is not None:
            self.ends[event.line.run_id][event.line.claim] = event.line.seq
        return b"%b%b\n" % (self.sign(event.floor), event.text)

    def _is_fresh(self, line: LinePosition) -> bool:
        ends = self.ends.get(line.run_id)
        return ends is not None and line.seq > ends.get(line.claim, 0)
