"""An attempt on its way through an executor, and the ways it can end.

Executors know calls and endings only; what an ending means for the run
(retry, fail, release) is decided by the worker with rules.failures.retry.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal, Protocol

import msgspec

from rota.clock import elapsed_s
from rota.model.run import ErrorDetail, Lease
from rota.model.spec import JobSpec
from rota.rules.jobs.signature import Signature

if TYPE_CHECKING:
    from rota.runtime.attempts.services import RunServices

StopReason = Literal["timeout", "cancel", "lost", "drain", "cut_off", "held"]
"""`held`: it has not begun, and others may begin it sooner."""


class Returned(msgspec.Struct, frozen=True):
    """The handler returned; its value as JSON text, or what stands for it."""

    result: str
    reason: str | None = None
    """Why it need not have run: its result was known."""


class Raised(msgspec.Struct, frozen=True, kw_only=True):
    """The handler raised, or its result or exit code was no good."""

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
    """Why it gives up, where that can be said more exactly."""
    misfit: bool = False
    """The handler was not called: the run is for another version of its job than we have."""


class Stopped(msgspec.Struct, frozen=True):
    """The handler was asked to stop and did."""

    why: StopReason


class Crashed(msgspec.Struct, frozen=True):
    """The process that ran the handler died."""

    error: ErrorDetail
    was_alone: bool = True
    """Nothing else had ever run in it, so that nothing else can have been the cause."""


Ending = Returned | Raised | Stopped | Crashed


class ResolvedJob(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker knows about a job: its pinned spec and, for Python, the function."""

    spec: JobSpec
    handler: Callable[..., Any] | None = None
    signature: Signature | None = None
    retry_function: Callable[[int, BaseException | None], float | timedelta | None] | None = None
    defaults: dict[str, Any] = {}
    """What a job file declares that the function is given where a run leaves it out."""
    mismatch: str = ""
    """Which version the run is for and which we have, if those take different arguments."""


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
    """When it ended; not there before."""

    def __init__(self, lease: Lease, work: ResolvedJob, timeout_s: float | None) -> None:
        self.lease = lease
        self.work = work
        self.timeout_s = timeout_s
        self.claimed_s = elapsed_s()
        """When the lease was received: with it the host can tell the database's time."""
        self.started_s: float | None = None
        """When the body started, on clock.elapsed_s; None while it waits for a slot."""
        self.held_ms = -1
        """How long after the claim that was; below zero while it waits."""
        self.deadline_s: float | None = None
        self.stop_reason: StopReason | None = None
        self.has_ended = False
        self.slot: Any = None
        """Whatever the executor needs to find the body again (a thread, a task, a process)."""
        self.log_buffer: Any = None
        """Where the worker gathers log lines; None when nobody does."""
        self.log: Any = None
        """The lines of this attempt; made when it writes the first."""
        self.page: Any = None
        """What it prints to at full load, when there is no time for that."""
        self.services: RunServices | None = None
        """What the body may ask of the store."""
        self.is_committing = False
        """The body is in a transaction that ends its run; it is not left behind meanwhile."""
        self.is_committed = False
        """The body has ended its run by itself: nothing is left to be told to the store."""
        self.on_commit: Callable[[], None] | None = None

    @property
    def key(self) -> tuple[str, int]:
        """Which attempt of which run it is."""
        return self.lease.run_id, self.lease.fence

    @property
    def is_left_behind(self) -> bool:
        """The body did not stop when it was asked to, and goes on."""
        return bool(getattr(self.slot, "goes_on", False))

    def begun_lease(self) -> Lease:
        """The lease with the time of the begin, for who ends the run without us."""
        return msgspec.structs.replace(self.lease, held_ms=max(0, self.held_ms))

    def shielded(self) -> AbstractContextManager[None]:
        """Hold a stop back until the block has ended, where it would land anywhere."""
        shield: Callable[[], AbstractContextManager[None]] | None
        shield = getattr(self.slot, "shield", None)
        return nullcontext() if shield is None else shield()


Done = Callable[[Attempt, Ending], None]
"""Told once per call, from any thread; must be cheap."""

Started = Callable[[Attempt], None]
"""Told when the body starts: the timeout counts from here."""


class Executor(Protocol):
    """A way to run handlers. `start` and `stop` never block and never raise."""

    def start(self, call: Attempt) -> None: ...

    def stop(self, call: Attempt, why: StopReason) -> None:
        """Ask the body to end; escalate where the kind of executor can."""
        ...

    def abandon(self, call: Attempt) -> None:
        """Free the slot even if the body goes on; `done` is not called for it any more."""
        ...

    def withdraw(self) -> list[Attempt]:
        """Take back the calls that have not started; `done` is not called for them."""
        ...

    def close(self) -> None:
        """End all helpers (threads, children); called when no call is left."""
        ...
