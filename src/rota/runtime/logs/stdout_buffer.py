"""Stdout buffers: at full load a thread prints into a StringIO, without a step of Python.

Five lines cost 2 us of a run instead of 8, at the price of their times: all lines of an attempt
have the time of its start. So the buffer is removed when an attempt takes longer than a moment.
"""

from __future__ import annotations

from io import StringIO
from threading import RLock
from typing import Any

from rota.runtime.attempts.attempt import Attempt
from rota.runtime.logs.attempt_log import MAX_LINE, STDOUT
from rota.runtime.logs.stdout_batch import FACTS, StdoutBatch

MOMENT_S = 0.02
"""An attempt that takes longer gets the time of each line."""
MOST = 200
MOST_CHARS = 64_000
"""Characters at which a buffer is handed in; so many lines can be searched in a moment."""


class StdoutBuffer:
    """The output of the handlers of one thread, one after the other."""

    __slots__ = (
        "_book", "_end", "_facts", "_is_due", "_lock", "_places", "_slowly", "_text", "call",
        "is_laid", "stream",
    )  # fmt: skip

    def __init__(self, stream: Any, book: Any) -> None:
        self.stream = stream
        self.call: Attempt | None = None
        """The attempt that prints here now."""
        self._book = book
        # Reentrant: a finaliser may print, at any step.
        self._lock = RLock()
        self._places: dict[str, Any] = stream.__dict__  # of this thread alone
        self._slowly = self._places["write"]
        self._text: StringIO
        self._facts: list[Any]
        self._end: int
        """The position at which the text of the last ended attempt ends."""
        self._is_due: bool
        self.is_laid: bool
        self._lay()

    def begin(self, call: Attempt) -> bool:
        """Attribute output to this attempt from now on; output before it belongs to no run.

        Return False if the buffer was removed.
        """
        with self._lock:
            if not self.is_laid:
                return False
            if self._text.tell() != self._end:
                self._slowly(self._cut())
            self.call = call
            return True

    def end(self, call: Attempt) -> bool:
        """Keep the output of the attempt; False if there is none, or its log has it."""
        with self._lock:
            if self.call is not call:
                return False
            self.call = None
            end = self._text.tell()
            if end == self._end:
                return False
            if end - self._end > MAX_LINE:
                log = self._book.log_of(call)
                log.write(STDOUT, self._cut())
                log.close()
                return True
            lease = call.lease
            after_s = (call.started_s or call.claimed_s) - call.claimed_s
            first_at = lease.claimed_at + round(after_s * 1000)
            facts = self._facts
            facts += (lease.run_id, lease.job, lease.attempt, lease.fence, first_at, end)
            self._end = end
            if self._is_due or end > MOST_CHARS or len(facts) >= MOST * FACTS:
                self._hand_in()
            return True

    def gather(self) -> None:
        """Hand in ended attempts, now or when the current one ends. Safe in any thread."""
        with self._lock:
            if self.call is not None:
                self._is_due = True
            elif self._facts:
                self._hand_in()

    def turn(self) -> None:
        """Make the output of the current attempt the beginning of its log. Safe in any thread."""
        with self._lock:
            if self.call is not None:
                self.leave()

    def leave(self) -> None:
        """Remove the buffer: the thread prints as before, its attempt prints to its log."""
        with self._lock:
            if not self.is_laid:
                return  # another thread was quicker, and has handed everything in
            # First: its thread may be printing right now, and nobody reads this page again.
            self._places["write"] = self._slowly
            self.is_laid = False
            pages.laid.discard(self)
            call, self.call = self.call, None
            if call is not None:
                log = self._book.log_of(call)
                log.follow(self._text, self._end, call.started_s or call.claimed_s)
            rest = self._give(self._text, self._facts, self._end)
            if call is None and rest:
                self._slowly(rest)

    def _lay(self) -> None:
        self.is_laid = True
        self._is_due = False
        self._text = StringIO()
        self._facts = []
        self._end = 0
        self._places["write"] = self._text.write

    def _hand_in(self) -> None:
        """Hand in the output of ended attempts; a finaliser may have added more."""
        rest = self._cut()
        if rest:
            self._text.write(rest)

    def _cut(self) -> str:
        """Hand in the output of ended attempts, empty the buffer, and return the text after it."""
        text, facts, end = self._text, self._facts, self._end
        self._lay()
        return self._give(text, facts, end)

    def _give(self, text: StringIO, facts: list[Any], end: int) -> str:
        whole = text.getvalue()
        if facts:
            self._book.add(StdoutBatch(whole[:end], facts))
        return whole[end:]


class StdoutBuffers:
    """All stdout buffers of the process, which has one standard output."""

    def __init__(self) -> None:
        self.laid: set[StdoutBuffer] = set()
        self.are_wanted = False
        self._users: set[object] = set()

    def want(self, user: object, *, wanted: bool) -> None:
        """Set whether `user` has so many lines to deliver that their times do not matter."""
        if wanted:
            self._users.add(user)
        else:
            self._users.discard(user)
        self.are_wanted = bool(self._users)
        for page in () if self._users else tuple(self.laid):
            page.leave()

    def page_for(
        self, call: Attempt, last: StdoutBuffer | None, stream: Any
    ) -> StdoutBuffer | None:
        """Return the buffer of this thread for an attempt; None if each line can have a time."""
        if last is not None and last.stream is stream and last.begin(call):
            return last
        if not self.are_wanted or call.log_buffer is None:
            return None
        page = StdoutBuffer(stream, call.log_buffer)
        self.laid.add(page)
        page.begin(call)
        if self._users:
            return page
        # The load was over just now; want() may have listed the pages before this one was there.
        page.leave()
        return None

    def gather(self) -> None:
        """Have all buffers handed in."""
        for page in tuple(self.laid):
            page.gather()

    def turn_old(self, now_s: float) -> None:
        """Remove the buffers of attempts that take longer than a moment."""
        for page in tuple(self.laid):
            call = page.call
            if call is not None and now_s - (call.started_s or now_s) > MOMENT_S:
                page.turn()


pages = StdoutBuffers()
