"""The log buffer: output and log records of a worker's handlers, until the store has them.

No writer ever waits for the store: when the store is slow, the oldest lines go and are counted.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable
from threading import RLock

import msgspec

from rota.model.logs.log import LogChunk
from rota.runtime.attempts.attempt import Attempt
from rota.runtime.logs.attempt_log import LINE_COST, MAX_LINE, ROOM, AttemptLog
from rota.runtime.logs.chunks import LOG_COST, chunks_of, cost_of, dropped, plain_chunk
from rota.runtime.logs.masking import Masker
from rota.runtime.logs.stdout_batch import StdoutBatch, bound, single

MAX_HELD = 16_000_000
"""Memory for the lines of all attempts together."""


class LogBuffer:
    """All lines of a worker that the store does not have yet."""

    def __init__(self, masker: Masker, *, limit: int = MAX_HELD) -> None:
        # One reentrant lock for all logs: a finaliser or a signal
        # handler that prints may interrupt a write of the same thread.
        self._lock = RLock()
        self.masker = masker
        self._limit = limit
        self._waiting: dict[AttemptLog, None] = {}
        """Logs of running attempts with lines, and of ended ones with more than a few lines."""
        self._ended: deque[LogChunk] = deque()
        """Logs of ended attempts with few lines: text only, nothing for the garbage collector."""
        self._sheets: deque[StdoutBatch] = deque()
        """Stdout batches of threads at full load, several attempts each."""
        self._on_sheets = 0
        self._has_woken = False
        self._is_dropping = False
        self.held = 0
        self.lost = 0
        """Lines that were dropped since this was last read."""
        self.wake: Callable[[], None] = _nothing
        """Called when a first line waits."""

    def __len__(self) -> int:
        """The number of attempts with lines that wait."""
        return len(self._waiting) + len(self._ended) + self._on_sheets

    def log_of(self, call: Attempt) -> AttemptLog:
        """Return the log of an attempt, made at its first line."""
        with self._lock:
            log: AttemptLog | None = call.log
            if log is not None:
                return log
            log = call.log = AttemptLog(self, call)
            log.room = ROOM
            log.is_listed = True
            self._waiting[log] = None
        if not self._has_woken:
            self._call()
        return log

    def enlist(self, log: AttemptLog) -> None:
        """Register a log with lines to take; make lines of text that is too much to keep raw."""
        with self._lock:
            if log.is_listed or log.room < -ROOM:
                log.settle()
            log.room = -1 if log.is_full else ROOM
            log.is_listed = True
            self._waiting[log] = None
        self._call()

    def close(self, log: AttemptLog) -> None:
        """Close the log of an ended attempt; its memory is counted only now, as few run at once."""
        with self._lock:
            chunk = plain_chunk(log)
            if chunk is None:
                used = min(ROOM - log.room, ROOM)
                log.end()
                self.enlist(log)
                self.hold(log, used + LOG_COST)
            else:
                if log.is_listed:
                    self._unlist(log)
                self._ended.append(chunk)
                self.held += cost_of(chunk)
                if self.held > self._limit:
                    self._make_room()
        if not self._has_woken:
            self._call()

    def add(self, sheet: StdoutBatch) -> None:
        """Add the output of ended attempts."""
        with self._lock:
            self._sheets.append(sheet)
            self._on_sheets += sheet.attempts
            self.held += sheet.cost
            self._make_room()
        if not self._has_woken:
            self._call()

    def _call(self) -> None:
        if not self._has_woken:
            self._has_woken = True
            self.wake()

    def hold(self, log: AttemptLog, cost: int) -> None:
        """Count memory; make room when there is none."""
        log.cost += cost
        self.held += cost
        self._make_room()

    def _make_room(self) -> None:
        while self.held > self._limit and len(self) and not self._is_dropping:
            self._is_dropping = True
            try:
                self._drop_oldest()
            finally:
                self._is_dropping = False

    def cut(self, text: str, over: int, secrets: tuple[str, ...]) -> str:
        """Return the beginning of a line that is too long, masked before it is cut."""
        masked = self.masker(text, secrets)
        # The kept part may end with half a secret that is not recognised.
        whole = len(masked) - (self.masker.longest if over else 0)
        shown = masked[: max(0, min(MAX_LINE, whole))]
        return f"{shown}... {len(masked) - len(shown) + over:,} characters cut"

    def take(self, *, limit: int, chars: int) -> list[LogChunk]:
        """Return the lines of up to `limit` attempts, masked and fit for any database."""
        self._has_woken = False
        chunks: list[LogChunk] = []
        size = 0
        while len(chunks) < limit and size < chars:
            with self._lock:
                log = next(iter(self._waiting), None)
                if log is None:
                    break
                self._unlist(log)
                fresh = self._chunks(log)
            if log.secrets:
                fresh = [
                    msgspec.structs.replace(each, body=self.masker(each.body, log.secrets))
                    for each in fresh
                ]
            chunks += fresh
            size += sum(len(chunk.body) for chunk in fresh)
        chunks += self._take_ended(limit - len(chunks), chars - size)
        size = sum(len(chunk.body) for chunk in chunks)
        return self._masked(chunks) + self._take_sheets(limit - len(chunks), chars - size)

    def _take_sheets(self, limit: int, chars: int) -> list[LogChunk]:
        chunks: list[LogChunk] = []
        while limit > 0 and chars > 0:
            with self._lock:
                if not self._sheets:
                    break
                sheet = self._next_sheet()
            limit -= sheet.attempts
            chars -= len(sheet.text)
            chunks += bound(sheet, self.masker)
        return chunks

    def _next_sheet(self) -> StdoutBatch:
        sheet = self._sheets.popleft()
        self._on_sheets -= sheet.attempts
        self.held -= sheet.cost
        return sheet

    def _take_ended(self, limit: int, chars: int) -> list[LogChunk]:
        """Take logs of ended attempts, without the lock: it made all threads that print wait."""
        chunks: list[LogChunk] = []
        cost = 0
        with contextlib.suppress(IndexError):  # there are no more, or another thread drops them
            while len(chunks) < limit and cost < chars + LOG_COST * len(chunks):
                chunk = self._ended.popleft()
                cost += cost_of(chunk)
                chunks.append(chunk)
        with self._lock:
            self.held -= cost
        return chunks

    def _unlist(self, log: AttemptLog) -> None:
        del self._waiting[log]
        log.is_listed = False
        log.room = -1
        self.held -= log.cost
        log.cost = 0

    def _drop_oldest(self) -> None:
        """Drop the lines of the log that waits longest, and leave a note of that."""
        if self._sheets:
            lost = sum(map(self._drop, single(self._next_sheet(), self.masker)))
        elif self._ended:
            chunk = self._ended.popleft()
            self.held -= cost_of(chunk)
            lost = self._drop(chunk)
        else:
            log = next(iter(self._waiting))
            self._unlist(log)
            log.settle()
            self.held -= log.cost
            lost = log.lose()
            log.cost = LINE_COST if lost else 0
            self.held += log.cost
            if lost:
                log.is_listed = True
                self._waiting[log] = None
        self.lost += lost

    def _drop(self, chunk: LogChunk) -> int:
        lost, word = dropped(chunk)
        if word is not None:
            self._ended.append(word)
            self.held += cost_of(word)
        return lost

    def _chunks(self, log: AttemptLog) -> list[LogChunk]:
        log.settle()
        self.held -= log.cost  # lines made by settling are taken at once
        log.cost = 0
        return list(chunks_of(log, log.take()))

    def _masked(self, chunks: list[LogChunk]) -> list[LogChunk]:
        """Return the chunks without secrets; one quick look often finds that there are none."""
        if not self.masker.is_needed("\n".join([chunk.body for chunk in chunks])):
            return chunks
        return [msgspec.structs.replace(chunk, body=self.masker(chunk.body)) for chunk in chunks]


def sink(call: Attempt, stream: int) -> Callable[[bytes], None]:
    """Return a function that takes the bytes that a program of this attempt prints."""

    def take(chunk: bytes) -> None:
        if call.log_buffer is not None:
            call.log_buffer.log_of(call).write_bytes(stream, chunk)

    return take


def _nothing() -> None:
    pass
