"""The logbook: what the handlers of a worker print and log, until the store has it.

Nobody who writes ever waits for the store: when it is slow, the oldest lines go and are counted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import RLock

import msgspec

from rota.model.log import SPAN_MS, LogChunk
from rota.runtime.attempt_log import (
    END,
    INFO,
    LINE_COST,
    MAX_LINE,
    ROOM,
    STDOUT,
    AttemptLog,
    Line,
)
from rota.runtime.call import Call
from rota.runtime.masking import Masker

MAX_HELD = 16_000_000
"""Memory for the lines of all attempts together."""
LOG_COST = 1_000
"""Of an attempt that has lines, beside them."""
CHUNK_LINES = 500
CHUNK_CHARS = 64_000
_FEW = 200
_TRIPLE = 3
_ENDED = [END, ""]
_SPAN_S = SPAN_MS / 1000


class Logbook:
    """All lines of a worker that the store does not have yet."""

    def __init__(self, masker: Masker, *, limit: int = MAX_HELD) -> None:
        # One lock for all, and one that its owner may take again: a finaliser or a signal
        # handler that prints may interrupt a write of the same thread.
        self._lock = RLock()
        self._masker = masker
        self._limit = limit
        self._waiting: deque[AttemptLog] = deque()
        self._has_woken = False
        self._is_dropping = False
        self.held = 0
        self.lost = 0
        """Lines that were dropped since somebody asked last."""
        self.wake: Callable[[], None] = _nothing
        """Called when a first line waits."""

    def __len__(self) -> int:
        """How many attempts have lines that wait."""
        return len(self._waiting)

    def log_of(self, call: Call) -> AttemptLog:
        """The log of a call, made at its first line."""
        with self._lock:
            if call.log is None:
                call.log = AttemptLog(self, call)
            log: AttemptLog = call.log
            return log

    def enlist(self, log: AttemptLog) -> None:
        """Remember who has something to take; make lines of what is too much as it is."""
        if log.is_listed or log.room < -ROOM:
            with self._lock:
                log.settle()
        log.room = -1 if log.is_full else ROOM
        if not log.is_listed:
            log.is_listed = True
            self._waiting.append(log)
        if not self._has_woken:
            self._has_woken = True
            self.wake()

    def close(self, log: AttemptLog) -> None:
        """Count what an ended attempt holds as it came; those that run are few."""
        cost = LOG_COST + min(ROOM - log.room, ROOM)
        if not log.is_listed:
            self.enlist(log)
        with self._lock:
            log.cost += cost
            self.held += cost
            if self.held > self._limit:
                self.hold(log, 0)

    def hold(self, log: AttemptLog, cost: int) -> None:
        """Count memory; make room when there is none."""
        log.cost += cost
        self.held += cost
        while self.held > self._limit and self._waiting and not self._is_dropping:
            self._is_dropping = True
            try:
                self._drop_oldest()
            finally:
                self._is_dropping = False

    def cut(self, text: str, over: int, secrets: tuple[str, ...]) -> str:
        """The beginning of a line that is too long, masked before it is cut."""
        masked = self._masker(text, secrets)
        # The end of what was kept may hold half a secret that is not recognised.
        whole = len(masked) - (self._masker.longest if over else 0)
        kept = masked[: max(0, min(MAX_LINE, whole))]
        return f"{kept}... {len(masked) - len(kept) + over:,} characters cut"

    def take(self, *, limit: int, chars: int) -> list[LogChunk]:
        """The lines of up to `limit` attempts, masked and fit for any database."""
        self._has_woken = False
        chunks: list[LogChunk] = []
        size = 0
        while len(chunks) < limit and size < chars:
            with self._lock:
                if not self._waiting:
                    break
                log = self._unlist()
                fresh = self._chunks(log)
            if log.secrets:
                fresh = [
                    msgspec.structs.replace(each, body=self._masker(each.body, log.secrets))
                    for each in fresh
                ]
            for chunk in fresh:
                size += len(chunk.body)
                chunks.append(chunk)
        return self._masked(chunks)

    def _unlist(self) -> AttemptLog:
        log = self._waiting.popleft()
        log.is_listed = False
        log.room = -1
        self.held -= log.cost
        log.cost = 0
        return log

    def _drop_oldest(self) -> None:
        """Drop the lines of who waits longest, but for the word that says so."""
        log = self._unlist()
        log.settle()
        self.held -= log.cost
        lost = log.lose()
        self.lost += lost
        log.cost = LINE_COST if lost else 0
        self.held += log.cost
        if lost:
            log.is_listed = True
            self._waiting.append(log)

    def _chunks(self, log: AttemptLog) -> list[LogChunk]:
        if log.is_fresh and (chunk := self._plain(log)):
            return [chunk]
        log.settle()
        self.held -= log.cost  # what settling has made is taken at once
        log.cost = 0
        lines = log.take()
        chunks: list[LogChunk] = []
        start = size = 0
        for number, line in enumerate(lines):
            size += len(line.text)
            is_far = line.at_s - lines[start].at_s >= _SPAN_S
            if number > start and (size > CHUNK_CHARS or number - start >= CHUNK_LINES or is_far):
                chunks.append(_chunk_of(log, lines[start:number]))
                start, size = number, len(line.text)
        if lines:
            chunks.append(_chunk_of(log, lines[start:]))
        return chunks

    def _plain(self, log: AttemptLog) -> LogChunk | None:
        """The common case at a third of the price: few short lines printed at one moment.

        None leaves the pieces where they are.
        """
        pieces = log.pieces[:]
        if not _TRIPLE < len(pieces) <= _FEW or pieces[-2:] != _ENDED or pieces[1] != STDOUT:
            return None
        try:
            text = "".join(pieces[2:-_TRIPLE])
        except TypeError:  # there are more times than one
            return None
        if text[-1:] != "\n" or len(text) > MAX_LINE or "\r" in text:
            return None
        del log.pieces[: len(pieces)]
        count = text.count("\n")
        log.count += count
        log.chars += len(text)
        return _chunk(log, pieces[0], f"[{count},0,{INFO},{STDOUT}]", text[:-1], count)

    def _masked(self, chunks: list[LogChunk]) -> list[LogChunk]:
        """Without secrets; one quick look at all of them tells that there are none."""
        if not self._masker.is_needed("\n".join([chunk.body for chunk in chunks])):
            return chunks
        return [msgspec.structs.replace(chunk, body=self._masker(chunk.body)) for chunk in chunks]


def _chunk_of(log: AttemptLog, lines: list[Line]) -> LogChunk:
    first_s = lines[0].at_s
    marks: list[int] = []
    for line in lines:
        mark = [int((line.at_s - first_s) * 1000), line.level, line.stream]
        if marks[-3:] == mark:
            marks[-4] += 1
        else:
            marks += (1, *mark)
    body = "\n".join([line.text for line in lines])
    return _chunk(log, first_s, msgspec.json.encode(marks).decode(), body, len(lines))


def _chunk(log: AttemptLog, at_s: float, marks: str, body: str, count: int) -> LogChunk:
    call = log.call
    lease = call.lease
    seq = log.next_seq
    log.next_seq += count
    if not body.isascii() or "\0" in body:
        # Lone surrogates and NUL: PostgreSQL refuses both.
        body = body.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
    first_at = lease.claimed_at + round((at_s - call.claimed_s) * 1000)
    return LogChunk(lease.run_id, lease.job, lease.attempt, lease.fence, seq, first_at, marks, body)


def sink(call: Call, stream: int) -> Callable[[bytes], None]:
    """A place for the bytes that a program of this call prints."""

    def take(chunk: bytes) -> None:
        if call.logbook is not None:
            call.logbook.log_of(call).write_bytes(stream, chunk)

    return take


def _nothing() -> None:
    pass
