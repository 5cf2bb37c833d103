"""Slot threads: a few threads fed by one queue, started when there is work for them.

More attempts than slots may wait here; those not started can be taken back.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Protocol

from rota.clock import elapsed_s
from rota.runtime.attempts.attempt import Attempt, Done, Raised, Started, Stopped, StopReason
from rota.runtime.attempts.context import ProgressSink
from rota.runtime.executors.endings import failure

_log = logging.getLogger("rota")

Serve = Callable[[Attempt], bool]
"""Carries an attempt out; returns False when this thread was given up meanwhile and must end."""


class SlotPool:
    """Up to `slots` threads that serve attempts in the order they came."""

    def __init__(self, *, slots: int, serve: Serve, name: str) -> None:
        self._slots = slots
        self._serve = serve
        self._name = name
        self._waiting: SimpleQueue[Attempt | None] = SimpleQueue()
        self._idle: set[int] = set()
        self._lock = threading.Lock()
        self._threads: set[threading.Thread] = set()
        self._started = 0

    def add(self, call: Attempt) -> bool:
        """Queue an attempt; False when no thread could be had to serve it."""
        self._waiting.put(call)
        if len(self._threads) < self._slots:
            self._grow_if_needed()
            return bool(self._threads) or not self.take_back(call)
        return True

    @property
    def has_waiting(self) -> bool:
        """Whether an attempt waits for a thread."""
        return not self._waiting.empty()

    def withdraw(self) -> list[Attempt]:
        """Take back all attempts that have not started."""
        with self._lock:
            return self._drain()

    def take_back(self, call: Attempt) -> bool:
        """Take back one attempt; False when a thread has it already."""
        with self._lock:
            waiting = self._drain()
            for other in waiting:
                if other is not call:
                    self._waiting.put(other)
        return any(other is call for other in waiting)

    def replace_thread(self, lost: threading.Thread) -> None:
        """Remove a thread whose body does not end, so that another can take its slot."""
        with self._lock:
            self._threads.discard(lost)
        self._grow_if_needed()

    def close(self, *, wait_s: float = 1.0) -> None:
        """End the threads after the attempts that wait; bodies that still run are left behind."""
        with self._lock:
            threads = tuple(self._threads)
        for _ in threads:
            self._waiting.put(None)
        end_s = elapsed_s() + wait_s
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, end_s - elapsed_s()))

    def _drain(self) -> list[Attempt]:
        calls: list[Attempt] = []
        ends = 0
        try:
            while True:
                item = self._waiting.get_nowait()
                if item is None:
                    ends += 1
                else:
                    calls.append(item)
        except Empty:
            pass
        for _ in range(ends):
            self._waiting.put(None)
        return calls

    def _grow_if_needed(self) -> None:
        """Start one more thread if attempts wait that no idle thread is about to take."""
        with self._lock:
            if len(self._threads) >= self._slots or self._waiting.qsize() <= len(self._idle):
                return
            self._started += 1
            name = f"{self._name}-{self._started}"
            thread = threading.Thread(target=self._run, name=name, daemon=True)
            self._threads.add(thread)
            try:
                thread.start()
            except RuntimeError:  # the system allows no more threads
                self._threads.discard(thread)

    def _run(self) -> None:
        for call in iter(self._next, None):
            try:
                goes_on = self._serve(call)
            except Exception:  # noqa: BLE001  # the worker's callback failed; the slot lives on
                _log.exception("a slot could not report the end of run %s", call.lease.run_id)
                goes_on = True
            if not goes_on:
                return
        with self._lock:
            self._threads.discard(threading.current_thread())

    def _next(self) -> Attempt | None:
        try:
            return self._waiting.get_nowait()
        except Empty:
            pass
        me = threading.get_ident()
        self._idle.add(me)
        call = self._waiting.get()
        self._idle.discard(me)
        # A call that came while this thread still counted as idle must not wait for its end.
        if len(self._threads) < self._slots:
            self._grow_if_needed()
        return call


class ExecutorSlot(Protocol):
    """The place where a body runs; `call.slot` holds it from just before the body starts."""

    def ask(self, call: Attempt, why: StopReason) -> None:
        """Stop the body of this very attempt; nothing if it has ended."""
        ...


class PooledExecutor:
    """The base of executors with slot threads; subclasses define how to serve an attempt."""

    name = "rota-slot"

    def __init__(
        self, *, slots: int, started: Started, done: Done, progress: ProgressSink | None = None
    ) -> None:
        self._started = started
        self._done = done
        self._progress = progress
        self._here = threading.local()
        self._pool = SlotPool(slots=slots, serve=self._serve, name=self.name)

    def start(self, call: Attempt) -> None:
        if not self._pool.add(call):
            error = failure("OSError", "the system allows no more threads")
            self._done(call, Raised(error=error, types=("OSError",)))

    def stop(self, call: Attempt, why: StopReason) -> None:
        """Stop the body; an attempt that still waits ends at once."""
        # The reason comes first: a body that starts right now either sees it or is asked.
        call.stop_reason = why
        place: ExecutorSlot | None = call.slot
        if place is not None:
            place.ask(call, why)
        elif self._pool.take_back(call):
            self._done(call, Stopped(why))

    def withdraw(self) -> list[Attempt]:
        """Take back all attempts that have not started; they never end here."""
        return self._pool.withdraw()

    def close(self) -> None:
        self._pool.close()

    def _serve(self, call: Attempt) -> bool:
        raise NotImplementedError
