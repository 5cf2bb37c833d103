"""The logbook: what the handlers of a worker print and log, until the store has it.

Bounded everywhere: per line, per attempt, and as a whole. Nobody who writes ever waits for
the store; when it is slow the oldest lines go, and are counted.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections import deque
from collections.abc import Callable
from threading import RLock

import msgspec

from rota.clock import elapsed_s
from rota.model.log import LEVELS, SPAN_MS, STREAMS, LogChunk
from rota.runtime.call import Call
from rota.runtime.masking import Masker

MAX_LINE = 8_192
MAX_LINES = 10_000
MAX_CHARS = 1_000_000
"""Of an attempt; what comes after is counted."""
MAX_HELD = 16_000_000
"""Of all attempts together, with what a line costs in memory."""
CHUNK_LINES = 500
CHUNK_CHARS = 64_000
LINE_COST = 150
_RAW = 2 * MAX_LINE
"""Of a line that has not ended, so that a secret across the cut is still seen whole."""

STDOUT, STDERR, LOG = range(len(STREAMS))
INFO, WARNING = LEVELS.index("info"), LEVELS.index("warning")

_decoder = getincrementaldecoder("utf-8")
_Line = tuple[float, int, int, str]
"""When, level, stream, text."""


class AttemptLog:
    """The lines of one attempt; made when it writes its first."""

    __slots__ = ("_book", "_decoders", "_lost", "_more", "_over", "_rest", "call", "chars", "count", "cost",
                 "is_listed", "lines", "next_seq", "secrets")  # fmt: skip

    def __init__(self, book: Logbook, call: Call) -> None:
        self._book = book
        self.call = call
        self.secrets: tuple[str, ...] = ()
        """Known for this attempt only, such as variables of its program."""
        self.lines: list[_Line] = []
        self.count = self.chars = self.cost = 0
        self.next_seq = 1
        self.is_listed = False
        self._decoders = [_decoder("replace").decode, _decoder("replace").decode]
        self._rest = ["", ""]
        self._over = [0, 0]
        self._more = [0, 0]
        self._lost = 0

    def write(self, stream: int, text: str) -> None:
        """Take text that a handler printed; lines count when they are complete."""
        with self._book.lock:
            if text == "\n":  # print() sends it alone
                self._complete(stream)
                return
            if "\n" not in text:
                self._hold(stream, text)
                return
            if self.is_full:
                self._more[0] += text.count("\n")
                self._more[1] += len(text)
                return
            *ended, rest = text.split("\n", MAX_LINES + 1)
            for part in ended:
                self._hold(stream, part)
                self._complete(stream)
            if "\n" in rest:  # more lines than an attempt may have
                self._more[0] += rest.count("\n")
                self._more[1] += len(rest)
            else:
                self._hold(stream, rest)

    def write_bytes(self, stream: int, chunk: bytes) -> None:
        """The same for bytes; what is not UTF-8 is replaced."""
        with self._book.lock:
            if self.is_full:  # not worth the decoding
                self._more[0] += chunk.count(b"\n")
                self._more[1] += len(chunk)
            else:
                self.write(stream, self._decoders[stream](chunk))

    def record(self, level: int, text: str) -> None:
        """Take a record of logging; it may have several lines."""
        with self._book.lock:
            for line in text.split("\n", MAX_LINES):
                self._add(level, LOG, line, 0)

    @property
    def is_full(self) -> bool:
        return self.count >= MAX_LINES or self.chars >= MAX_CHARS

    def close(self) -> None:
        """The attempt has ended: lines without an end count, and what was cut is told."""
        with self._book.lock:
            for stream in (STDOUT, STDERR):
                if self._rest[stream]:
                    self._complete(stream)
            lines, chars = self._more
            if lines or chars:
                self._more = [0, 0]
                self._put(WARNING, LOG, f"truncated: {lines:,} more lines, {chars:,} characters")
        self._book.ended()

    def lose(self) -> int:
        """Forget the lines that wait; the next that is taken says so. Returns how many."""
        lost, self.lines = len(self.lines), []
        self._lost += lost
        self.next_seq += lost
        return lost

    def take(self) -> list[_Line]:
        """The lines that wait, after a word on those that were lost."""
        lines, self.lines = self.lines, []
        if self._lost:
            text = f"dropped: {self._lost:,} lines, the store did not take them in time"
            first_s = lines[0][0] if lines else elapsed_s()
            lines.insert(0, (first_s, WARNING, LOG, text))
            # In the place of the last of them, so that those that follow keep their numbers.
            self.next_seq -= 1
            self._lost = 0
        return lines

    def _hold(self, stream: int, text: str) -> None:
        room = _RAW - len(self._rest[stream])
        if len(text) <= room:
            self._rest[stream] += text
        else:
            self._rest[stream] += text[:room] if room > 0 else ""
            self._over[stream] += len(text) - max(0, room)

    def _complete(self, stream: int) -> None:
        text, over = self._rest[stream], self._over[stream]
        self._rest[stream] = ""
        self._over[stream] = 0
        self._add(INFO, stream, text, over)

    def _add(self, level: int, stream: int, text: str, over: int) -> None:
        if self.is_full:
            self._more[0] += 1
            self._more[1] += len(text) + over
            return
        if "\r" in text:
            # As on a terminal: a bar that redraws itself leaves its last picture.
            text = text.rstrip("\r").rpartition("\r")[2]
        if len(text) + over > MAX_LINE:
            text = self._book.cut(text, over, self.secrets)
        self.count += 1
        self.chars += len(text) + 1
        self._put(level, stream, text)

    def _put(self, level: int, stream: int, text: str) -> None:
        self.lines.append((elapsed_s(), level, stream, text))
        self._book.noted(self, len(text) + LINE_COST)


class Logbook:
    """All lines of a worker that the store does not have yet."""

    def __init__(self, masker: Masker, *, limit: int = MAX_HELD) -> None:
        # One lock for all, and one that its owner may take again: a finaliser or a signal
        # handler that prints may interrupt a write of the same thread.
        self.lock = RLock()
        self.masker = masker
        self.held = 0
        self.lost = 0
        """Lines that were dropped since somebody asked last."""
        self._limit = limit
        self._waiting: deque[AttemptLog] = deque()
        self.wake: Callable[[], None] = _nothing
        """Called when a first line waits."""
        self.ended: Callable[[], None] = _nothing
        """Called when an attempt with lines has ended."""

    def log_of(self, call: Call) -> AttemptLog:
        """The log of a call, made at its first line."""
        with self.lock:
            if call.log is None:
                call.log = AttemptLog(self, call)
            log: AttemptLog = call.log
            return log

    def noted(self, log: AttemptLog, cost: int) -> None:
        """A line was added; makes room when there is none. The lock is held."""
        log.cost += cost
        self.held += cost
        if not log.is_listed:
            log.is_listed = True
            self._waiting.append(log)
            if len(self._waiting) == 1:
                self.wake()
        while self.held > self._limit and self._waiting:
            self._drop_oldest()

    def take(self, *, limit: int, chars: int) -> list[LogChunk]:
        """The lines that wait longest as chunks, masked and fit for any database."""
        taken: list[tuple[AttemptLog, list[_Line], int]] = []
        with self.lock:
            size = 0
            while self._waiting and len(taken) < limit and size < chars:
                log = self._unlist()
                lines = log.take()
                size += sum(len(line[3]) for line in lines)
                if lines:
                    taken.append((log, lines, log.next_seq))
                    log.next_seq += len(lines)
        return [chunk for each in taken for chunk in self._chunks(*each)]

    def __len__(self) -> int:
        return len(self._waiting)

    def cut(self, text: str, over: int, secrets: tuple[str, ...]) -> str:
        """A line that is too long, its beginning masked before it is cut."""
        masked = self.masker(text, secrets)
        # The end of what was kept may hold half a secret that is not recognised.
        whole = len(masked) - (self.masker.longest if over else 0)
        kept = masked[: max(0, min(MAX_LINE, whole))]
        return f"{kept}... {len(masked) - len(kept) + over:,} characters cut"

    def _unlist(self) -> AttemptLog:
        log = self._waiting.popleft()
        log.is_listed = False
        self.held -= log.cost
        log.cost = 0
        return log

    def _drop_oldest(self) -> None:
        """Drop the lines of who waits longest, but for the word that says so."""
        log = self._unlist()
        lost = log.lose()
        self.lost += lost
        if lost:
            log.is_listed = True
            log.cost = LINE_COST
            self.held += LINE_COST
            self._waiting.append(log)

    def _chunks(self, log: AttemptLog, lines: list[_Line], seq: int) -> list[LogChunk]:
        chunks: list[LogChunk] = []
        start = size = 0
        for number, line in enumerate(lines):
            size += len(line[3])
            is_far = line[0] - lines[start][0] >= SPAN_MS / 1000
            if number > start and (size > CHUNK_CHARS or number - start >= CHUNK_LINES or is_far):
                chunks.append(self._chunk(log, lines[start:number], seq + start))
                start, size = number, len(line[3])
        return [*chunks, self._chunk(log, lines[start:], seq + start)]

    def _chunk(self, log: AttemptLog, lines: list[_Line], seq: int) -> LogChunk:
        lease, first_s = log.call.lease, lines[0][0]
        marks: list[int] = []
        for at_s, level, stream, _ in lines:
            marks += (max(0, int((at_s - first_s) * 1000)), level, stream)
        body = self.masker("\n".join([line[3] for line in lines]), log.secrets)
        if not body.isascii() or "\0" in body:
            body = body.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
        return LogChunk(
            run_id=lease.run_id,
            job=lease.job,
            attempt=lease.attempt,
            fence=lease.fence,
            seq=seq,
            first_at=lease.claimed_at + round((first_s - log.call.claimed_s) * 1000),
            marks=msgspec.json.encode(marks).decode(),
            body=body,
        )


def sink(call: Call, stream: int) -> Callable[[bytes], None]:
    """A place for the bytes that a program of this call prints."""

    def take(chunk: bytes) -> None:
        if call.logbook is not None:
            call.logbook.log_of(call).write_bytes(stream, chunk)

    return take


def _nothing() -> None:
    pass
