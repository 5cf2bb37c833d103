"""Handlers in child processes: one that crashes, leaks or hangs costs no other run.

Children are kept warm and carry out one attempt at a time. The child's side is child.py.
"""

from __future__ import annotations

import threading

from rota.errors import RotaError
from rota.model.jobs.spec import PythonTarget
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
from rota.runtime.attempts.remote_services import RemoteRunServices, ServiceReply, ServiceRequest
from rota.runtime.executors.endings import begin, crashed, failure
from rota.runtime.executors.outside_signals import Leaving, came_with_our_end
from rota.runtime.executors.parts import ExecutorParts
from rota.runtime.executors.process.frames import (
    BeginFrame,
    BegunFrame,
    EndFrame,
    LogFrame,
    ProgressFrame,
    QuestionFrame,
    SettledFrame,
)
from rota.runtime.executors.process.lookup import portable_ref
from rota.runtime.executors.process.spawn import ChildLost, ChildProcess
from rota.runtime.executors.threads.pool import PooledExecutor
from rota.runtime.logs.attempt_log import STDERR, STDOUT
from rota.runtime.logs.buffer import sink


class ProcessSlot:
    """The child of one thread, and the attempt it works on."""

    def __init__(self, grace_s: float) -> None:
        self.child: ChildProcess | None = None
        self._grace_s = grace_s
        self._lock = threading.Lock()
        self._call: Attempt | None = None
        self._has_begun = False
        self.abandoned = False
        self.is_alone = True
        """Whether its child has carried out nothing before."""

    def open(self, call: Attempt) -> None:
        with self._lock:
            self._call = call
            self._has_begun = self.abandoned = False

    def shut(self) -> bool:
        """Close the place of an attempt that is over; return whether it was abandoned meanwhile."""
        with self._lock:
            self._call = None
            child = self.child
            if child is not None:
                child.group.spare()
            return self.abandoned

    def begun(self, call: Attempt) -> None:
        """Note that the child can be signalled; signal it if a stop came earlier."""
        with self._lock:
            self._has_begun = True
            if call.stop_reason is not None:
                self._signal(call.stop_reason)

    def ask(self, call: Attempt, why: StopReason) -> None:
        with self._lock:
            if self._call is call and self._has_begun:
                self._signal(why)

    def kill(self, call: Attempt) -> None:
        with self._lock:
            if self._call is call:
                self.abandoned = True
                child = self.child
                if child is not None:
                    child.kill()

    def _signal(self, why: StopReason) -> None:
        child = self.child
        if child is not None:
            child.ask(why)
            child.group.kill_after(self._grace_s)


class ProcessExecutor(PooledExecutor):
    """Runs each attempt in one of `slots` child processes.

    A handler that does not end within `grace_s` of a stop is killed with all it started.
    """

    name = "rota-process"

    def __init__(
        self,
        *,
        slots: int,
        started: Started,
        done: Done,
        progress: ProgressSink | None = None,
        grace_s: float = 2.0,
        is_leaving: Leaving = lambda: False,
    ) -> None:
        super().__init__(slots=slots, started=started, done=done, progress=progress)
        self._grace_s = grace_s
        self._is_leaving = is_leaving
        self._places: list[ProcessSlot] = []

    def abandon(self, call: Attempt) -> None:
        place: ProcessSlot | None = call.slot
        if place is not None:
            place.kill(call)
        else:
            self._pool.take_back(call)

    def close(self) -> None:
        for place in tuple(self._places):
            if place.child is not None:
                place.child.close()
        super().close()

    def _serve(self, call: Attempt) -> bool:
        place: ProcessSlot | None = getattr(self._here, "place", None)
        if place is None:
            place = self._here.place = ProcessSlot(self._grace_s)
            self._places.append(place)
        place.open(call)
        call.slot = place
        ending = self._try(call, place)
        if not place.shut():
            self._done(call, ending)
        return True

    def _try(self, call: Attempt, place: ProcessSlot) -> Ending:
        try:
            return self._carry_out(call, place)
        except ChildLost as lost:
            place.child = None
            # A child that died after it was asked to stop counts as stopped, whatever killed it.
            if call.stop_reason is not None:
                return Stopped(call.stop_reason)
            if came_with_our_end(lost.signal_number, self._is_leaving):
                return Stopped("drain")
            return crashed(str(lost), was_alone=place.is_alone)
        except OSError as exc:
            error = failure("OSError", f"no process could be started for the handler: {exc}")
            return Raised(error=error, types=("OSError",))

    def _carry_out(self, call: Attempt, place: ProcessSlot) -> Ending:
        target = call.work.spec.target
        assert isinstance(target, PythonTarget)  # noqa: S101  # the worker picks by target
        # A run whose process died is tried again in a fresh process, which serves no other run.
        is_suspect = call.lease.crashes > 0
        child = self._warm(place, is_fresh=is_suspect)
        child.printed.lead_to((sink(call, STDOUT), sink(call, STDERR)))
        # `stop` sets the reason before it looks for the slot, so one of us sees the other.
        if call.stop_reason is not None or place.abandoned:
            return Stopped(call.stop_reason or "lost")
        begin(call)
        self._started(call)
        request = BeginFrame(
            lease=call.begun_lease(),
            ref=portable_ref(target.ref),
            timeout_s=call.timeout_s,
            memory_mb=call.work.spec.memory_mb,
            mismatch=call.work.mismatch,
            services=call.services.address if call.services else None,
            asks=isinstance(call.services, RemoteRunServices),
        )
        child.send(request)
        ended = self._follow(call, place, child)
        child.printed.read_rest()
        if ended.is_spent or is_suspect:
            place.child = None
            child.close()
        return ended.ending(call.stop_reason)

    def _warm(self, place: ProcessSlot, *, is_fresh: bool) -> ChildProcess:
        """Return the slot's child, or a new one if it has none or it died while it was idle."""
        child = place.child
        place.is_alone = True
        if child is None or is_fresh or not child.is_alive():
            if child is not None:
                child.close()
            place.child = None
            child = place.child = ChildProcess()
        place.is_alone = child.calls == 0
        child.calls += 1
        return child

    def _follow(self, call: Attempt, place: ProcessSlot, child: ChildProcess) -> EndFrame:
        """Read frames from the child until the attempt has ended."""
        for answer in child.answers():
            if isinstance(answer, BegunFrame):
                place.begun(call)
            elif isinstance(answer, ProgressFrame) and self._progress is not None:
                lease = call.lease
                self._progress(lease.run_id, lease.fence, answer.fraction, answer.note)
            elif isinstance(answer, QuestionFrame):
                child.send(_reply(call, answer.question))
            elif isinstance(answer, SettledFrame):
                call.is_committed = True
            elif isinstance(answer, LogFrame) and call.log_buffer is not None:
                call.log_buffer.log_of(call).record(answer.level, answer.text)
            elif isinstance(answer, EndFrame):
                return answer
        raise ChildLost


def _reply(call: Attempt, question: ServiceRequest) -> ServiceReply:
    """Reply to a request of a handler in a child, which only its worker can answer."""
    services = call.services
    assert isinstance(services, RemoteRunServices)  # noqa: S101  # others are asked by the child itself
    try:
        return services.ask(call.lease, question)
    except RotaError as error:
        return ServiceReply(error=(type(error).__name__, str(error)))


def make(parts: ExecutorParts) -> ProcessExecutor:
    return ProcessExecutor(
        slots=parts.slots,
        started=parts.started,
        done=parts.done,
        progress=parts.progress,
        grace_s=parts.grace_s,
        is_leaving=parts.is_leaving,
    )
