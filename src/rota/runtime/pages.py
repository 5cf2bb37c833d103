"""Pages: at full load, what a thread prints goes to a text in memory, without a step of Python.

Five lines cost 2 us of a run instead of 8, but for their times: all of a page have that of the
start of their call. So a page is turned when the call takes longer than a moment.
"""

from __future__ import annotations

from io import StringIO
from threading import RLock
from typing import Any

from rota.runtime.call import Call

MOMENT_S = 0.01
"""A call that takes longer gets the time of each line."""


class Page:
    """Where the handlers of one thread print, one after the other."""

    __slots__ = ("_lock", "_places", "_slowly", "_text", "call", "is_laid", "stream")

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.call: Call | None = None
        """Whose page it is now."""
        # One that its owner may take again: a finaliser may print, at any step.
        self._lock = RLock()
        self._places: dict[str, Any] = stream.__dict__  # of this thread alone
        self._slowly = self._places["write"]
        self._lay()

    def begin(self, call: Call) -> None:
        """What is printed from now on is of this call; what came between two is of nobody."""
        if self._text.tell():
            text = self._text.getvalue()
            self._lay()
            self._slowly(text)
        self.call = call

    def end(self, call: Call) -> str:
        """All that the call has printed; nothing if the page was turned, since its log has it."""
        with self._lock:
            if self.call is not call:
                return ""
            self.call = None
            if not self._text.tell():
                return ""
            text = self._text.getvalue()
            self._lay()
            return text

    def turn(self) -> None:
        """What was printed becomes the beginning of the log; the rest goes there. In any thread."""
        with self._lock:
            call, self.call = self.call, None
            if call is not None:
                call.logbook.log_of(call).follow(self._text, call.started_s or call.claimed_s)
                self.leave()

    def leave(self) -> None:
        """The thread prints as ever."""
        self._places["write"] = self._slowly
        self.is_laid = False
        pages.laid.discard(self)

    def _lay(self) -> None:
        self.is_laid = True
        self._text = StringIO()
        self._places["write"] = self._text.write


class Pages:
    """All pages of the process: it has one standard output."""

    def __init__(self) -> None:
        self.laid: set[Page] = set()
        self.are_wanted = False
        self._users: set[object] = set()

    def want(self, user: object, *, wanted: bool) -> None:
        """Whether somebody has so many lines to carry that their times may wait."""
        if wanted:
            self._users.add(user)
        else:
            self._users.discard(user)
        self.are_wanted = bool(self._users)
        for page in () if self._users else tuple(self.laid):
            page.turn()
            page.leave()

    def page_for(self, call: Call, last: Page | None, stream: Any) -> Page | None:
        """The page of this thread for a call; None while there is time for each line."""
        if not self.are_wanted or call.logbook is None:
            return None
        if last is None or not last.is_laid or last.stream is not stream:
            last = Page(stream)
            self.laid.add(last)
        last.begin(call)
        if self._users:
            return last
        # The load was over just now; who turns pages may have looked before this one was there.
        last.turn()
        last.leave()
        return None

    def turn_old(self, now_s: float) -> None:
        """Turn the pages of calls that take their time."""
        for page in tuple(self.laid):
            call = page.call
            if call is not None and now_s - (call.started_s or now_s) > MOMENT_S:
                page.turn()


pages = Pages()
