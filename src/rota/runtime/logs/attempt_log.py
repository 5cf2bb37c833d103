"""The log of one attempt: text as it comes, made into lines when they are needed.

It is bounded: long lines are cut, an attempt has a limit of lines and characters, and the rest is
counted and reported at its end.
"""

from __future__ import annotations

from codecs import IncrementalDecoder, getincrementaldecoder
from collections.abc import Iterator
from io import StringIO
from typing import Any, NamedTuple, Protocol

from rota.clock import elapsed_s
from rota.model.logs.log import LEVELS, STREAMS
from rota.runtime.attempts.attempt import Attempt

MAX_LINE = 8_192
MAX_LINES = 10_000
MAX_CHARS = 1_000_000
"""Most characters of an attempt; the rest is counted."""
ROOM = 64_000
"""Characters that wait as they came; beyond that the writer makes lines of them itself."""
LINE_COST = 150
PIECE_COST = 80
"""Memory for a line, or a piece of one, on top of its characters."""
_RAW_LINE = 2 * MAX_LINE
"""Most characters kept of an unfinished line: a secret across the cut is still seen whole."""

STDOUT, STDERR, LOG = range(len(STREAMS))
INFO, WARNING = LEVELS.index("info"), LEVELS.index("warning")
RECORD = 10
"""A piece of this kind, plus its level, is a record of logging."""
END = -1
"""A piece of this kind says that the attempt has ended."""

MOMENT_S = 0.001
"""Lines no further apart than this count as printed at the same time."""

Pieces = list[Any]
"""Time, kind (stream or other) and text, repeated. Any number of bare texts may follow each triple:

more of stdout, at the same time. A time matters only if the text ends a line.

Flat, because a tuple each would live long enough to be scanned by the garbage collector again and
again: 4 us a run of five lines.
"""


class BufferedLine(NamedTuple):
    """A complete line in memory."""

    at_s: float
    level: int
    stream: int
    text: str


class _Rest:
    """An unfinished line of a stream: its beginning and its length."""

    __slots__ = ("parts", "size")

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.size = 0


class LineSink(Protocol):
    """The part of the log buffer that an attempt uses; call the last two with its lock held."""

    def enlist(self, log: AttemptLog) -> None:
        """Register a log that has lines to take, or more text than it may keep unprocessed."""
        ...

    def close(self, log: AttemptLog) -> None:
        """Note that the attempt has ended."""
        ...

    def hold(self, log: AttemptLog, cost: int) -> None:
        """Count memory that the log now takes in addition."""
        ...

    def cut(self, text: str, over: int, secrets: tuple[str, ...]) -> str:
        """Return the beginning of a line that is too long, without secrets."""
        ...


