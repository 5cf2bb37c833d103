"""Operations on firings: the next ones, the past ones, and one by hand."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec

from rota.engine.runs.find import now_ms
from rota.engine.schedules.compiled import seed_of
from rota.engine.schedules.firings import FiringCursor, firing_page
from rota.engine.schedules.next_firings import next_firing
from rota.engine.schedules.trigger import TriggerOutcome, trigger
from rota.engine.schedules.upcoming import upcoming
from rota.errors import BadOption
from rota.ids import new_id
from rota.model.schedules.firing import (
    FiringView,
    SchedulePreview,
    ScheduleTriggered,
    UpcomingFirings,
)
from rota.model.view import Page
from rota.operations.caller import Caller
from rota.operations.instants import instant_ms, instant_ms_or_none
from rota.operations.operation import changes, reads
from rota.operations.paging import PAGE, Limit, not_a_cursor
from rota.operations.schedules.bodies import PreviewBody
from rota.operations.schedules.compiled import compiled_schedules
from rota.operations.schedules.schedules import stored_calendars
from rota.operations.schedules.visible import (
    start_args,
    startable_schedule,
    visible_schedule,
)
from rota.operations.wire import QueryName
from rota.rules.schedules.preview import preview
from rota.rules.schedules.sentence import describe
from rota.rules.schedules.triggers import compile_schedule
from rota.rules.schedules.zones import zone
from rota.rules.text.moments import read_bound
from rota.store.base import Tx
from rota.url_text import from_url_text, to_url_text

MOST = 1_000
"""The most firings in a preview."""
DAY_MS = 86_400_000
LONGEST_MS = 400 * DAY_MS
COMING, MOST_COMING = 500, 5_000
Coming = Annotated[int, msgspec.Meta(ge=1, le=MOST_COMING)]


@reads("/schedules/preview", method="POST")
def preview_schedule(tx: Tx, caller: Caller, body: PreviewBody) -> SchedulePreview:
    """When a rule would fire, before there is a schedule; nothing is written."""
    if not 1 <= body.most <= MOST:
        raise BadOption(f"count={body.most} is not a number from 1 to {MOST:,}")
    stored = stored_calendars(tx, caller)
    schedule = body.schedule(stored)
    where = zone(schedule.zone)
    seed = seed_of(caller.namespace, body.name) if body.name else ""
    begin = now_ms(tx) if body.begin is None else read_bound("from", body.begin, where)
    found = preview(
        schedule,
        compile_schedule(schedule, seed=seed, calendars=stored),
        after=begin - 1,
        count=body.most,
        until=None if body.until is None else read_bound("until", body.until, where),
    )
    return SchedulePreview(
        description=describe(schedule, seed=seed),
        zone=schedule.zone,
        firings=[next_firing(each) for each in found],
    )


@reads("/schedules/upcoming")
def list_upcoming(  # when and how many, all named
    tx: Tx,
    caller: Caller,
    *,
    begin: Annotated[datetime | None, QueryName("from")] = None,
    until: datetime | None = None,
    limit: Coming = COMING,
    each: Annotated[int | None, msgspec.Meta(ge=1, le=MOST_COMING)] = None,
) -> UpcomingFirings:
    """From now, or `from`, to `until`, a day later if not said; of all schedules in order.

    With `each` schedules that fire more often than that are only named.
    """
    start = now_ms(tx) if begin is None else instant_ms("from", begin)
    end = start + DAY_MS if until is None else instant_ms("until", until)
    if not 0 <= end - start <= LONGEST_MS:
        raise BadOption(f"until: it must be 0 to {LONGEST_MS // DAY_MS} days after from")

    def is_wanted(job: str) -> bool:
        return caller.sees_all_queues or job in caller.visible_jobs(tx, {job})

    return upcoming(
        tx,
        namespace=caller.namespace,
        start=start,
        end=end,
        limit=limit,
        most_each=each,
        compiled=compiled_schedules(),
        is_wanted=is_wanted,
    )


@reads("/schedules/{name}/firings")
def list_firings(
    tx: Tx,
    caller: Caller,
    name: str,
    *,
    before: datetime | None = None,
    cursor: str | None = None,
    limit: Limit = PAGE,
) -> Page[FiringView]:
    """List the instants of a schedule and their outcomes, the newest first.

    `before` begins at an instant; `cursor` continues after the page whose `next` it is.
    """
    start = _start(before, cursor)
    view = visible_schedule(tx, caller, name)
    found = firing_page(tx, view.name, namespace=caller.namespace, start=start, limit=limit)
    next_one = None if found.next is None else to_url_text(msgspec.json.encode(found.next))
    return Page(items=found.firings, next=next_one)


@changes("POST", "/schedules/{name}/trigger", verb="trigger schedule", status=201)
def trigger_schedule(
    tx: Tx,
    caller: Caller,
    name: str,
    *,
    args: dict[str, Any] | None = None,
    scheduled_for: datetime | None = None,
) -> ScheduleTriggered:
    """Start it once now, under its overlap policy; `args` replace some of its own.

    With `scheduledFor` the run is for that time, as if it had been started then.
    """
    instant = instant_ms_or_none("scheduledFor", scheduled_for)
    text = start_args(tx, caller, name, args or {})
    startable_schedule(tx, caller, name)
    done = trigger(
        tx,
        name,
        namespace=caller.namespace,
        request_id=caller.actor.act_id,
        compiled=compiled_schedules(),
        new_id=new_id,
        args=text,
        instant=instant,
    )
    return ScheduleTriggered(run_id=done.run_id, status=_status(done), decision=done.decision)


def _start(before: datetime | None, cursor: str | None) -> FiringCursor | None:
    if cursor is None:
        return None if before is None else FiringCursor(instant_ms("before", before))
    try:
        return msgspec.json.decode(from_url_text(cursor), type=FiringCursor)
    except (ValueError, msgspec.MsgspecError):
        raise not_a_cursor(cursor) from None


def _status(done: TriggerOutcome) -> Literal["queued", "pending", "skipped"]:
    if done.run_id is None:
        return "skipped"
    return "pending" if done.decision == "waits" else "queued"
