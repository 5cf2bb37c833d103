"""The child side of a process slot: carries out one attempt at a time.

Started by spawn.py; it speaks frames and dies with the worker.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import functools
import inspect
import io
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextvars import Context
from types import FrameType
from typing import Any, TextIO

import msgspec

from rota.errors import Cancelled, StoreUnavailable, TimedOut
from rota.model.jobs.spec import JobSpec, PythonTarget
from rota.rules.jobs.signature import Signature
from rota.runtime.attempts.attempt import Attempt, Ending, Raised, ResolvedJob, StopReason
from rota.runtime.attempts.context import current, enter, stop_exception
from rota.runtime.attempts.remote_services import NO_STORE, ServiceReply, ServiceRequest
from rota.runtime.attempts.services import Address, RunServices
from rota.runtime.executors.endings import (
    STOPS,
    begin,
    ending_of,
    failure,
    perform,
    perform_async,
)
from rota.runtime.executors.process.child_logging import ChildRecords, flush_streams, open_console
from rota.runtime.executors.process.child_memory import memory_limit, not_counted
from rota.runtime.executors.process.frames import (
    Answer,
    BeginFrame,
    BegunFrame,
    EndFrame,
    FrameReader,
    LogFrame,
    ProgressFrame,
    QuestionFrame,
    ReadyFrame,
    SettledFrame,
    decode_begin,
    decode_reply,
    write_frame,
)
from rota.runtime.executors.process.lookup import find_function
from rota.runtime.executors.process.pipe_services import PipeRunServices
from rota.runtime.executors.swallowed_stops import resend_with
from rota.runtime.signal_guard import guard_signals
from rota.runtime.values.artifacts import ArtifactStore
from rota.runtime.values.backends import open_artifacts
from rota.shield import shield_with
from rota.store.base import Store
from rota.store.open import connect
from rota.store.open import forbid as forbid_store

STOP_SIGNALS: dict[StopReason, signal.Signals] = {
    "cancel": signal.SIGUSR1,
    "lost": signal.SIGUSR1,
    "cut_off": signal.SIGUSR1,
    "drain": signal.SIGUSR1,
    "timeout": signal.SIGUSR2,
}
_RESEND = signal.SIGURG  # ignored by default, and no program gives it a meaning
_PR_SET_PDEATHSIG = 1


class Child:
    """Serves attempts until its worker closes the pipe.

    A stop signal raises in the handler, and only there: `armed` is the attempt that may be hit.
    """

    def __init__(self, requests: int, answers: int, console: TextIO) -> None:
        self._reader = FrameReader(requests)
        self._answers = answers
        self._pid = os.getpid()
        self._main = threading.get_ident()
        self._write_lock = threading.Lock()
        self._asking = threading.Lock()
        self._writer: int | None = None
        self._records = ChildRecords(self._send_line, console)
        self._armed: Attempt | None = None
        self._is_sending = False
        self._deferred = False
        self._swallowed: Attempt | None = None
        self._shields = 0
        self._stores: dict[str, Store] = {}
        self._cancel: Callable[[], object] | None = None
        shield_with(self.shield)
        resend_with(lambda: functools.partial(self._resend, self._armed))

    def serve(self) -> None:
        for number in (signal.SIGUSR1, signal.SIGUSR2):
            signal.signal(number, self._on_stop)
        signal.signal(_RESEND, self._on_resend)
        self._send(ReadyFrame())
        for frame in iter(self._reader.read, None):
            self._send(self._carry_out(decode_begin(frame)))

    def _services(self, address: Address) -> RunServices:
        def store() -> Store:
            return self._store(address.url)

        return RunServices(
            address, store, ArtifactStore(store, open_artifacts(address.artifacts, beside=None))
        )

    def _carry_out(self, request: BeginFrame) -> EndFrame:
        target = PythonTarget(ref=request.ref)
        spec = JobSpec(name=request.lease.job, target=target, memory_mb=request.memory_mb)
        work = ResolvedJob(spec=spec, mismatch=request.mismatch)
        call = Attempt(request.lease, work, request.timeout_s)
        call.slot = self
        call.on_commit = lambda: self._send(SettledFrame())
        if request.asks:
            forbid_store(NO_STORE)
            call.services = PipeRunServices(self.question)
        elif request.services is not None:
            address = Address(*request.services)
            call.services = self._services(address)
        begin(call)
        ending: Ending | None = None
        left_by: BaseException | None = None
        try:
            try:
                self._armed = call
                self._send(BegunFrame())
                ending = Context().run(self._body, call)
            except BaseException as exc:  # noqa: BLE001  # user code may raise anything at all
                left_by = exc
            self._armed = None
        except (Cancelled, TimedOut) as late:
            # It landed between the end of the body and disarming; it is raised at most once.
            left_by = left_by or (late if ending is None else None)
            self._armed = None
        if os.getpid() != self._pid:
            os._exit(0)  # the handler forked; its copy of us must not report anything twice
        self._deferred = False
        flush_streams()
        if left_by is not None:
            ending = ending_of(call, left_by, stops=(*STOPS, asyncio.CancelledError))
        out_of_memory = isinstance(left_by, MemoryError)
        if out_of_memory and isinstance(ending, Raised) and call.work.spec.memory_mb:
            limit = f"out of memory: the job may use {call.work.spec.memory_mb} MB"
            error = failure("MemoryError", limit, ending.error.traceback)
            ending = Raised(error=error, types=ending.types)
        return EndFrame.of(ending or _no_ending(), is_spent=out_of_memory)

    def _body(self, call: Attempt) -> Ending:
        enter(call, self._send_progress)
        handler, signature = _handler_at(call.work.spec.target.ref)  # type: ignore[union-attr]  # ours is Python
        call.work = msgspec.structs.replace(call.work, handler=handler, signature=signature)
        self._records.install()
        with memory_limit(call.work.spec.memory_mb):
            if inspect.iscoroutinefunction(handler):
                return asyncio.run(self._body_async(call))
            return perform(call)

    async def _body_async(self, call: Attempt) -> Ending:
        loop, me = asyncio.get_running_loop(), asyncio.current_task()
        assert me is not None  # noqa: S101  # asyncio.run made one
        self._cancel = lambda: loop.call_soon_threadsafe(me.cancel)
        try:
            return await perform_async(call)
        finally:
            self._cancel = None

    def close(self) -> None:
        for store in self._stores.values():
            store.close()

    def _store(self, url: str) -> Store:
        """Open the child's own connection, at the first use of the store by a handler."""
        store = self._stores.get(url)
        if store is None:
            with not_counted():
                store = self._stores[url] = connect(url)
        return store

    def _send_progress(self, _run_id: str, _fence: int, fraction: float, note: str) -> None:
        self._send(ProgressFrame(fraction=fraction, note=note))

    @contextlib.contextmanager
    def shield(self) -> Iterator[None]:
        """Delay a stop: in the middle of a transaction it would break the connection."""
        self._shields += 1
        try:
            yield
        finally:
            self._shields -= 1
            if self._deferred and not self._shields:
                self._deferred = False
                self._raise_stop()

    def question(self, question: ServiceRequest) -> ServiceReply:
        """Send a request to the worker; a stop waits for the reply, as half of it is useless."""
        is_main = threading.current_thread() is threading.main_thread()
        with self._asking, self.shield() if is_main else contextlib.nullcontext():
            self._send(QuestionFrame(question=question))
            frame = self._reader.read()
        if frame is None:
            raise StoreUnavailable("the worker of this process is gone")
        return decode_reply(frame)

    def _send_line(self, level: int, text: str) -> bool:
        run = current.get()
        # A finaliser may log while its own thread writes a frame: it is not sent then.
        if run is None or run.call is not self._armed or self._writer == threading.get_ident():
            return False
        self._send(LogFrame(level=level, text=text))
        return True

    def _send(self, frame: Answer) -> None:
        is_main = threading.current_thread() is threading.main_thread()
        with self._write_lock:
            self._writer = threading.get_ident()
            # Half a frame would end this child, so a stop waits for the other half.
            self._is_sending = is_main
            try:
                write_frame(self._answers, frame)
            finally:
                self._is_sending = False
                self._writer = None
        if is_main and self._deferred and not self._shields:
            self._deferred = False
            self._raise_stop()

    def _on_stop(self, number: int, _frame: FrameType | None) -> None:
        call = self._armed
        if call is None or call.stop_reason is not None:
            return
        call.stop_reason = "timeout" if number == STOP_SIGNALS["timeout"] else "cancel"
        self._stop_now_or_later()

    def _on_resend(self, _number: int, _frame: FrameType | None) -> None:
        call, self._swallowed = self._swallowed, None
        if call is not None and call is self._armed:
            self._stop_now_or_later()

    def _stop_now_or_later(self) -> None:
        if self._is_sending or self._shields:
            self._deferred = True
        else:
            self._raise_stop()

    def _resend(self, call: Attempt | None) -> None:
        """Send the stop again, from another thread: a finaliser swallowed it in the handler."""
        self._swallowed = call
        signal.pthread_kill(self._main, _RESEND)

    def _raise_stop(self) -> None:
        if self._cancel is not None:
            self._cancel()
        elif self._armed is not None and self._armed.stop_reason is not None:
            raise stop_exception(self._armed.stop_reason)


@functools.cache
def _handler_at(ref: str) -> tuple[Callable[..., Any], Signature]:
    function = find_function(ref)
    return function, Signature.of(function)


def _no_ending() -> Raised:
    return Raised(error=failure("RuntimeError", "the handler left no ending"))


def main(  # numbers of the worker that started us
    requests: int, answers: int, console: int, worker_pid: int, supervisor_pid: int, level: int
) -> None:
    """Serve a worker over two pipes; end with it."""
    for fd in (requests, answers, console):
        os.set_inheritable(fd, False)  # noqa: FBT003  # the standard library takes it so
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != worker_pid:  # it died before we tied our life to it
        return
    guard_signals(worker_pid, supervisor_pid)
    logging.root.setLevel(level)  # what the worker lets through; the user's module may differ
    if isinstance(sys.stdout, io.TextIOWrapper):
        # People follow it; what cannot be encoded is escaped, as in a thread.
        sys.stdout.reconfigure(line_buffering=True, errors="backslashreplace")
    child = Child(requests, answers, open_console(console))
    with contextlib.suppress(BrokenPipeError), contextlib.closing(child):
        child.serve()
