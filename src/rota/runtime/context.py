"""What a handler may know about its own run, and how it reports progress.

Works the same in threads, on event loops and in child processes; executors call `enter`.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
import threading
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, NamedTuple

import msgspec

from rota.clock import elapsed_s
from rota.errors import BadInput, Cancelled, RotaError, TimedOut
from rota.runtime.call import Call, StopReason
from rota.runtime.describe import bounded
from rota.runtime.effects import Apply, Effect, Policy, commit, desk_of

MAX_NOTE = 500

ProgressSink = Callable[[str, int, float, str], None]
"""Told run id, fence, fraction and note, from any thread; must be cheap."""


class Progress(NamedTuple):
    """The latest word of a handler about how far it is."""

    run_id: str
    fence: int
    fraction: float
    note: str


class ProgressBoard:
    """A sink that keeps only the latest progress of each run until it is taken."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._latest: dict[str, Progress] = {}

    def __call__(self, run_id: str, fence: int, fraction: float, note: str) -> None:
        with self._lock:
            self._latest[run_id] = Progress(run_id, fence, fraction, note)

    def __len__(self) -> int:
        return len(self._latest)

    def take(self) -> list[Progress]:
        """All that was reported since the last take."""
        with self._lock:
            taken, self._latest = self._latest, {}
        return list(taken.values())


class RunContext:
    """The run a handler works for; get it with `current_run()`."""

    __slots__ = ("_call", "_sink")

    def __init__(self, call: Call, sink: ProgressSink | None = None) -> None:
        self._call = call
        self._sink = sink

    @property
    def id(self) -> str:
        return self._call.lease.run_id

    @property
    def job(self) -> str:
        return self._call.lease.job

    @property
    def attempt(self) -> int:
        return self._call.lease.attempt

    @property
    def fence(self) -> int:
        """Grows with each claim; hand it to systems that can refuse an older one."""
        return self._call.lease.fence

    @property
    def idempotency_key(self) -> str:
        """The same for every attempt of this run; hand it to systems outside."""
        return idempotency_key(self.id, self.job)

    @property
    def cancelled(self) -> bool:
        """Whether this attempt was asked to stop, for whatever reason."""
        return self._call.stop_reason is not None

    def remaining(self) -> float | None:
        """Seconds until the attempt times out, never below 0; None without a timeout."""
        deadline_s = self._call.deadline_s
        return None if deadline_s is None else max(0.0, deadline_s - elapsed_s())

    def check(self) -> None:
        """Raise Cancelled or TimedOut if this attempt was asked to stop."""
        if self._call.stop_reason is not None:
            raise stop_exception(self._call.stop_reason)

    def commit(
        self,
        apply: Apply | None = None,
        *,
        result: Any = msgspec.UNSET,
        limit: str | float | None = None,
    ) -> Any:
        """End the run as a success, in one transaction with what `apply(tx)` does.

        The result is the one given, or what `apply` returned; it is given back. LeaseLost when
        another worker owns the run or after an acknowledged cancel: then nothing was changed.
        What the handler does afterwards does not change how the run ended.
        """
        return commit(self._call, apply, result=result, limit=limit)

    async def commit_async(
        self,
        apply: Apply | None = None,
        *,
        result: Any = msgspec.UNSET,
        limit: str | float | None = None,
    ) -> Any:
        """As commit(), in a thread; a stop waits until the transaction has ended."""
        work = asyncio.create_task(
            asyncio.to_thread(self.commit, apply, result=result, limit=limit)
        )
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            await asyncio.wait({work})
            raise

    def once(self, name: str, *, in_doubt: Policy = "retry") -> Effect:
        """A call to the outside world that is not repeated once its result is known.

        `in_doubt` says what to do when an earlier attempt began it and left no result: `retry`
        with the same idempotency key, `park` the run for a person, or a function that looks it
        up by that key and gives the result, or None if it did not take place.
        """
        key = idempotency_key(self.id, f"{self.job}:{name}")
        return Effect(self._call, name, key=key, in_doubt=in_doubt)

    def save_checkpoint(self, text: str) -> None:
        desk_of(self._call).save_checkpoint(self._call.lease, text)

    def load_checkpoint(self) -> str | None:
        return desk_of(self._call).load_checkpoint(self._call.lease)

    def report(self, fraction: float, note: str) -> None:
        if self._sink is not None:
            self._sink(self.id, self.fence, fraction, note)


_current: ContextVar[RunContext | None] = ContextVar("rota_run", default=None)


def enter(call: Call, sink: ProgressSink | None) -> None:
    """Make the call current in this context; executors give each body a context of its own."""
    _current.set(RunContext(call, sink))


def find_run() -> RunContext | None:
    """The run whose handler is calling; None where a handler is a plain function."""
    return _current.get()


def current_run() -> RunContext:
    """The run whose handler is calling; raises RotaError outside a handler.

    A thread that a handler starts by itself knows its run only if the handler
    runs it in `contextvars.copy_context()`, as `asyncio.to_thread` does.
    """
    found = _current.get()
    if found is None:
        raise RotaError(
            "there is no current run here: current_run() works inside a handler that a worker runs"
        )
    return found


def progress(fraction: float, note: str = "") -> None:
    """Say how far the run is, from 0 to 1; people see the latest word.

    Values outside are clipped, NaN is refused. A handler that is called as a
    plain function has nobody to tell, so nothing happens.
    """
    if math.isnan(fraction):
        raise BadInput("progress is a number from 0 to 1, not NaN")
    found = _current.get()
    if found is not None:
        found.report(min(1.0, max(0.0, float(fraction))), bounded(note.replace("\0", ""), MAX_NOTE))


def idempotency_key(run_id: str, job: str) -> str:
    """Thirty-two hex digits that every attempt of a run shares."""
    return hashlib.sha256(f"{run_id}:{job}".encode()).hexdigest()[:32]


def stop_exception(why: StopReason) -> Cancelled | TimedOut:
    """What is raised inside a handler that is asked to stop."""
    if why == "timeout":
        return TimedOut("the attempt ran longer than its timeout")
    reasons = {
        "cancel": "the run was cancelled",
        "lost": "another worker owns this run now",
        "drain": "the worker is shutting down",
    }
    return Cancelled(reasons[why])
