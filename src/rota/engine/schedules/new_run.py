"""The run of a start: pinned to the newest version of its job, with its origin."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from rota.engine.schedules.compiled import CompiledSchedule
from rota.engine.values.stored_text import read
from rota.model.jobs.spec import JobSpec
from rota.model.runs.run import NewRun, Origin, StartKind
from rota.model.schedules.definitions import Schedule
from rota.rules.runs.deadlines import deadline_at
from rota.rules.runs.labels import merged
from rota.rules.schedules.arguments import has_references, resolve_args
from rota.store.base import Row

_spec = msgspec.json.Decoder(JobSpec)


class ScheduledStart(msgspec.Struct, frozen=True, kw_only=True):
    """A requested run for an instant."""

    instant: int
    kind: StartKind = "time"
    request: str = ""
    """The id of the request, event or backfill; empty for a start by time."""
    args: str | None = None
    """Arguments to use instead of the schedule's, as JSON text."""
    interval_start: int | None = None
    interval_end: int | None = None
    due_at: int | None = None
    """When the run is due, if not at its instant, as after a maintenance window."""


def new_run(
    row: Row, plan: CompiledSchedule, start: ScheduledStart, *, run_id: str, waits: bool = False
) -> NewRun:
    """The run of a start, pinned to the newest version of its job."""
    spec = spec_of(row["job_spec"])
    return NewRun(
        id=run_id,
        job=row["job"],
        version=row["version"],
        queue=spec.queue,
        priority=spec.priority,
        args=args_of(plan) if start.args is None else start.args,
        due_at=start.due_at,
        expires_ms=_expires_ms(spec, plan, start, row["now"]),
        at_most_once=spec.delivery == "at_most_once",
        labels=merged(spec.run_labels, plan.schedule.labels),
        schedule_id=str(row["id"]),
        origin=origin_of(row, plan, start),
        waits=waits,
    )


def origin_of(row: Row, plan: CompiledSchedule, start: ScheduledStart) -> str:
    """The schedule and instant that the run of a start is for, as JSON text."""
    origin = Origin(
        schedule=row["name"],
        kind=start.kind,
        scheduled_for=start.instant,
        interval_start=start.interval_start,
        interval_end=start.interval_end,
        zone=plan.schedule.zone,
        backfill=start.request if start.kind == "backfill" else None,
        deadline=_deadline_at(plan.schedule, start.instant),
    )
    return msgspec.json.encode(origin).decode()


def _deadline_at(schedule: Schedule, instant: int) -> int | None:
    """Return when the run of an instant has to have ended, if its schedule has a deadline."""
    if schedule.deadline is None:
        return None
    return deadline_at(schedule.deadline, instant, zone=schedule.zone)


def with_times(row: Row, plan: CompiledSchedule, start: ScheduledStart) -> ScheduledStart:
    """The start with the times of its run in its arguments; BadInput if one has no value."""
    args = plan.schedule.args if start.args is None else msgspec.json.decode(start.args)
    if not has_references(args):
        return start
    resolved = resolve_args(args, origin_of(row, plan, start))
    return msgspec.structs.replace(start, args=msgspec.json.encode(resolved).decode())


@lru_cache(maxsize=1_000)
def spec_of(text: str) -> JobSpec:
    """The definition of a job, cached because each of its schedules brings the same text."""
    return read(_spec, text, "the definition of its job")


def args_of(plan: CompiledSchedule) -> str:
    return msgspec.json.encode(plan.schedule.args).decode() if plan.schedule.args else "{}"


def _expires_ms(
    spec: JobSpec, plan: CompiledSchedule, start: ScheduledStart, now: int
) -> int | None:
    within = plan.lateness.start_within_ms
    if within is None or start.due_at is not None:
        return spec.expires_ms
    left_ms = max(1, start.instant + within - now)
    return left_ms if spec.expires_ms is None else min(left_ms, spec.expires_ms)
