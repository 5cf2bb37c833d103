"""The run context of a handler: its own run, and how it reports progress.

Works alike in threads, on event loops and in child processes; executors call `enter`.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from datetime import date, datetime
from typing import Any, NamedTuple

import msgspec

from rota.clock import elapsed_s, to_datetime
from rota.engine.schedules.last_success import LastSuccess
from rota.errors import BadInput, Cancelled, RotaError, TimedOut
from rota.model.runs.labels import Labels
from rota.model.runs.run import Origin
from rota.rules.runs.effect_keys import idempotency_key
from rota.rules.runs.times import run_values
from rota.runtime.attempts.attempt import Attempt, StopReason
from rota.runtime.attempts.effects import Apply, Effect, Policy, commit, desk_of
from rota.runtime.attempts.error_text import bounded

MAX_NOTE = 500
_origin = msgspec.json.Decoder(Origin)

ProgressSink = Callable[[str, int, float, str], None]
"""Called with run id, fence, fraction and note, from any thread; must be cheap."""


class AttemptProgress(NamedTuple):
    """The latest progress that a handler reported."""

    run_id: str
    fence: int
    fraction: float
    note: str


class ProgressBoard:
    """A sink that keeps only the latest progress of each run until it is taken."""

    def __init__(self, mask: Callable[[str], str] | None = None) -> None:
        self._lock = threading.Lock()
        self._latest: dict[str, AttemptProgress] = {}
        self._mask = mask

    def __call__(self, run_id: str, fence: int, fraction: float, note: str) -> None:
        with self._lock:
            self._latest[run_id] = AttemptProgress(run_id, fence, fraction, note)

    def __len__(self) -> int:
        return len(self._latest)

    def take(self) -> list[AttemptProgress]:
        """Return all progress reported since the last call, with secrets masked."""
        with self._lock:
            latest, self._latest = self._latest, {}
        mask = self._mask
        if mask is None:
            return list(latest.values())
        return [
            each._replace(note=mask(each.note)) if each.note else each for each in latest.values()
        ]


class RunContext:
    """The run a handler works for; get it with `current_run()`."""

    __slots__ = ("_sink", "call", "log")

    def __init__(self, call: Attempt, sink: ProgressSink | None = None) -> None:
        self.call = call
        self.log: Any = None
        """The log of the attempt, once a line was printed: saves a step for each line."""
        self._sink = sink

    @property
    def id(self) -> str:
        return self.call.lease.run_id

    @property
    def job(self) -> str:
        return self.call.lease.job

    @property
    def attempt(self) -> int:
        return self.call.lease.attempt

    @property
    def fence(self) -> int:
        """A number that grows with each claim; pass it to systems that can refuse an older one."""
        return self.call.lease.fence

    @property
    def origin(self) -> Origin | None:
        """The schedule and instant that this run is for; None if no schedule started it."""
        text = self.call.lease.origin
        return _origin.decode(text) if text else None

    @property
    def schedule(self) -> str | None:
        """The name of the schedule that started this run."""
        origin = self.origin
        return None if origin is None else origin.schedule

    @property
    def scheduled_for(self) -> datetime | None:
        """The instant this run is for; it does not change if the run starts late or is retried."""
        origin = self.origin
        return None if origin is None else to_datetime(origin.scheduled_for)

    @property
    def scheduled_day(self) -> date | None:
        """The day of `scheduled_for` in the zone of the schedule."""
        text = run_values(self.call.lease.origin)["scheduled_day"]
        return None if text is None else date.fromisoformat(text)

    @property
    def backfill(self) -> str | None:
        """The id of the backfill that started this run."""
        origin = self.origin
        return None if origin is None else origin.backfill

    @property
    def interval_start(self) -> datetime | None:
        """The instant before `scheduled_for`: this run covers what came in since then."""
        origin = self.origin
        return None if origin is None else _moment(origin.interval_start)

    @property
    def interval_end(self) -> datetime | None:
        """The exclusive end of the interval; in time order this is `scheduled_for`."""
        origin = self.origin
        return None if origin is None else _moment(origin.interval_end)

    @property
    def last_success(self) -> datetime | None:
        """When a run of this schedule last succeeded; reads the store."""
        return _moment(self._last_success().at)

    def last_result(self) -> Any:
        """The result of the last successful run; None if there was none or retention removed it."""
        text = self._last_success().result
        return None if text is None else msgspec.json.decode(text)

    def _last_success(self) -> LastSuccess:
        name = self.schedule
        return (
            LastSuccess()
            if name is None
            else desk_of(self.call).last_success(self.call.lease, name)
        )

    @property
    def labels(self) -> Labels:
        """The labels of this run; reads the store."""
        return self.label()

    def label(self, changes: Mapping[str, Any] | None = None, /, **labels: Any) -> Labels:
        """Set labels of this run, and remove those that are None; return all that it has then.

        They count at once, also if the run fails. Raises LeaseLost when another worker owns it.
        """
        return desk_of(self.call).label(self.call.lease, {**(changes or {}), **labels})

    @property
    def idempotency_key(self) -> str:
        """A key that all attempts of this run share; pass it to systems outside."""
        return idempotency_key(self.id, self.job)

    @property
    def cancelled(self) -> bool:
        """Whether this attempt was asked to stop, for any reason."""
        return self.call.stop_reason is not None

    def remaining(self) -> float | None:
        """Seconds until the attempt times out, never below 0; None without a timeout."""
        deadline_s = self.call.deadline_s
        return None if deadline_s is None else max(0.0, deadline_s - elapsed_s())

    def check(self) -> None:
        """Raise Cancelled or TimedOut if this attempt was asked to stop."""
        if self.call.stop_reason is not None:
            raise stop_exception(self.call.stop_reason)

    def commit(
        self,
        apply: Apply | None = None,
        *,
        result: Any = msgspec.UNSET,
        limit: str | float | None = None,
    ) -> Any:
        """End the run as a success, in one transaction with what `apply(tx)` does.

        Returns the result: `result` if given, else what `apply` returned. Raises LeaseLost when
        another worker owns the run or after an acknowledged cancel; nothing was changed then. What
        the handler does afterwards does not change how the run ended.
        """
        return commit(self.call, apply, result=result, limit=limit)

    async def commit_async(
        self,
        apply: Apply | None = None,
        *,
        result: Any = msgspec.UNSET,
        limit: str | float | None = None,
    ) -> Any:
        """Call commit() in a thread; a stop waits until the transaction has ended."""
        import asyncio  # noqa: PLC0415  # 42 modules that a short command can do without

        work = asyncio.create_task(
            asyncio.to_thread(self.commit, apply, result=result, limit=limit)
        )
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            await asyncio.wait({work})
            raise

    def once(self, name: str, *, in_doubt: Policy = "retry") -> Effect:
        """Return a call to the outside world that is not repeated once its result is known.

        `in_doubt` decides what happens when an earlier attempt began the effect and left no result:
        `retry` repeats it with the same idempotency key, `park` parks the run for a person, and a
        function looks it up by that key and returns its result, or None if it did not take place.
        """
        return Effect(self.call, name, in_doubt=in_doubt)

    def save_checkpoint(self, text: str) -> None:
        desk_of(self.call).save_checkpoint(self.call.lease, text)

    def load_checkpoint(self) -> str | None:
        return desk_of(self.call).load_checkpoint(self.call.lease)

    def report(self, fraction: float, note: str) -> None:
        if self._sink is not None:
            self._sink(self.id, self.fence, fraction, note)


current: ContextVar[RunContext | None] = ContextVar("rota_run", default=None)
"""The run whose body runs here; None outside a handler."""


def enter(call: Attempt, sink: ProgressSink | None) -> None:
    """Make the attempt current in this context; executors give each body a context of its own."""
    current.set(RunContext(call, sink))


def find_run() -> RunContext | None:
    """Return the run of the calling handler; None where a handler is a plain function."""
    return current.get()


def current_run() -> RunContext:
    """Return the run of the calling handler; raises RotaError outside a handler.

    A thread that a handler starts knows its run only if the handler runs it in
    `contextvars.copy_context()`, as `asyncio.to_thread` does.
    """
    run = current.get()
    if run is None:
        raise RotaError(
            "there is no current run here: current_run() works inside a handler that a worker runs"
        )
    return run


def progress(fraction: float, note: str = "") -> None:
    """Report how far the run is, from 0 to 1; people see the latest report.

    Values outside are clipped, NaN is refused. Does nothing in a handler that is called as a plain
    function.
    """
    if math.isnan(fraction):
        raise BadInput("progress is a number from 0 to 1, not NaN")
    run = current.get()
    if run is not None:
        run.report(min(1.0, max(0.0, float(fraction))), bounded(note.replace("\0", ""), MAX_NOTE))


def _moment(ms: int | None) -> datetime | None:
    return None if ms is None else to_datetime(ms)


def stop_exception(why: StopReason) -> Cancelled | TimedOut:
    """Return the exception to raise inside a handler that is asked to stop."""
    if why == "timeout":
        return TimedOut("the attempt ran longer than its timeout")
    reasons = {
        "cancel": "the run was cancelled",
        "lost": "another worker owns this run now",
        "cut_off": "the store cannot be reached, and the lease on this run ends",
        "drain": "the worker is shutting down",
    }
    return Cancelled(reasons[why])
