"""Maintenance windows that drain: no run starts in them, even if a person submitted it.

A worker loads its windows beforehand (`runtime/dispatch/claim_gate.py`), so that a claim need not
read them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import msgspec

from rota.clock import moment
from rota.engine.admission.hold import ActiveHold, Wanted
from rota.engine.failures.batch_isolation import set_aside
from rota.engine.insight.reasons import seconds
from rota.engine.jobs.definitions import current_specs
from rota.engine.values.stored_text import read
from rota.errors import BadInput
from rota.model.admission.queue import QueueLimit
from rota.model.runs.reason import Reason
from rota.model.schedules.definitions import Blackout
from rota.rules.text.duration import format_duration
from rota.store.base import Row, Tx

_blackout = msgspec.json.Decoder(Blackout)
NEAR_MS = 86_400_000
"""Windows that begin later than this are not shown yet, in milliseconds."""


class DrainingWindow(msgspec.Struct, frozen=True, kw_only=True):
    """A draining window: the period that lasts now, or else the next one."""

    name: str
    note: str = ""
    job: str | None = None
    queue: str | None = None
    begins_in_ms: int
    """Negative once it has begun."""
    ends_in_ms: int
    ends_at: int

    def holds(self, *, job: str, queue: str) -> bool:
        """Whether the window lasts now and applies to such a run."""
        is_meant = self.job in {None, job} and self.queue in {None, queue}
        return is_meant and self.begins_in_ms <= 0


def draining_windows(tx: Tx, *, namespace: str) -> tuple[DrainingWindow, ...]:
    """Return the draining windows of a namespace, by the database's clock; mostly there are none.

    They last now or are still to come.
    """
    rows = tx.all("load_blackouts", namespaces=json.dumps([namespace]))
    ahead = [_readable(row) for row in rows]
    return tuple(each for each in ahead if each is not None)


def _readable(row: Row) -> DrainingWindow | None:
    """Return the window if it drains. None as well if it cannot be read: the worker goes on."""
    what = f"maintenance window {row['name']}"
    try:
        window = read(_blackout, row["spec"], what)
        return _drain(row["name"], window, row["now"]) if window.kind == "drain" else None
    except BadInput as error:
        set_aside(what, error)
        return None


def _drain(name: str, window: Blackout, now: int) -> DrainingWindow | None:
    # Imported here: most workers never have a window, and need not load cron and zones.
    from rota.rules.schedules.windows import compile_blackout  # noqa: PLC0415

    span = compile_blackout(window).span_from(now)
    if span is None:
        return None
    begins_at, ends_at = span
    return DrainingWindow(
        name=name,
        note=window.note,
        job=window.job,
        queue=window.queue,
        begins_in_ms=begins_at - now,
        ends_in_ms=ends_at - now,
        ends_at=ends_at,
    )


def narrow_to_open(tx: Tx, claim_request: Wanted) -> None:
    """Leave out of the claim the jobs and queues that a window keeps from starting now."""
    del tx
    for job, queue in claim_request.shut:
        claim_request.leave_out(job, queue)


class ClosedNow(ActiveHold):
    """The windows of a namespace that last now."""

    def __init__(self, windows: Sequence[DrainingWindow]) -> None:
        self._windows = windows

    def reasons(self, *, job: str, queue: str) -> list[Reason]:
        return [_reason(each) for each in self._windows if each.holds(job=job, queue=queue)]

    def is_of_job(self, *, job: str, queue: str) -> bool:
        return any(each.job == job and each.holds(job=job, queue=queue) for each in self._windows)


def closed_now(tx: Tx, namespace: str) -> ClosedNow | None:
    lasting = [each for each in draining_windows(tx, namespace=namespace) if each.begins_in_ms <= 0]
    return ClosedNow(lasting) if lasting else None


def _reason(drain: DrainingWindow) -> Reason:
    of = f" of job {drain.job}" if drain.job else ""
    where = f" in queue {drain.queue}" if drain.queue else ""
    note = f": {drain.note}" if drain.note else ""
    says = (
        f"maintenance window {drain.name} lets no new run{of}{where} start for another "
        f"{seconds(drain.ends_in_ms)}{note}"
    )
    return Reason(kind="window", says=says, until=moment(drain.ends_at))


def window_limits(tx: Tx, queue: str, namespace: str) -> Iterator[QueueLimit]:
    """Yield the windows of a queue; a job's window without a queue is shown at the job's queue."""
    near = [
        each for each in draining_windows(tx, namespace=namespace) if each.begins_in_ms < NEAR_MS
    ]
    specs = current_specs(tx, {each.job for each in near if each.job}, namespace=namespace)
    for each in near:
        spec = specs[each.job][1] if each.job in specs else None
        of_job = queue if each.job is None else spec and spec.queue
        if (each.queue or of_job) == queue:
            yield _limit(each)


def _limit(drain: DrainingWindow) -> QueueLimit:
    whom = f" for job {drain.job}" if drain.job else ""
    note = f": {drain.note}" if drain.note else ""
    is_now = drain.begins_in_ms <= 0
    when = "lasts" if is_now else f"begins in {format_duration(drain.begins_in_ms)} and lasts"
    lasts_ms = drain.ends_in_ms - max(0, drain.begins_in_ms)
    says = f"maintenance window {drain.name}{whom} {when} {format_duration(lasts_ms)}{note}"
    return QueueLimit(kind="window", says=says, stops=is_now)
