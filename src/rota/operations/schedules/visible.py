"""The schedules that exist for a caller, and whether arguments fit their jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from rota.engine.jobs.definitions import current_specs
from rota.engine.schedules.views import show
from rota.errors import BadOption, UnknownJob, UnknownSchedule
from rota.model.schedules.definitions import OnEvent, Schedule
from rota.model.schedules.schedule import ScheduleView
from rota.operations.caller import Caller
from rota.operations.payloads import check_payload
from rota.operations.permissions import check_job
from rota.rules.jobs.stored_signature import check_schedule
from rota.store.base import Tx


def visible_schedule(tx: Tx, caller: Caller, name: str) -> ScheduleView:
    """The schedule, if the caller sees the queue of its job."""
    view = show(tx, name, namespace=caller.namespace)
    if not visible_ones(tx, caller, [view]):
        raise UnknownSchedule(name)
    return view


def startable_schedule(tx: Tx, caller: Caller, name: str) -> ScheduleView:
    """The schedule, if the caller may have it start its job, which may have been removed."""
    view = visible_schedule(tx, caller, name)
    check_job(tx, caller.credential, view.job)
    return view


def visible_ones(tx: Tx, caller: Caller, found: list[ScheduleView]) -> list[ScheduleView]:
    """Those of them that the caller sees; one without a job only if it sees all queues."""
    if caller.sees_all_queues:
        return found
    visible = caller.visible_jobs(tx, {each.job for each in found})
    return [each for each in found if each.job in visible]


def readable(view: ScheduleView) -> Schedule:
    """Return the schedule's definition; BadOption when its text cannot be read any more."""
    if view.schedule is None:
        raise BadOption(f"schedule {view.name!r:.140} cannot be read: {view.note}")
    return view.schedule


def start_args(tx: Tx, caller: Caller, name: str, args: Mapping[str, Any]) -> str | None:
    """Arguments of a start by hand; None if the schedule's own will do, which were checked before.

    One that waits for an event is started without it, and needs all that its job needs.
    """
    schedule = visible_schedule(tx, caller, name).schedule
    is_event = schedule is not None and isinstance(schedule.trigger, OnEvent)
    return merged_args(tx, caller, name, args) if args or is_event else None


def merged_args(tx: Tx, caller: Caller, name: str, args: Mapping[str, Any]) -> str:
    """The schedule's arguments with some replaced, checked, as JSON text."""
    view = visible_schedule(tx, caller, name)
    schedule = readable(view)
    merged = msgspec.structs.replace(schedule, args={**schedule.args, **args})
    found = current_specs(tx, [view.job], namespace=caller.namespace).get(view.job)
    if found is None:
        raise UnknownJob(view.job)
    check_schedule(merged, found[1], by_hand=True)
    return check_payload(
        tx, caller, "the arguments take", msgspec.json.encode(merged.args).decode()
    )
