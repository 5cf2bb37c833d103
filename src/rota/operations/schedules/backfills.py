"""Operations on backfills: run a schedule for past instants, show the progress, stop."""

from __future__ import annotations

from typing import Any

import msgspec

from rota.engine.schedules.backfills import fill, views
from rota.engine.schedules.backfills.span import MOST, BackfillRange
from rota.errors import UnknownBackfill, UnknownSchedule
from rota.model.schedules.backfill import (
    BackfillStart,
    BackfillStopped,
    BackfillView,
    Order,
    Reprocess,
)
from rota.model.view import Body, Page
from rota.operations.caller import Caller
from rota.operations.operation import changes, nothing_changed, reads, tell
from rota.operations.paging import PAGE, Limit, page_start
from rota.operations.schedules.compiled import compiled_schedules
from rota.operations.schedules.visible import (
    merged_args,
    readable,
    startable_schedule,
    visible_schedule,
)
from rota.rules.schedules.zones import zone
from rota.rules.text.moments import read_bound
from rota.store.base import Tx

PLANNED = 100
"""The most instants that a dry run lists."""


class BackfillBody(Body):
    """The instants to run again, and how."""

    begin: str = msgspec.field(name="from")
    """The first instant; without an offset a wall time of the schedule's zone."""
    until: str
    """Up to this one, not included."""
    order: Order = "oldest"
    """The instants that come first."""
    reprocess: Reprocess = "missing"
    """The instants that get a run: those without one, also those that failed, or all."""
    concurrency: int | None = None
    """The number of runs at once, whatever else runs; left out, they keep to the overlap policy."""
    args: dict[str, Any] | None = None
    """Arguments in place of the schedule's."""
    most: int = MOST
    """A backfill of more firings is refused."""
    dry_run: bool = False
    """List the runs that it would make, and make none."""


@changes("POST", "/schedules/{name}/backfill", verb="backfill schedule", status=201)
def backfill_schedule(tx: Tx, caller: Caller, name: str, body: BackfillBody) -> BackfillStart:
    """Run a schedule for past instants, each once, a few at a time; with `dryRun` only say so."""
    wanted = _range(tx, caller, name, body)
    if body.dry_run:
        plan = _plan(tx, caller, name, body, wanted)
        nothing_changed(tx, caller)
        return plan
    view = fill.start_backfill(
        tx,
        name,
        wanted,
        namespace=caller.namespace,
        backfill_id=caller.actor.act_id,
        compiled=compiled_schedules(),
        most=body.most,
    )
    tell(tx, caller, **{"from": body.begin, "to": body.until, "id": view.id})
    return BackfillStart(dry_run=False, backfill=_offered(view, caller))


@reads("/backfills")
def list_backfills(
    tx: Tx,
    caller: Caller,
    *,
    schedule: str | None = None,
    cursor: str | None = None,
    limit: Limit = PAGE,
) -> Page[BackfillView]:
    """The newest first."""
    start = page_start(cursor)
    at = {"namespace": caller.namespace, "schedule": schedule}
    found = views.backfills(tx, before=start, limit=limit + 1, **at)  # type: ignore[arg-type]
    return Page(
        items=[_offered(each, caller) for each in found[:limit] if _is_visible(tx, caller, each)],
        next=found[limit - 1].id if len(found) > limit else None,
    )


@reads("/backfills/{backfill_id}")
def find_backfill(tx: Tx, caller: Caller, backfill_id: str) -> BackfillView:
    """How far it is."""
    return _offered(_find(tx, caller, backfill_id), caller)


@changes("POST", "/backfills/{backfill_id}/cancel", verb="cancel backfill", subject="backfill_id")
def stop_backfill(
    tx: Tx, caller: Caller, backfill_id: str, *, note: str | None = None
) -> BackfillStopped:
    """Make no more runs for it; those that are there go on."""
    view = _find(tx, caller, backfill_id)
    fill.cancel_backfill(tx, backfill_id, namespace=caller.namespace, note=note)
    tell(tx, caller, subject=view.schedule, id=backfill_id, note=note)
    return BackfillStopped(id=backfill_id)


def _plan(
    tx: Tx, caller: Caller, name: str, body: BackfillBody, wanted: BackfillRange
) -> BackfillStart:
    at = {"namespace": caller.namespace, "compiled": compiled_schedules(), "most": body.most}
    planned = fill.preview_backfill(tx, name, wanted, limit=PLANNED, **at)  # type: ignore[arg-type]
    total = fill.count_backfill(tx, name, wanted, **at)  # type: ignore[arg-type]
    return BackfillStart(dry_run=True, planned=tuple(planned), instants=total)


def _range(tx: Tx, caller: Caller, name: str, body: BackfillBody) -> BackfillRange:
    schedule = readable(startable_schedule(tx, caller, name))
    where = zone(schedule.zone)
    return BackfillRange(
        from_at=read_bound("from", body.begin, where),
        to_at=read_bound("until", body.until, where),
        reprocess=body.reprocess,
        newest_first=body.order == "newest",
        parallel=body.concurrency,
        args=None if body.args is None else merged_args(tx, caller, name, body.args),
    )


def _find(tx: Tx, caller: Caller, backfill_id: str) -> BackfillView:
    view = views.show_backfill(tx, backfill_id, namespace=caller.namespace)
    if not _is_visible(tx, caller, view):
        raise UnknownBackfill(backfill_id)
    return view


def _is_visible(tx: Tx, caller: Caller, view: BackfillView) -> bool:
    if caller.sees_all_queues:
        return True
    try:
        visible_schedule(tx, caller, view.schedule or "")
    except UnknownSchedule:
        return False
    return True


def _offered(view: BackfillView, caller: Caller) -> BackfillView:
    verbs = caller.may("cancel") if view.state == "active" else ()
    return msgspec.structs.replace(view, verbs=verbs)