class AttemptLog:
    """Lines that one attempt printed and logged, and that the store does not have yet.

    Pieces are added without a lock: extending a list and cutting it are one step each.
    """

    __slots__ = (
        "_decoders", "_lost", "_more_chars", "_more_lines", "_page", "_page_s", "_read", "_rest",
        "_time_s", "at_s", "book", "chars", "claimed_s", "cost", "count", "is_listed", "lease",
        "lines", "next_seq", "pieces", "room", "secrets",
    )  # fmt: skip

    def __init__(self, book: LineSink, call: Attempt) -> None:
        self.book = book
        # No reference to the call, which refers to us: cycles need the garbage collector, and that
        # took as long as the rest of the log.
        self.lease = call.lease
        self.claimed_s = call.claimed_s
        self.pieces: Pieces = []
        self.room = -1
        """Room for pieces; below 0 the log buffer must be notified of them."""
        self.at_s = self._time_s = 0.0
        """The last time among the pieces, and among those that became lines."""
        self.lines: list[BufferedLine] = []
        self.is_listed = False
        self.count = self.chars = self.cost = 0
        self.next_seq = 1
        self.secrets: tuple[str, ...] = ()
        """Secrets of this attempt only, such as variables of its program."""
        self._rest: tuple[_Rest, _Rest] | None = None
        self._more_lines = self._more_chars = self._lost = 0
        self._decoders: tuple[IncrementalDecoder, IncrementalDecoder] | None = None
        self._page: StringIO | None = None
        self._page_s = 0.0
        self._read = 0

    def follow(self, page: StringIO, start: int, at_s: float) -> None:
        """Begin with the text of a stdout buffer from `start` on, printed at that time.

        A writer that got hold of the buffer before it was removed may still add to it, so it is
        kept.
        """
        self._page, self._read, self._page_s = page, start, at_s

    def write(self, stream: int, text: str) -> None:
        """Add text that was printed; it becomes lines when they are complete."""
        at_s = elapsed_s()
        self.pieces.extend((at_s, stream, text))
        self.at_s = at_s  # after the piece: a bare text must find the time before itself
        # Plus a cost for each piece: bare line breaks are not counted when they come.
        self.room -= len(text) + PIECE_COST + len(self.pieces)
        if self.room < 0:
            self.book.enlist(self)

    def write_bytes(self, stream: int, chunk: bytes) -> None:
        """Add printed bytes; bytes that are not UTF-8 are replaced."""
        if self._decoders is None:
            make = getincrementaldecoder("utf-8")
            self._decoders = (make("replace"), make("replace"))
        self.write(stream, self._decoders[stream].decode(chunk))

    def record(self, level: int, text: str) -> None:
        """Add a log record; it may have several lines."""
        self.write(RECORD + level, text + "\n")

    def close(self) -> None:
        """End the log: an unfinished line counts, and cuts are reported."""
        self.book.close(self)

    def end(self) -> None:
        """Add the last piece."""
        self.pieces.extend((elapsed_s(), END, ""))

    @property
    def is_full(self) -> bool:
        return self.count >= MAX_LINES or self.chars >= MAX_CHARS

    @property
    def is_fresh(self) -> bool:
        """Whether no lines were made of its pieces yet."""
        return not self.count and not self._more_chars and self._rest is None and self._page is None

    def cut_pieces(self) -> Pieces:
        """Take the pieces away; one that comes meanwhile stays."""
        number = len(self.pieces)
        pieces = self.pieces[:number]
        del self.pieces[:number]
        return pieces if self._page is None else [*self._turned(self._page), *pieces]

    def _turned(self, page: StringIO) -> Pieces:
        """Return the text of the stdout buffer that was not taken yet."""
        size = page.tell()
        if size == self._read:
            return []
        text = page.getvalue()[self._read :]
        self._read += len(text)
        at_s, self._page_s = self._page_s or elapsed_s(), 0.0
        return [at_s, STDOUT, text]

    def settle(self) -> None:
        """Make lines of the pieces; call it with the lock of the log buffer held."""
        for at_s, kind, text in self._timed(self.cut_pieces()):
            if kind == END:
                self._end(at_s)
            elif self.is_full:
                self._more_lines += text.count("\n")
                self._more_chars += len(text)
            elif kind >= RECORD:
                for line in text[:-1].split("\n", MAX_LINES):
                    self._add(BufferedLine(at_s, kind - RECORD, LOG, line), 0)
            else:
                self._print(at_s, kind, text)

    def _timed(self, pieces: Pieces) -> Iterator[tuple[float, int, str]]:
        """Yield each text with its time and kind."""
        rest = iter(pieces)
        for piece in rest:
            if piece.__class__ is str:
                yield self._time_s, STDOUT, piece
            else:
                self._time_s = piece
                yield piece, next(rest), next(rest)

    def lose(self) -> int:
        """Drop the lines that wait, return how many; the next lines begin with a note of that."""
        lost, self.lines = len(self.lines), []
        self._lost += lost
        self.next_seq += lost
        return lost

    def take(self) -> list[BufferedLine]:
        """Return the lines that wait, after a note of lines that were dropped."""
        lines, self.lines = self.lines, []
        if self._lost:
            at_s = lines[0].at_s if lines else elapsed_s()
            lines.insert(0, BufferedLine(at_s, WARNING, LOG, dropped_text(self._lost)))
            # In the place of the last dropped line, so that later lines keep their numbers.
            self.next_seq -= 1
            self._lost = 0
        return lines

    def _print(self, at_s: float, stream: int, text: str) -> None:
        *ended, rest = (text,) if "\n" not in text else text.split("\n", MAX_LINES)
        for line in ended:
            self._complete(at_s, self._hold(stream, line), stream)
        if "\n" in rest:  # more lines than an attempt may have
            self._more_lines += rest.count("\n")
            self._more_chars += len(rest)
        elif rest:
            self._hold(stream, rest)

    def _hold(self, stream: int, text: str) -> _Rest:
        """Keep the beginning of an unfinished line."""
        if self._rest is None:
            self._rest = _Rest(), _Rest()
        rest = self._rest[stream]
        rest.size += len(text)
        if rest.size <= _RAW_LINE:
            rest.parts.append(text)
        else:
            length = max(0, _RAW_LINE - rest.size + len(text))
            rest.parts.append(text[:length])
        return rest

    def _complete(self, at_s: float, rest: _Rest, stream: int) -> None:
        text = "".join(rest.parts)
        over = rest.size - len(text)
        rest.parts.clear()
        rest.size = 0
        self._add(BufferedLine(at_s, INFO, stream, text), over)

    def _end(self, at_s: float) -> None:
        for stream, rest in enumerate(self._rest or ()):
            if rest.size:
                self._complete(at_s, rest, stream)
        if self._more_lines or self._more_chars:
            cut = f"{self._more_lines:,} more lines, {self._more_chars:,} characters"
            self._more_lines = self._more_chars = 0
            self._put(BufferedLine(at_s, WARNING, LOG, f"truncated: {cut}"))

    def _add(self, line: BufferedLine, over: int) -> None:
        text = line.text
        if self.is_full:
            self._more_lines += 1 + text.count("\n")
            self._more_chars += len(text) + over
            return
        text = shown(text)
        if len(text) + over > MAX_LINE:
            text = self.book.cut(text, over, self.secrets)
        self.count += 1
        self.chars += len(text) + 1
        self._put(line._replace(text=text))

    def _put(self, line: BufferedLine) -> None:
        self.lines.append(line)
        self.book.hold(self, len(line.text) + LINE_COST)


def shown(line: str) -> str:
    """Return the line as a terminal shows it: a progress bar leaves its last picture."""
    return line.rstrip("\r").rpartition("\r")[2] if "\r" in line else line


def dropped_text(lines: int) -> str:
    """Return the note that stands in place of dropped lines."""
    return f"dropped: {lines:,} lines, the store did not take them in time"
