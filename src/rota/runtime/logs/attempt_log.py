"""The log of one attempt: text as it comes, made into lines when somebody needs them.

Bounded: a line is cut, an attempt may have so many, the rest is counted and told at its end.
"""

from __future__ import annotations

from codecs import IncrementalDecoder, getincrementaldecoder
from collections.abc import Iterator
from io import StringIO
from typing import Any, NamedTuple, Protocol

from rota.clock import elapsed_s
from rota.model.log import LEVELS, STREAMS
from rota.runtime.attempts.attempt import Attempt

MAX_LINE = 8_192
MAX_LINES = 10_000
MAX_CHARS = 1_000_000
"""Of an attempt; what comes after is counted."""
ROOM = 64_000
"""Characters that wait as they came; beyond that the writer makes lines of them itself."""
LINE_COST = 150
PIECE_COST = 80
"""What a line, or a piece of one, costs in memory beside its characters."""
_RAW_LINE = 2 * MAX_LINE
"""Of a line that has not ended, so that a secret across the cut is still seen whole."""

STDOUT, STDERR, LOG = range(len(STREAMS))
INFO, WARNING = LEVELS.index("info"), LEVELS.index("warning")
RECORD = 10
"""A piece of this kind, plus its level, is a record of logging."""
END = -1
"""A piece of this kind says that the attempt has ended."""

MOMENT_S = 0.001
"""Lines that are no further apart were printed at the same time."""

Pieces = list[Any]
"""When, which stream or what else, text; and again. In between texts alone, as many as there are:
more of stdout, at the same time. A time matters only if the text ends a line.

Flat, because a tuple each would live long enough to be looked at by the garbage collector
again and again: 4 us a run of five lines.
"""


class BufferedLine(NamedTuple):
    """A complete line in memory."""

    at_s: float
    level: int
    stream: int
    text: str


class _Rest:
    """A line of a stream that has not ended: its beginning, and how long it is."""

    __slots__ = ("parts", "size")

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.size = 0


class LineSink(Protocol):
    """What an attempt needs of the log buffer; the last two are called with its lock held."""

    def enlist(self, log: AttemptLog) -> None:
        """It has something to take, or more than fits as it is."""
        ...

    def close(self, log: AttemptLog) -> None:
        """It has ended."""
        ...

    def hold(self, log: AttemptLog, cost: int) -> None:
        """It takes more memory now."""
        ...

    def cut(self, text: str, over: int, secrets: tuple[str, ...]) -> str:
        """The beginning of a line that is too long, without secrets."""
        ...


