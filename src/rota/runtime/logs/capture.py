"""Captures output and log records of handlers in this process, for the logs of their runs.

Output from outside a run, from a thread without its context, or past Python (a C library, a
program) goes where it went before.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from threading import Lock, local
from typing import Any

from rota.clock import elapsed_s
from rota.model.logs.log import LEVELS
from rota.runtime.attempts.attempt import Attempt
from rota.runtime.attempts.context import current
from rota.runtime.logs.attempt_log import MAX_LINE, MOMENT_S, PIECE_COST, STDERR, STDOUT, AttemptLog
from rota.runtime.logs.stdout_buffer import StdoutBuffer, pages

_TEN = 10
_BREAK = "\n"
"""The line break of print(): always this very object."""
_current = current.get
MAX_RECORD = 32 * MAX_LINE
"""Most characters of one record that are read; a line of it may have 8,192."""


def log_here() -> AttemptLog | None:
    """Return the log of the run whose handler is calling, if there is one."""
    run = _current()
    if run is None:
        return None
    log: AttemptLog | None = run.log
    if log is None and run.call.log_buffer is not None:
        if run.call.page is not None:
            run.call.page.turn()  # earlier output comes first
        log = run.log = run.call.log_buffer.log_of(run.call)
    return log


def is_heard() -> bool:
    """Whether a run is calling whose lines are kept."""
    run = _current()
    return run is not None and run.call.log_buffer is not None


def page_for(call: Attempt, last: StdoutBuffer | None) -> StdoutBuffer | None:
    """Return the stdout buffer of this thread for an attempt, if printing is to be quick."""
    stream = sys.stdout
    return pages.page_for(call, last, stream) if stream.__class__ is RunStream else None


class RunStream(local):
    """Stands in for sys.stdout or sys.stderr: text of handlers goes to their runs.

    Each thread has its own `write`, so that a stdout buffer can take its place.
    """

    def __init__(self, stream: Any, number: int) -> None:
        self.stream = stream
        self._number = number
        self.buffer = _RunBuffer(stream, number)
        # An attribute, not a method: the hot path, two to ten times per print().
        self.write: Callable[[str], int] = _writer(number, self._write)

    def _write(self, text: str) -> int:
        log = log_here()
        if log is None:
            return int(self.stream.write(text))
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        log.write(self._number, str(text))
        return len(text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        if not is_heard():
            self.stream.flush()

    def isatty(self) -> bool:
        return not is_heard() and bool(self.stream.isatty())

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def _writer(number: int, otherwise: Callable[[str], int]) -> Callable[[str], int]:
    """Return AttemptLog.write inlined, with local names: takes a third of the time.

    For stdout only, and for text that ends no line or does so at the time of the one before. A line
    break costs nothing here: the next text of another moment pays for all.
    """

    def write(text: str) -> int:
        run = _current()
        log: AttemptLog | None = None if run is None else run.log
        if log is None or text.__class__ is not str:
            return otherwise(text)
        if text is _BREAK or _BREAK in text:
            if elapsed_s() - log.at_s > MOMENT_S:
                return otherwise(text)
            if text is _BREAK:
                log.pieces.append(text)
                return 1
        log.pieces.append(text)
        size = len(text)
        room = log.room = log.room - size - PIECE_COST
        if room < 0:
            log.book.enlist(log)
        return size

    return write if number == STDOUT else otherwise


class _RunBuffer:
    """The `buffer` of a RunStream, for bytes."""

    def __init__(self, stream: Any, number: int) -> None:
        self._stream = stream
        self._number = number

    def write(self, chunk: Any) -> int:
        log = log_here()
        if log is None:
            return int(self._stream.buffer.write(chunk))
        data = bytes(chunk)
        log.write_bytes(self._number, data)
        return len(data)

    def flush(self) -> None:
        if not is_heard():
            self._stream.buffer.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream.buffer, name)


class RunRecords(logging.Handler):
    """Keeps the records of handlers with their runs, whatever other handlers do with them."""

    def createLock(self) -> None:  # noqa: N802  # the name in logging
        self.lock = None  # the log has a lock of its own

    def emit(self, record: logging.LogRecord) -> None:
        log = log_here()
        if log is not None:
            try:
                log.record(level_of(record), text_of(record))
            except Exception:  # noqa: BLE001  # arguments that do not fit; logging says where
                self.handleError(record)
        elif logging.root.handlers == [self]:
            print_as_ever(record)


def print_as_ever(record: logging.LogRecord) -> None:
    """Handle a record as logging does without set-up: our handler keeps it from doing so."""
    last = logging.lastResort
    if last is not None and record.levelno >= last.level:
        last.handle(record)


def level_of(record: logging.LogRecord) -> int:
    """Return the level as the index of its name; levels between are rounded down."""
    return max(0, min(len(LEVELS) - 1, record.levelno // _TEN - 1))


def text_of(record: logging.LogRecord) -> str:
    """Return `logger: message`, and the traceback if there is one."""
    name = "" if record.name == "root" else f"{record.name}: "
    text = name + record.getMessage()
    if record.exc_info and not record.exc_text:
        record.exc_text = logging.Formatter().formatException(record.exc_info)
    for more in (record.exc_text, record.stack_info):
        if more:
            text = f"{text}\n{more}"
    return text[:MAX_RECORD]


class Capture:
    """Puts the stand-ins in place for as long as some worker of this process runs."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._users = 0
        self._streams: list[RunStream] = []
        self._records = RunRecords()

    def start(self) -> None:
        with self._lock:
            self._users += 1
            if self._users == 1:
                self._streams = [RunStream(sys.stdout, STDOUT), RunStream(sys.stderr, STDERR)]
                sys.stdout, sys.stderr = self._streams
                logging.root.addHandler(self._records)

    def stop(self) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                logging.root.removeHandler(self._records)
                out, err = self._streams
                # A stream that somebody else has put there since stays.
                if sys.stdout is out:
                    sys.stdout = out.stream
                if sys.stderr is err:
                    sys.stderr = err.stream

    def is_whole(self) -> bool:
        """Whether all stand-ins are still in place."""
        streams: list[Any] = [sys.stdout, sys.stderr]
        return streams == self._streams and self._records in logging.root.handlers

    def mend(self) -> None:
        """Restore the stand-ins that a handler replaced; only while no handler runs."""
        with self._lock:
            if self._users:
                sys.stdout, sys.stderr = self._streams
                logging.root.addHandler(self._records)


capture = Capture()
"""The only one of the process, which has one standard output."""
