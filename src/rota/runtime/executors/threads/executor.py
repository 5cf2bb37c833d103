"""Sync handlers in threads of our own: the hot path of a worker.

A handler is stopped by an exception raised in its thread, at its next line of Python. One that does
not react is left behind and its slot gets a new thread.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import Context
from functools import partial

from rota.errors import Cancelled, TimedOut
from rota.runtime.attempts.attempt import Attempt, Done, Ending, Started, Stopped, StopReason
from rota.runtime.attempts.context import ProgressSink, enter
from rota.runtime.executors.endings import begin, ending_of, perform
from rota.runtime.executors.parts import ExecutorParts
from rota.runtime.executors.swallowed_stops import resend_with
from rota.runtime.executors.threads.pool import PooledExecutor
from rota.runtime.logs.capture import page_for
from rota.runtime.logs.stdout_buffer import StdoutBuffer, pages
from rota.shield import shield_with

_set_async_exc = ctypes.pythonapi.PyThreadState_SetAsyncExc
_set_async_exc.argtypes = (ctypes.c_ulong, ctypes.py_object)
_NOTHING: ctypes.py_object[type[BaseException]] = ctypes.py_object()  # NULL clears what is pending


class ThreadSlot:
    """The place of one thread for a body; knows which attempt may be interrupted right now.

    `armed` is the attempt whose body runs. An exception is sent only while it is set, under the
    lock that also clears it, so that none can hit the code around a body.
    """

    __slots__ = (
        "abandoned", "armed", "ident", "lock", "page", "sent", "shields", "thread", "waiting",
    )  # fmt: skip

    def __init__(self) -> None:
        self.thread = threading.current_thread()
        self.ident = threading.get_ident()
        self.lock = threading.Lock()
        self.armed: Attempt | None = None
        self.sent: StopReason | None = None
        self.abandoned = False
        self.shields = 0
        self.waiting: StopReason | None = None
        self.page: StdoutBuffer | None = None
        shield_with(self.shield)
        resend_with(lambda: partial(self._resend, self.armed))

    def ask(self, call: Attempt, why: StopReason) -> None:
        """Raise Cancelled or TimedOut in the body, once; nothing if it has ended."""
        with self.lock:
            if self.armed is call and self.shields:
                self.waiting = why
            elif self.armed is call and self.sent is None:
                self._send(why)

    def _resend(self, call: Attempt | None) -> None:
        """Raise the stop of this attempt again if it has not ended: a finaliser swallowed it."""
        with self.lock:
            if call is None or self.armed is not call or self.sent is None:
                return
            if self.shields:
                self.waiting = self.sent
            else:
                self._send(self.sent)

    @contextmanager
    def shield(self) -> Iterator[None]:
        """Delay a stop: in the middle of a transaction it would harm more than this body."""
        with self.lock:
            self.shields += 1
        try:
            yield
        finally:
            with self.lock:
                self.shields -= 1
                call, why = self.armed, self.waiting
                # A run that has ended by commit looks lost to a heartbeat, and is not.
                is_lost = call is not None and call.is_committed and why == "lost"
                if why is not None and call is not None and not (self.shields or is_lost):
                    self.waiting = None
                    self._send(why)

    def _send(self, why: StopReason) -> None:
        self.sent = why
        _set_async_exc(self.ident, TimedOut if why == "timeout" else Cancelled)

    def abandon(self, call: Attempt) -> bool:
        """Give this thread up; False if the body has ended and the slot is fine."""
        with self.lock:
            is_running = self.armed is call
            if is_running:
                self.abandoned = True
            return is_running

    @property
    def goes_on(self) -> bool:
        """Whether a body that was left behind still runs here."""
        return self.abandoned and self.thread.is_alive()

    def disarm(self) -> None:
        """Send no stop from here on; clear one that was sent and has not landed."""
        with self.lock:
            self.armed = self.waiting = None
            self.shields = 0  # one may have been hit while it was raised
            if self.sent is not None:
                _set_async_exc(self.ident, _NOTHING)
                self.sent = None


class ThreadExecutor(PooledExecutor):
    """Runs each attempt in one of `slots` threads."""

    def __init__(
        self,
        *,
        slots: int,
        started: Started,
        done: Done,
        done_at_rest: Done | None = None,
        progress: ProgressSink | None = None,
    ) -> None:
        super().__init__(slots=slots, started=started, done=done, progress=progress)
        self._done_at_rest = done_at_rest or done
        self._pid = os.getpid()

    def abandon(self, call: Attempt) -> None:
        slot: ThreadSlot | None = call.slot
        if slot is None:
            self._pool.take_back(call)
        elif slot.abandon(call):
            self._pool.replace_thread(slot.thread)

    def _serve(self, call: Attempt) -> bool:
        slot: ThreadSlot | None = getattr(self._here, "slot", None)
        if slot is None:
            slot = self._here.slot = ThreadSlot()
        # The load may be over before the stdout buffer of this thread is taken away.
        if pages.are_wanted or slot.page is not None:
            slot.page = call.page = page_for(call, slot.page)
        # A fresh context: what one handler sets is not seen by the next.
        ending = Context().run(self._carry_out, call, slot)
        if slot.abandoned:
            return False
        # A thread with no next call may as well carry the ending away itself: waking another for
        # that, and being woken for what it brings, is a tenth of what a node of a graph takes.
        report = self._done if self._pool.has_waiting else self._done_at_rest
        report(call, ending)
        return True

    def _carry_out(self, call: Attempt, slot: ThreadSlot) -> Ending:
        enter(call, self._progress)
        begin(call)
        self._started(call)
        ending: Ending | None = None
        left_by: BaseException | None = None
        try:
            try:
                slot.armed = call
                call.slot = slot
                # `stop` sets the reason before it looks for the slot, so one of us sees the other.
                why = call.stop_reason
                ending = perform(call) if why is None else Stopped(why)
            except BaseException as exc:  # noqa: BLE001  # user code may raise anything at all
                left_by = exc
            if os.getpid() != self._pid:
                # The handler forked; its copy of us must not report anything twice.
                os._exit(0)
            slot.disarm()
        except (Cancelled, TimedOut) as late:
            # It landed between the end of the body and disarming; it is sent at most once.
            if ending is None and left_by is None:
                left_by = late
            slot.disarm()
        if left_by is not None:
            ending = ending_of(call, left_by)
            left_by = None  # it holds this frame: without the cycle memory is freed at once
        return ending or Stopped("cancel")


def make(parts: ExecutorParts) -> ThreadExecutor:
    return ThreadExecutor(
        slots=parts.slots,
        started=parts.started,
        done=parts.done,
        done_at_rest=parts.done_at_rest,
        progress=parts.progress,
    )