class AttemptLog:
    """What one attempt printed and logged, and the store does not have yet.

    Pieces are added without a lock: extending a list and cutting it are one step each.
    """

    __slots__ = (
        "_decoders", "_lost", "_more_chars", "_more_lines", "_page", "_page_s", "_read", "_rest",
        "_time_s", "at_s", "book", "chars", "claimed_s", "cost", "count", "is_listed", "lease",
        "lines", "next_seq", "pieces", "room", "secrets",
    )  # fmt: skip

    def __init__(self, book: LineSink, call: Attempt) -> None:
        self.book = book
        # Not the call, which knows us: a ring is left to the garbage collector, and looking for
        # them took as long as the rest of the log.
        self.lease = call.lease
        self.claimed_s = call.claimed_s
        self.pieces: Pieces = []
        self.room = -1
        """Room for pieces; below 0 the book wants to hear of them."""
        self.at_s = self._time_s = 0.0
        """The last time among the pieces, and among those that were settled."""
        self.lines: list[BufferedLine] = []
        self.is_listed = False
        self.count = self.chars = self.cost = 0
        self.next_seq = 1
        self.secrets: tuple[str, ...] = ()
        """Known for this attempt only, such as variables of its program."""
        self._rest: tuple[_Rest, _Rest] | None = None
        self._more_lines = self._more_chars = self._lost = 0
        self._decoders: tuple[IncrementalDecoder, IncrementalDecoder] | None = None
        self._page: StringIO | None = None
        self._page_s = 0.0
        self._read = 0

    def follow(self, page: StringIO, start: int, at_s: float) -> None:
        """Begin with what was printed there from a place on, at that time.

        Somebody who found the page before it was turned may still add to it, so it is kept.
        """
        self._page, self._read, self._page_s = page, start, at_s

    def write(self, stream: int, text: str) -> None:
        """Take text that was printed; it becomes lines when they are complete."""
        at_s = elapsed_s()
        self.pieces.extend((at_s, stream, text))
        self.at_s = at_s  # after the piece: a text alone must find it before itself
        # With something for each piece there is: bare line breaks are not counted when they come.
        self.room -= len(text) + PIECE_COST + len(self.pieces)
        if self.room < 0:
            self.book.enlist(self)

    def write_bytes(self, stream: int, chunk: bytes) -> None:
        """The same for bytes; what is not UTF-8 is replaced."""
        if self._decoders is None:
            make = getincrementaldecoder("utf-8")
            self._decoders = (make("replace"), make("replace"))
        self.write(stream, self._decoders[stream].decode(chunk))

    def record(self, level: int, text: str) -> None:
        """Take a record of logging; it may have several lines."""
        self.write(RECORD + level, text + "\n")

    def close(self) -> None:
        """The attempt has ended: a line without an end counts, and what was cut is told."""
        self.book.close(self)

    def end(self) -> None:
        """The last piece."""
        self.pieces.extend((elapsed_s(), END, ""))

    @property
    def is_full(self) -> bool:
        return self.count >= MAX_LINES or self.chars >= MAX_CHARS

    @property
    def is_fresh(self) -> bool:
        """Whether nothing was made of its pieces yet."""
        return not self.count and not self._more_chars and self._rest is None and self._page is None

    def cut_pieces(self) -> Pieces:
        """Take the pieces away; one that comes meanwhile stays."""
        number = len(self.pieces)
        taken = self.pieces[:number]
        del self.pieces[:number]
        return taken if self._page is None else [*self._turned(self._page), *taken]

    def _turned(self, page: StringIO) -> Pieces:
        """What was printed on the page and not taken yet."""
        size = page.tell()
        if size == self._read:
            return []
        text = page.getvalue()[self._read :]
        self._read += len(text)
        at_s, self._page_s = self._page_s or elapsed_s(), 0.0
        return [at_s, STDOUT, text]

    def settle(self) -> None:
        """Make lines of the pieces; the lock of the book is held."""
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
        """Each text with its time and kind."""
        rest = iter(pieces)
        for piece in rest:
            if piece.__class__ is str:
                yield self._time_s, STDOUT, piece
            else:
                self._time_s = piece
                yield piece, next(rest), next(rest)

    def lose(self) -> int:
        """Forget the lines that wait; the next that are taken say so. Returns how many."""
        lost, self.lines = len(self.lines), []
        self._lost += lost
        self.next_seq += lost
        return lost

    def take(self) -> list[BufferedLine]:
        """The lines that wait, after a word on those that were lost."""
        lines, self.lines = self.lines, []
        if self._lost:
            at_s = lines[0].at_s if lines else elapsed_s()
            lines.insert(0, BufferedLine(at_s, WARNING, LOG, dropped_text(self._lost)))
            # In the place of the last of them, so that those that follow keep their numbers.
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
        """Keep the beginning of a line that has not ended."""
        if self._rest is None:
            self._rest = _Rest(), _Rest()
        rest = self._rest[stream]
        rest.size += len(text)
        if rest.size <= _RAW_LINE:
            rest.parts.append(text)
        else:
            kept = max(0, _RAW_LINE - rest.size + len(text))
            rest.parts.append(text[:kept])
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
    """As on a terminal: a bar that redraws itself leaves its last picture."""
    return line.rstrip("\r").rpartition("\r")[2] if "\r" in line else line


def dropped_text(lines: int) -> str:
    """What stands in the place of lines that had to go."""
    return f"dropped: {lines:,} lines, the store did not take them in time"
