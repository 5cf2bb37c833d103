"""Async handlers on an event loop in a thread of its own.

A watchdog finds a handler that blocks the loop; attempts that start afterwards go to a fresh loop,
and the blocked one ends when its last attempt has ended.
"""

from __future__ import annotations

import threading
from collections import deque

from rota.notices import emit
from rota.runtime.attempts.attempt import (
    Attempt,
    Done,
    Ending,
    Raised,
    Started,
    Stopped,
    StopReason,
)
from rota.runtime.attempts.context import ProgressSink
from rota.runtime.executors.endings import failure, perform_async
from rota.runtime.executors.loop.thread import LoopThread
from rota.runtime.executors.parts import ExecutorParts


class LoopExecutor:
    """Runs up to `slots` attempts at once on one event loop, and on a fresh one when it hangs."""

    def __init__(
        self,
        *,
        slots: int,
        started: Started,
        done: Done,
        progress: ProgressSink | None = None,
        lag_s: float = 1.0,
    ) -> None:
        self.slots = slots
        self.started = started
        self.done = done
        self.progress = progress
        self.waiting: deque[Attempt] = deque()
        self._lag_s = lag_s
        self._lock = threading.Lock()
        self._current: LoopThread | None = None
        self._retired: list[LoopThread] = []
        self._watchdog: threading.Thread | None = None
        self._busy = threading.Event()
        self._closed = threading.Event()

    async def perform(self, call: Attempt) -> Ending:
        """Do the work of one attempt on the loop; subclasses do other work."""
        return await perform_async(call)

    async def leave(self) -> None:
        """Free what a subclass keeps per loop; called on a loop that is about to end."""

    def start(self, call: Attempt) -> None:
        self.waiting.append(call)
        try:
            current = self._current or self._fresh()
        except RuntimeError:  # the system allows no more threads
            if self._take_back(call):
                error = failure("OSError", "the system allows no more threads")
                self.done(call, Raised(error=error, types=("OSError",)))
            return
        current.look()
        if not self._busy.is_set():
            self._busy.set()

    def stop(self, call: Attempt, why: StopReason) -> None:
        """Cancel the body; an attempt that still waits ends at once."""
        call.stop_reason = why
        if self._take_back(call):
            self.done(call, Stopped(why))
        elif call.slot is not None:
            call.slot.cancel()

    def abandon(self, call: Attempt) -> None:
        if call.slot is not None:
            call.slot.abandon()
        else:
            self._take_back(call)

    def withdraw(self) -> list[Attempt]:
        """Take back all attempts that have not started; they never end here."""
        calls: list[Attempt] = []
        try:
            while True:
                calls.append(self.waiting.popleft())
        except IndexError:
            return calls

    def close(self) -> None:
        self._closed.set()
        self._busy.set()
        with self._lock:
            loops = [*self._retired, *([self._current] if self._current else [])]
            self._current = None
        for loop in loops:
            loop.retire()
        for loop in loops:
            loop.join(1.0)

    def _take_back(self, call: Attempt) -> bool:
        try:
            self.waiting.remove(call)
        except (ValueError, IndexError):  # gone, or the deque changed under the search
            return False
        return True

    def _fresh(self) -> LoopThread:
        with self._lock:
            if self._current is None:
                self._current = LoopThread(self)
            if self._watchdog is None:
                name = "rota-loop-watchdog"
                self._watchdog = threading.Thread(target=self._watch, name=name, daemon=True)
                self._watchdog.start()
            return self._current

    def _watch(self) -> None:
        while not self._closed.wait(self._lag_s / 4):
            current = self._current
            if current is not None and current.lag_s() > self._lag_s:
                self._replace(current)
            elif current is None or not current.active:
                self._busy.clear()
                if not (self.waiting or self._closed.is_set()):
                    # The timeout covers a call that was between the queue and the loop.
                    self._busy.wait(4 * self._lag_s)

    def _replace(self, blocked: LoopThread) -> None:
        """Report what blocks the loop, and give later attempts a loop that answers."""
        job, run_id, stack = blocked.culprit()
        emit("loop.blocked", job=job, run=run_id, blocked_s=blocked.lag_s(), stack=stack)
        with self._lock:
            if self._current is blocked:
                self._current = None
            self._retired = [loop for loop in self._retired if loop.is_alive()]
            self._retired.append(blocked)
        blocked.retire()
        self.waiting.extendleft(reversed(blocked.take_unbegun()))
        if self.waiting:
            self._fresh().look()


def make(parts: ExecutorParts) -> LoopExecutor:
    return LoopExecutor(
        slots=parts.slots,
        started=parts.started,
        done=parts.done,
        progress=parts.progress,
    )
