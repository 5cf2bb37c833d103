"""Which schedules a request reaches, and whether arguments fit their jobs."""

from __future__ import annotations

from typing import Any

import msgspec

from rota.api.runs.payload_limits import checked_args
from rota.api.server.request import ApiRequest
from rota.engine.jobs.definitions import current_specs
from rota.engine.schedules.views import ScheduleView, show
from rota.errors import BadOption, UnknownJob, UnknownSchedule
from rota.model.schedule import OnEvent
from rota.operations.permissions import check_job
from rota.rules.jobs.stored_signature import check_schedule
from rota.store.base import Tx


def reached_schedule(tx: Tx, request: ApiRequest, name: str) -> ScheduleView:
    """The schedule, if the credential reaches the queue of its job."""
    view = show(tx, name, namespace=request.namespace)
    if not reached_ones(tx, request, [view]):
        raise UnknownSchedule(name)
    return view


def startable_schedule(tx: Tx, request: ApiRequest, name: str) -> ScheduleView:
    """The same, if the credential may have it start its job, which may have been removed."""
    view = reached_schedule(tx, request, name)
    check_job(tx, request.credential, view.job)
    return view


def reached_ones(tx: Tx, request: ApiRequest, found: list[ScheduleView]) -> list[ScheduleView]:
    """Those of them that the credential reaches; one without a job only if it reaches all."""
    if request.credential.queues is None:
        return found
    reached = reached_jobs(tx, request, {each.job for each in found})
    return [each for each in found if each.job in reached]


def reached_jobs(tx: Tx, request: ApiRequest, jobs: set[str]) -> set[str]:
    """Those of them that are on record, in queues that the credential reaches."""
    return request.caller.visible_jobs(tx, jobs)


def start_args(tx: Tx, request: ApiRequest, name: str, args: dict[str, Any]) -> str | None:
    """Those of a start by hand; None if the schedule's own will do, which were checked before.

    One that waits for an event is started without it, and needs all that its job needs.
    """
    schedule = reached_schedule(tx, request, name).schedule
    is_event = schedule is not None and isinstance(schedule.trigger, OnEvent)
    return merged_args(tx, request, name, args) if args or is_event else None


def merged_args(tx: Tx, request: ApiRequest, name: str, args: dict[str, Any]) -> str:
    """The schedule's arguments with some replaced, checked, as JSON text."""
    view = reached_schedule(tx, request, name)
    if view.schedule is None:
        raise BadOption(f"schedule {name!r:.140} cannot be read: {view.note}")
    merged = msgspec.structs.replace(view.schedule, args={**view.schedule.args, **args})
    found = current_specs(tx, [view.job], namespace=request.namespace).get(view.job)
    if found is None:
        raise UnknownJob(view.job)
    check_schedule(merged, found[1], by_hand=True)
    return checked_args(tx, request, msgspec.json.encode(merged.args).decode())
