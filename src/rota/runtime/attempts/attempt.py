"""An attempt on its way through an executor, and the ways it can end.

Executors know attempts and endings only; the worker decides with rules.failures.retry what an
ending means for the run (retry, fail, release).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal, Protocol

import msgspec

from rota.clock import elapsed_s
from rota.model.jobs.spec import JobSpec
from rota.model.runs.run import ErrorDetail, Lease
from rota.rules.jobs.signature import Signature

if TYPE_CHECKING:
    from rota.runtime.attempts.services import RunServices

StopReason = Literal["timeout", "cancel", "lost", "drain", "cut_off", "held"]
"""`held`: the run has not begun, and another worker may begin it sooner."""


class Returned(msgspec.Struct, frozen=True):
    """The handler returned; holds its value as JSON text, or the pointer to it."""

    result: str
    reason: str | None = None
    """Why the handler need not have run: its result was known."""


class Raised(msgspec.Struct, frozen=True, kw_only=True):
    """The handler raised, or its result or exit code was invalid."""

    error: ErrorDetail
    types: tuple[str, ...] = ()
    """Qualified names of the exception's class and its bases, nearest first."""
    exception: BaseException | None = None
    """The exception itself where it was raised in this process; for custom retry functions."""
    retry_after_s: float | None = None
    wants_retry: bool = False
    """The handler raised Retry: try again whatever the error lists say."""
    gives_up: bool = False
    """Another attempt cannot help (undecodable arguments, result that is not JSON)."""
    reason: str | None = None
    """Why it gives up, where a more exact reason is known."""
    misfit: bool = False
    """The handler was not called: the run is for another version of its job than ours."""


class Stopped(msgspec.Struct, frozen=True):
    """The handler was asked to stop and did."""

    why: StopReason


class Crashed(msgspec.Struct, frozen=True):
    """The process that ran the handler died."""

    error: ErrorDetail
    was_alone: bool = True
    """Whether this was the first run in the process, so that no other run can be the cause."""


Ending = Returned | Raised | Stopped | Crashed


class ResolvedJob(msgspec.Struct, frozen=True, kw_only=True):
    """A job as a worker knows it: its pinned spec and, for Python, the function."""

    spec: JobSpec
    handler: Callable[..., Any] | None = None
    signature: Signature | None = None
    retry_function: Callable[[int, BaseException | None], float | timedelta | None] | None = None
    defaults: dict[str, Any] = {}
    """Defaults that a job file declares, for arguments that a run leaves out."""
    mismatch: str = ""
    """The version that the run is for and ours, if those take different arguments."""


class Attempt:
    """One attempt; made by the worker, carried out by an executor, ended exactly once."""

    __slots__ = (
        "__weakref__",
        "claimed_s",
        "deadline_s",
        "ended_s",
        "has_ended",
        "held_ms",
        "is_committed",
        "is_committing",
        "lease",
        "log",
        "log_buffer",
        "on_commit",
        "page",
        "services",
        "slot",
        "started_s",
        "stop_reason",
        "timeout_s",
        "work",
    )

    ended_s: float
    """When the attempt ended; not set before."""

    def __init__(self, lease: Lease, work: ResolvedJob, timeout_s: float | None) -> None:
        self.lease = lease
        self.work = work
        self.timeout_s = timeout_s
        self.claimed_s = elapsed_s()
        """When the lease was received; the host derives the database's time from it."""
        self.started_s: float | None = None
        """When the body started, on clock.elapsed_s; None while it waits for a slot."""
        self.held_ms = -1
        """Milliseconds from the claim to the start of the body; negative while it waits."""
        self.deadline_s: float | None = None
        self.stop_reason: StopReason | None = None
        self.has_ended = False
        self.slot: Any = None
        """Whatever the executor needs to find the body again (a thread, a task, a process)."""
        self.log_buffer: Any = None
        """The buffer in which the worker gathers log lines; None without one."""
        self.log: Any = None
        """The log of this attempt; made at its first line."""
        self.page: Any = None
        """The stdout buffer to which it prints at full load, when there is no time for a log."""
        self.services: RunServices | None = None
        """The run services for the handler."""
        self.is_committing = False
        """Whether the body is in a transaction that ends its run; it is not left behind then."""
        self.is_committed = False
        """Whether the handler has ended its run with commit(): nothing is left to report."""
        self.on_commit: Callable[[], None] | None = None

    @property
    def key(self) -> tuple[str, int]:
        """The run id and the fence of the attempt."""
        return self.lease.run_id, self.lease.fence

    @property
    def is_left_behind(self) -> bool:
        """Whether the body was asked to stop, did not, and still runs."""
        return bool(getattr(self.slot, "goes_on", False))

    def begun_lease(self) -> Lease:
        """The lease with the time of the begin, for code that ends the run without this attempt."""
        return msgspec.structs.replace(self.lease, held_ms=max(0, self.held_ms))

    def shielded(self) -> AbstractContextManager[None]:
        """Delay a stop until the block has ended, where a stop could land anywhere."""
        shield: Callable[[], AbstractContextManager[None]] | None
        shield = getattr(self.slot, "shield", None)
        return nullcontext() if shield is None else shield()


Done = Callable[[Attempt, Ending], None]
"""Called once per attempt, from any thread; must be cheap."""

Started = Callable[[Attempt], None]
"""Called when the body starts: the timeout counts from here."""


class Executor(Protocol):
    """A way to run handlers. `start` and `stop` never block and never raise."""

    def start(self, call: Attempt) -> None: ...

    def stop(self, call: Attempt, why: StopReason) -> None:
        """Stop the body; escalate where the kind of executor can."""
        ...

    def abandon(self, call: Attempt) -> None:
        """Free the slot even if the body still runs; `done` is not called for it any more."""
        ...

    def withdraw(self) -> list[Attempt]:
        """Take back the attempts that have not started; `done` is not called for them."""
        ...

    def close(self) -> None:
        """End all helpers (threads, children); called when no attempt is left."""
        ...
