"""The attempts that a worker holds, and the executors that carry them out."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import msgspec

from rota.clock import elapsed_s
from rota.engine.workers.heartbeat import HeldLease
from rota.model.jobs.spec import JobSpec, PythonTarget
from rota.model.runs.run import ErrorDetail, Lease
from rota.notices import emit
from rota.rules.failures.retry import max_losses
from rota.runtime.attempts.attempt import (
    Attempt,
    Ending,
    Executor,
    Raised,
    ResolvedJob,
    Returned,
    Stopped,
    StopReason,
)
from rota.runtime.attempts.context import ProgressBoard
from rota.runtime.attempts.declared_defaults import with_defaults
from rota.runtime.attempts.masked_endings import masked
from rota.runtime.attempts.services import RunServices
from rota.runtime.dispatch.outcomes import policy_of
from rota.runtime.executors.parts import ExecutorParts
from rota.runtime.executors.process.lookup import is_findable
from rota.runtime.executors.registry import EXECUTORS, executor_name
from rota.runtime.logs.buffer import LogBuffer
from rota.runtime.options import WorkerOptions
from rota.runtime.values.loader import ValueLoader, incomplete


class AttemptTable:
    """All attempts between claim and finish; each ends exactly once.

    `started` and `wake` are called from any thread that an executor uses.
    """

    def __init__(
        self,
        *,
        options: WorkerOptions,
        started: Callable[[Attempt], None],
        wake: Callable[[], None],
        services: RunServices | None = None,
        log_buffer: LogBuffer | None = None,
        loader: ValueLoader | None = None,
    ) -> None:
        self._wake = wake
        self._services = services
        self._log_buffer = log_buffer
        self._loader = loader
        self._held: dict[str, Attempt] = {}
        self._left: list[Attempt] = []
        self._executors: dict[str, Executor] = {}
        self.endings: deque[tuple[Attempt, Ending]] = deque()
        self.progress = ProgressBoard(None if log_buffer is None else log_buffer.masker.cut)
        self.logged: Callable[[], None] = _nothing
        """Called when an attempt that wrote log lines has ended."""
        self.carry = wake
        """Like `wake`, but called from a thread that has nothing else to do."""

        self.is_leaving = False
        """Whether the worker ends: what dies now was probably signalled too."""
        self._parts = ExecutorParts(
            slots=options.slots,
            started=started,
            done=self._done,
            done_at_rest=self._done_at_rest,
            progress=self.progress,
            # Bodies that can be killed are killed before their deadline gives them up.
            grace_s=options.grace_ms / 2000,
            is_leaving=self._leaves,
            programs=options.programs,
            egress=options.egress,
        )

    def _leaves(self) -> bool:
        return self.is_leaving

    def __len__(self) -> int:
        return len(self._held)

    def open(self, lease: Lease, work: ResolvedJob) -> None:
        """Hand a lease to the executor for its kind of job; an attempt that cannot begin fails."""
        timeout_ms = work.spec.timeout_ms
        call = Attempt(lease, work, None if timeout_ms is None else timeout_ms / 1000)
        call.services = self._services
        call.log_buffer = self._log_buffer
        self._held[lease.run_id] = call
        try:
            self._begin(call)
        except Exception as error:  # noqa: BLE001  # the others that were claimed with it go on
            emit("work.unavailable", run=lease.run_id, job=lease.job, error=error)
            self._done(call, incomplete(error))

    def _begin(self, call: Attempt) -> None:
        if call.lease.crashes and _is_lost_too_often(call):
            self._done(call, _lost_too_often(call))
            return
        change = policy_of(call.lease.policy)
        if change and change.timeout_ms is not None:
            call.timeout_s = change.timeout_ms / 1000
        if change and change.isolation is not None:
            spec = msgspec.structs.replace(call.work.spec, isolation=change.isolation)
            call.work = msgspec.structs.replace(call.work, spec=spec)
        if self._loader is not None and self._loader.is_wanted_before(call.lease):
            self._loader.fetch(call, self._start, self._done)
        else:
            self._start(call)

    def held(self) -> list[HeldLease]:
        """The leases that a heartbeat renews; not runs that ended by commit() and still tidy up."""
        return [
            HeldLease(call.lease.run_id, call.lease.fence)
            for call in tuple(self._held.values())
            if not call.is_committed
        ]

    @property
    def begun(self) -> int:
        """The number of bodies that run in slots now; others wait for a slot, or have ended."""
        calls = tuple(self._held.values())
        return sum(call.started_s is not None and not call.has_ended for call in calls)

    @property
    def left_behind(self) -> int:
        """The number of bodies that still run although their runs have ended."""
        self._left = [call for call in self._left if call.is_left_behind]
        return len(self._left)

    def find(self, run_id: str) -> Attempt | None:
        return self._held.get(run_id)

    def everything(self) -> list[Attempt]:
        return list(self._held.values())

    def forget(self, call: Attempt) -> None:
        """Remove an attempt: the store knows its end, or must not be told any more."""
        if self._held.get(call.lease.run_id) is call:
            del self._held[call.lease.run_id]

    def stop(self, call: Attempt, why: StopReason) -> None:
        """Stop a body once; the first reason counts."""
        if call.stop_reason is not None or call.has_ended:
            return
        if self._loader is None or not self._loader.withdraw(call, why, self._done):
            self._executor_for(call).stop(call, why)

    def abandon(self, call: Attempt) -> None:
        """Leave a body behind that did not end in its grace; its slot is free again."""
        if call.page is not None:
            call.page.turn()  # it may print on, and nobody would read that
        self._executor_for(call).abandon(call)
        if call.is_left_behind:
            self._left.append(call)
        self._done(call, Stopped(call.stop_reason or "lost"))

    def withdraw(self, why: StopReason) -> None:
        """End the attempts that have not started."""
        for call in self._loader.waiting() if self._loader else ():
            self.stop(call, why)
        for executor in tuple(self._executors.values()):
            for call in executor.withdraw():
                self._done(call, Stopped(why))

    def give_back(self) -> None:
        """End the attempts that were claimed ahead and have not started, as if never claimed."""
        for call in self._loader.waiting() if self._loader else ():
            if call.lease.is_held:
                self.stop(call, "held")
        for executor in tuple(self._executors.values()):
            for call in executor.withdraw():
                self._done(call, Stopped("held"))

    def close(self) -> None:
        for executor in self._executors.values():
            executor.close()
        if self._loader is not None:
            self._loader.close()

    def _start(self, call: Attempt) -> None:
        if call.work.defaults:
            call.lease = with_defaults(call.lease, call.work.defaults)
        self._executor_for(call).start(call)

    def _done(self, call: Attempt, ending: Ending) -> None:
        if self._ended(call, ending):
            self._wake()

    def _done_at_rest(self, call: Attempt, ending: Ending) -> None:
        if self._ended(call, ending):
            self.carry()

    def _ended(self, call: Attempt, ending: Ending) -> bool:
        """End an attempt; return whether its end can be reported now."""
        if call.has_ended:
            return False
        call.has_ended = True
        call.ended_s = elapsed_s()
        if call.page is not None and call.page.end(call):
            self.logged()
        elif call.log is not None:
            call.log.close()
            self.logged()
        if not isinstance(ending, Returned) and self._log_buffer is not None:
            ending = masked(call, ending, self._log_buffer.masker)
        if self._loader is not None and self._loader.is_wanted_after(call, ending):
            self._loader.put_away(call, ending, self._tell)
            return False
        self.endings.append((call, ending))
        return True

    def _tell(self, call: Attempt, ending: Ending) -> None:
        self.endings.append((call, ending))
        self._wake()

    def _executor_for(self, call: Attempt) -> Executor:
        name = executor_name(call.work.spec, crashes=call.lease.crashes)
        executor = self._executors.get(name)
        if executor is None:
            executor = self._executors[name] = EXECUTORS[name](self._parts)
        return executor


def _can_be_alone(spec: JobSpec) -> bool:
    """Whether a run can be tried in a process of its own; programs and requests always can."""
    return not isinstance(spec.target, PythonTarget) or is_findable(spec.target.ref)


def _is_lost_too_often(call: Attempt) -> bool:
    most = max_losses(call.work.spec)
    return most > 0 and call.lease.crashes >= most and not _can_be_alone(call.work.spec)


def _lost_too_often(call: Attempt) -> Raised:
    """Return the end of a run that lost too many workers and cannot be tried alone.

    Whether the run is the cause cannot be found out, and it must not kill workers for ever.
    """
    message = (
        f"its worker died {call.lease.crashes} times while it ran, and it cannot be tried alone: "
        "its function does not belong to a module"
    )
    error = ErrorDetail(type="WorkerLost", message=message)
    return Raised(error=error, gives_up=True, reason=f"quarantined: {message}")


def _nothing() -> None:
    pass
