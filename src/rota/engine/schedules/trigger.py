"""Trigger: start a schedule by hand, now, under the same overlap policy as a start by time."""

from __future__ import annotations

from typing import Literal

import msgspec

from rota.engine.schedules.compiled import CompiledSchedule, CompiledSchedules
from rota.engine.schedules.fire import load_calendars, plan_of
from rota.engine.schedules.new_run import ScheduledStart, with_times
from rota.engine.schedules.starts import NewId, StartedRun, StartRequest, begin, stop_old
from rota.errors import UnknownSchedule
from rota.rules.schedules.misfire import before
from rota.rules.schedules.overlap import Decision
from rota.store.base import Row, Tx


class TriggerOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a start by hand; no run when the overlap policy gave it up."""

    run_id: str | None
    decision: Decision | Literal["blackout"]
    is_new: bool = True


def trigger(  # noqa: PLR0913  # what to start, and whose request it is
    tx: Tx,
    name: str,
    *,
    namespace: str,
    request_id: str,
    compiled: CompiledSchedules,
    new_id: NewId,
    args: str | None = None,
    instant: int | None = None,
) -> TriggerOutcome:
    """Start a schedule once now, with other arguments if given, even while it is paused.

    With `instant` the run is for that time, as if it had been started then.

    A request that is sent twice with the same id starts it once.
    """
    row = tx.one("take_schedule", namespace=namespace, name=name)
    if row is None:
        raise UnknownSchedule(name)
    earlier = tx.one("find_request", schedule_id=row["id"], kind="manual", request=request_id)
    if earlier is not None:
        run_id = str(earlier["run_id"]) if earlier["run_id"] else None
        return TriggerOutcome(run_id=run_id, decision=earlier["decision"], is_new=False)
    plan = plan_of(row, compiled, load_calendars(tx, [row]))
    start = with_times(row, plan, _start(row, plan, request_id, args, instant))
    ask = StartRequest(row=row, plan=plan, starts=[start], waits=True)
    begun = begin(tx, [ask], new_id=new_id)[str(row["id"])]
    started: StartedRun = begun.made[0]
    tx.execute("count_starts", id=row["id"], fired=begun.fired, skipped=begun.skipped)
    stop_old(tx, [begun])
    return TriggerOutcome(run_id=started.run_id, decision=started.decision)


def _start(
    row: Row, plan: CompiledSchedule, request_id: str, args: str | None, instant: int | None
) -> ScheduledStart:
    """The start for the latest complete interval, the same as for a start by time."""
    at = row["now"] if instant is None else instant
    end = None if plan.follows_end else before(plan.table, at + 1)
    return ScheduledStart(
        instant=at,
        # The time is in the past on purpose: the run must not count as late for it.
        due_at=None if instant is None else row["now"],
        kind="manual",
        request=request_id,
        args=args,
        interval_start=None if end is None else before(plan.table, end),
        interval_end=end,
    )
