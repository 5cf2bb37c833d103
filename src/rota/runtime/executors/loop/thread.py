"""One event loop in one thread, and the attempts that run on it."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections import deque
from collections.abc import Coroutine
from contextvars import Context
from typing import Any, Protocol

from rota.clock import elapsed_s
from rota.notices import emit
from rota.runtime.attempts.attempt import Attempt, Done, Ending, Started, Stopped
from rota.runtime.attempts.context import ProgressSink, enter
from rota.runtime.attempts.error_text import describe, stack_text
from rota.runtime.executors.endings import STOPS, begin, ending_of

BEAT_S = 0.1


class LoopHost(Protocol):
    """The parts of its executor that a loop needs."""

    slots: int
    started: Started
    done: Done
    progress: ProgressSink | None
    waiting: deque[Attempt]

    async def perform(self, call: Attempt) -> Ending: ...

    async def leave(self) -> None: ...


class LoopSlot:
    """The place of one attempt on a loop."""

    __slots__ = ("_unclaimed", "abandoned", "body", "call", "future", "home")

    def __init__(self, home: LoopThread, call: Attempt) -> None:
        self.home = home
        self.call = call
        self.abandoned = False
        self._unclaimed = [None]
        self.body: Coroutine[Any, Any, Ending | None] = home.body(self)
        self.future: asyncio.Task[Ending | None] = home.loop.create_task(
            self.body, context=Context()
        )

    def claim(self) -> bool:
        """Return True to the first caller: the loop that begins the body, or its remover."""
        try:
            self._unclaimed.pop()
        except IndexError:
            return False
        return True

    def cancel(self) -> None:
        self.home.post(self.future.cancel)

    @property
    def goes_on(self) -> bool:
        """Whether a body that was left behind still runs here."""
        return self.abandoned and not self.future.done()

    def abandon(self) -> None:
        self.abandoned = True
        self.home.post(self.home.forget, self)


class LoopThread:
    """Takes attempts from its host's queue until it is retired, and ends when that is empty."""

    def __init__(self, host: LoopHost) -> None:
        self._host = host
        self._pid = os.getpid()
        self._is_retired = False
        self._is_leaving = False
        self._has_look = False
        self._beat_s: float | None = None
        self.active: dict[LoopSlot, None] = {}
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="rota-loop", daemon=True)
        try:
            self._thread.start()
        except RuntimeError:  # the system allows no more threads
            self.loop.close()
            raise

    def look(self) -> None:
        """Look for waiting attempts soon; many requests before that count as one."""
        if not self._has_look:
            self._has_look = True
            self.post(self._fill)

    def retire(self) -> None:
        """Take no more attempts, and end after the last one."""
        self._is_retired = True
        self.post(self._end_if_empty)

    def post(self, act: Any, *args: object) -> None:
        """Run a function on the loop; does nothing when the loop has ended."""
        try:
            self.loop.call_soon_threadsafe(act, *args)
        except RuntimeError:  # the loop is closed, so all its calls have ended
            return

    def join(self, timeout_s: float) -> None:
        if self._thread is not threading.current_thread():
            self._thread.join(timeout_s)

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def lag_s(self) -> float:
        """Return how long the loop has not answered; with attempts it answers every 0.1 s."""
        beat_s = self._beat_s
        return 0.0 if beat_s is None else elapsed_s() - beat_s

    def culprit(self) -> tuple[str | None, str | None, str]:
        """Return job, run and stack of what holds the loop now; no job if none of ours does."""
        running = [slot.call for slot in tuple(self.active) if _is_running(slot.body)]
        frame = sys._current_frames().get(self._thread.ident or 0)  # noqa: SLF001  # no other way
        stack = stack_text(frame) if frame is not None else ""
        if not running:
            return None, None, stack
        return running[0].lease.job, running[0].lease.run_id, stack

    def take_unbegun(self) -> list[Attempt]:
        """Take away the attempts that a blocked loop holds and has not begun."""
        moved = [slot for slot in tuple(self.active) if slot.claim()]
        for slot in moved:
            slot.call.slot = None
        return [slot.call for slot in moved]

    async def body(self, slot: LoopSlot) -> Ending | None:
        if not slot.claim():
            return None
        call = slot.call
        try:
            enter(call, self._host.progress)
            begin(call)
            self._host.started(call)
            return await self._host.perform(call)
        except BaseException as exc:  # noqa: BLE001  # user code may raise anything at all
            return ending_of(call, exc, stops=(*STOPS, asyncio.CancelledError))
        finally:
            if os.getpid() != self._pid:
                # The handler forked; its copy of us must not report anything twice.
                os._exit(0)

    def forget(self, slot: LoopSlot) -> None:
        """Free the place of an attempt that ended or was abandoned."""
        self.active.pop(slot, None)
        self._fill()

    def _fill(self) -> None:
        self._has_look = False
        waiting = self._host.waiting
        while len(self.active) < self._host.slots and not self._is_retired:
            try:
                call = waiting.popleft()
            except IndexError:
                break
            self._open(call)
        if self.active and self._beat_s is None:
            self._beat()
        self._end_if_empty()

    def _open(self, call: Attempt) -> None:
        slot = LoopSlot(self, call)
        self.active[slot] = None
        slot.future.add_done_callback(lambda _: self._ended(slot))
        call.slot = slot
        # `stop` sets the reason before it looks for the slot, so one of us sees the other.
        if call.stop_reason is not None:
            slot.future.cancel()

    def _ended(self, slot: LoopSlot) -> None:
        # A body that was cancelled before its first step never saw it, and gives no ending.
        ending = None if slot.future.cancelled() else slot.future.result()
        if ending is None and slot.claim():
            ending = Stopped(slot.call.stop_reason or "cancel")
        try:
            if ending is not None and not slot.abandoned:
                slot.call.slot = None
                self._host.done(slot.call, ending)
        finally:
            self.forget(slot)

    def _beat(self) -> None:
        self._beat_s = elapsed_s() if self.active else None
        if self.active:
            self.loop.call_later(BEAT_S, self._beat)

    def _end_if_empty(self) -> None:
        if self._is_retired and not self.active and not self._is_leaving:
            self.loop.stop()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        while not (self._is_retired and not self.active):
            try:
                self.loop.run_forever()
            except BaseException as exc:  # noqa: BLE001  # sys.exit in a handler's own sub-call
                emit("loop.broken", error=describe(exc))
        self._is_leaving = True
        try:
            self.loop.run_until_complete(self._leave())
        finally:
            self.loop.close()

    async def _leave(self) -> None:
        """End what handlers left running in the background, as asyncio.run does."""
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for future in rest:
            future.cancel()
        if rest:
            await asyncio.wait(rest, timeout=1.0)
        await self._host.leave()
        await self.loop.shutdown_asyncgens()


def _is_running(body: Coroutine[Any, Any, Ending | None]) -> bool:
    return bool(getattr(body, "cr_running", False))
