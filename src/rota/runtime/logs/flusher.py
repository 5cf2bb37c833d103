"""The log flusher: moves lines from the log buffer to the source, in batches of their own.

Not in the transaction that finishes runs: a result must not wait for log lines.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable

from rota.clock import elapsed_s
from rota.engine.logs import index
from rota.errors import StoreUnavailable
from rota.model.logs.log import LogChunk
from rota.notices import emit
from rota.rules.shared_log_rows import attempts_in
from rota.runtime.attempts.table import AttemptTable
from rota.runtime.chores.lifecycle import Chore
from rota.runtime.logs.buffer import LogBuffer
from rota.runtime.logs.capture import capture
from rota.runtime.logs.stdout_buffer import MOMENT_S, pages
from rota.runtime.service import Service
from rota.runtime.source import LogSink
from rota.store.base import Store

Echo = Callable[[LogChunk], None]
BATCH = 2000
BATCH_CHARS = 2_000_000
GATHER_S = 0.2
"""How long lines of running handlers gather."""
ENDED_S = 0.1
"""How long lines of ended handlers gather: people look at them now."""
SHEET_S = 0.1
"""How long a thread may keep the output of its attempts at full load."""
MANY = 1_000
"""Attempts with lines a second; at such a load nobody needs the time of each line."""
INDEXED = 200
"""Chunks per transaction."""
REST, BUSY_REST = 20.0, 60.0
"""How long it rests, as a multiple of its work: at full load the index may lag, runs may not."""


class LogFlusher(Service):
    """Delivers lines soon after they were written, and sooner when their run has ended."""

    interval_s = 1.0

    def __init__(
        self, sink: LogSink, calls: AttemptTable, book: LogBuffer, *, echo: Echo | None
    ) -> None:
        super().__init__()
        self._sink = sink
        self._echo = echo
        self._calls = calls
        self._book = book
        self._unsent: list[LogChunk] = []
        self._has_ended = False
        self._first_s: float | None = None
        self._sent_s = 0.0
        self._was_whole = False
        self._is_capturing = False
        self._is_quick = False
        self._many_s = self._gathered_s = 0.0
        book.wake = self.wake
        calls.logged = self._ended

    def start(self) -> None:
        if not self._is_capturing:
            self._is_capturing = True
            capture.start()
        super().start()

    def stop(self) -> None:
        """Deliver the last lines, unless the store is away."""
        super().stop()
        self._hurry(hurry=False)
        if self._is_capturing:  # a worker may be stopped twice
            self._is_capturing = False
            capture.stop()
        with contextlib.suppress(StoreUnavailable):
            while self._deliver():
                pass

    def pause_s(self) -> float:
        pause_s = max(0.0, min(self.interval_s, self._due_s() - elapsed_s()))
        return min(pause_s, MOMENT_S) if self._is_quick else pause_s

    def tick(self) -> bool:
        if self._is_quick:
            self._tend_pages(elapsed_s())
        if not len(self._calls):
            if self._was_whole and not capture.is_whole():
                capture.mend()
            self._was_whole = capture.is_whole()
        if self._book and self._first_s is None:
            self._first_s = elapsed_s()
        return elapsed_s() >= self._due_s() and self._deliver()

    def _ended(self) -> None:
        """Wake up soon: an attempt with lines has ended."""
        if not self._has_ended:
            self._has_ended = True
            self.wake()

    def _due_s(self) -> float:
        waiting = len(self._book)
        if self._unsent or waiting >= BATCH:
            return 0.0
        if not waiting:
            return math.inf
        first_s = math.inf if self._first_s is None else self._first_s + GATHER_S
        return min(first_s, self._sent_s + ENDED_S) if self._has_ended else first_s

    def _deliver(self) -> bool:
        """Send a batch, again if it did not arrive; return True when there may be another."""
        is_repeated = bool(self._unsent)
        if not is_repeated:
            self._has_ended = False
            self._first_s = None
            self._unsent = self._book.take(limit=BATCH, chars=BATCH_CHARS)
            self._show(self._unsent)
        if self._book.lost:
            lost, self._book.lost = self._book.lost, 0
            emit("logs.dropped", lines=lost)
        if not self._unsent:
            return False
        self._sink.log(self._unsent, is_repeated=is_repeated)
        attempts, self._unsent = sum(map(attempts_in, self._unsent)), []
        before_s, self._sent_s = self._sent_s, elapsed_s()
        if attempts > MANY * (self._sent_s - before_s):
            self._many_s = self._sent_s
            self._hurry(hurry=True)
        return len(self._book) > 0

    def _tend_pages(self, now_s: float) -> None:
        pages.turn_old(now_s)
        if now_s - self._gathered_s > SHEET_S:
            self._gathered_s = now_s
            pages.gather()
        if now_s - self._many_s > self.interval_s:
            self._hurry(hurry=False)

    def _hurry(self, *, hurry: bool) -> None:
        if hurry != self._is_quick:
            self._is_quick = hurry
            pages.want(self, wanted=hurry)

    def _show(self, chunks: list[LogChunk]) -> None:
        if self._echo is None:
            return
        try:
            for chunk in chunks:
                self._echo(chunk)
        except Exception as error:  # noqa: BLE001  # a console that is gone must not lose the lines
            self._echo = None
            emit("logs.unheard", error=error)


class LogIndexer(Chore):
    """Takes stored lines into the index of words, in the background.

    Lines that are not indexed yet are found too, by reading them.
    """

    interval_s = 2.0
    chore = "index logs"

    def __init__(self, store: Store, is_busy: Callable[[], bool]) -> None:
        super().__init__(store)
        self._is_busy = is_busy
        self._rest_after_s: float | None = None

    def tick(self) -> bool:
        if self._rest_after_s is None and not self.is_mine():
            return False
        began_s = elapsed_s()
        has_more = self._store.write(lambda tx: index(tx, limit=INDEXED)) > 0
        rest = BUSY_REST if self._is_busy() else REST
        self._rest_after_s = rest * (elapsed_s() - began_s) if has_more else None
        return False

    def pause_s(self) -> float:
        return super().pause_s() if self._rest_after_s is None else self._rest_after_s
