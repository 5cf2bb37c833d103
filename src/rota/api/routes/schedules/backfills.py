"""Backfills: the past instants of a schedule as runs; begin, look, stop."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from litestar import get, post
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from rota.api.identity.authorization import needs
from rota.api.routes.schedules.access import merged_args, reached_schedule, startable_schedule
from rota.api.server.documents import Document, Moment, NoteBody, then, when
from rota.api.server.edge import named
from rota.api.server.request import ApiRequest
from rota.engine.identity.audit_log import Actor
from rota.engine.schedules.backfills.fill import (
    cancel_backfill,
    count_backfill,
    preview_backfill,
    start_backfill,
)
from rota.engine.schedules.backfills.span import MOST as FIRINGS
from rota.engine.schedules.backfills.span import BackfillRange
from rota.engine.schedules.backfills.views import BackfillView, Reprocess, backfills, show_backfill
from rota.errors import BadOption, UnknownBackfill, UnknownSchedule
from rota.ids import new_id
from rota.model.identity import Credential
from rota.model.view import Body, Page
from rota.operations.paging import MOST, PAGE, page_start
from rota.rules.schedules.zones import zone
from rota.rules.text.moments import read_bound
from rota.store.base import Tx

PLANNED = 100
"""Instants that a dry run tells of."""
Limit = Annotated[int, QueryParameter(ge=1, le=MOST)]
Order = Literal["oldest", "newest"]


class BackfillBody(Body):
    """Which instants, and how."""

    begin: str = msgspec.field(name="from")
    """The first instant; without an offset a wall time of the schedule's zone."""
    until: str
    """Up to this one, not included."""
    order: Order = "oldest"
    """Which come first."""
    reprocess: Reprocess = "missing"
    """Which get a run: those without one, also those that failed, or all."""
    concurrency: int | None = None
    """So many at once, whatever else runs; else they keep to the overlap policy."""
    args: dict[str, Any] | None = None
    """Replace some of the schedule's."""
    most: int = FIRINGS
    """More firings than this are refused."""
    dry_run: bool = False
    """Only tell what it would do."""


class PlannedDocument(Document):
    """What a backfill would do with one instant."""

    at: Moment
    starts: bool
    state: str | None
    """Of the run that the instant has already."""


class BackfillDocument(Document):
    """A backfill, and how far it is."""

    id: str
    schedule: str | None
    begin: Moment = msgspec.field(name="from")
    until: Moment
    order: Order
    reprocess: Reprocess
    concurrency: int | None
    state: Literal["active", "done", "cancelled", "error"]
    note: str | None
    total: int
    seen: int
    started: int
    succeeded: int
    failed: int
    live: int
    created_at: Moment
    ended_at: Moment | None
    verbs: list[str]


class BackfillAnswer(Document):
    """The backfill that was begun; of a dry run, what one would do."""

    dry_run: bool
    backfill: BackfillDocument | None
    planned: list[PlannedDocument]
    """Of a dry run: the first hundred instants."""
    instants: int
    """Of a dry run: all instants of the range."""


class BackfillStopped(Document):
    """A backfill that makes no more runs."""

    id: str
    state: Literal["cancelled"]


@post("/schedules/{name:str}/backfill", **needs("operator", changes=True))
async def backfill_schedule(
    request: ApiRequest, name: FromPath[str], data: JSONBody[BackfillBody]
) -> BackfillAnswer:
    """Run a schedule for past instants, each once, a few at a time; with `dryRun` only say so."""
    called, fresh = named(name), new_id()
    tables = request.server_state.app.schedules.compiled
    how: dict[str, Any] = {"namespace": request.namespace, "compiled": tables, "most": data.most}

    def plan(tx: Tx) -> BackfillAnswer:
        wanted = _range(tx, request, called, data)
        found = preview_backfill(tx, called, wanted, limit=PLANNED, **how)
        planned = [
            PlannedDocument(at=then(each.instant), starts=each.starts, state=each.state)
            for each in found
        ]
        total = count_backfill(tx, called, wanted, **how)
        return BackfillAnswer(dry_run=True, backfill=None, planned=planned, instants=total)

    def begin(tx: Tx, _: Actor) -> BackfillAnswer:
        wanted = _range(tx, request, called, data)
        view = start_backfill(tx, called, wanted, backfill_id=fresh, **how)
        made = _document(view, request.credential)
        return BackfillAnswer(dry_run=False, backfill=made, planned=[], instants=0)

    if data.dry_run:
        return await request.read(plan)
    return await request.change(
        "backfill schedule",
        called,
        begin,
        answers=BackfillAnswer,
        detail={"from": data.begin, "to": data.until, "id": fresh},
    )


@get("/backfills", **needs("viewer"))
async def list_backfills(
    request: ApiRequest,
    schedule: FromQuery[str | None] = None,
    cursor: FromQuery[str | None] = None,
    limit: Limit = PAGE,
) -> Page[BackfillDocument]:
    """The newest first."""
    start = page_start(cursor)

    def look(tx: Tx) -> Page[BackfillDocument]:
        found = backfills(
            tx,
            namespace=request.namespace,
            schedule=schedule,
            before=start,
            limit=limit + 1,
        )
        items = [
            _document(each, request.credential)
            for each in found[:limit]
            if _is_reached(tx, request, each)
        ]
        return Page(items=items, next=found[limit - 1].id if len(found) > limit else None)

    return await request.read(look)


@get("/backfills/{backfill_id:str}", **needs("viewer"))
async def find_backfill(request: ApiRequest, backfill_id: FromPath[str]) -> BackfillDocument:
    """How far it is."""

    def look(tx: Tx) -> BackfillDocument:
        return _document(_reached(tx, request, backfill_id), request.credential)

    return await request.read(look)


@post("/backfills/{backfill_id:str}/cancel", **needs("operator", changes=True), status_code=200)
async def stop_backfill(
    request: ApiRequest, backfill_id: FromPath[str], data: JSONBody[NoteBody | None] = None
) -> BackfillStopped:
    """Make no more runs for it; those that are there go on."""
    note = data.note if data else None

    def stop(tx: Tx, _: Actor) -> BackfillStopped:
        _reached(tx, request, backfill_id)
        cancel_backfill(tx, backfill_id, namespace=request.namespace, note=note)
        return BackfillStopped(id=backfill_id, state="cancelled")

    return await request.change(
        "cancel backfill", backfill_id, stop, answers=BackfillStopped, why=note or ""
    )


def _range(tx: Tx, request: ApiRequest, name: str, data: BackfillBody) -> BackfillRange:
    view = startable_schedule(tx, request, name)
    if view.schedule is None:
        raise BadOption(f"schedule {name!r:.140} cannot be read: {view.note}")
    where = zone(view.schedule.zone)
    return BackfillRange(
        from_at=read_bound("from", data.begin, where),
        to_at=read_bound("until", data.until, where),
        reprocess=data.reprocess,
        newest_first=data.order == "newest",
        parallel=data.concurrency,
        args=None if data.args is None else merged_args(tx, request, name, data.args),
    )


def _reached(tx: Tx, request: ApiRequest, backfill_id: str) -> BackfillView:
    view = show_backfill(tx, backfill_id, namespace=request.namespace)
    if not _is_reached(tx, request, view):
        raise UnknownBackfill(backfill_id)
    return view


def _is_reached(tx: Tx, request: ApiRequest, view: BackfillView) -> bool:
    if request.credential.queues is None:
        return True
    try:
        reached_schedule(tx, request, view.schedule or "")
    except UnknownSchedule:
        return False
    return True


def _document(view: BackfillView, credential: Credential) -> BackfillDocument:
    may_stop = view.state == "active" and credential.has("operator")
    return BackfillDocument(
        id=view.id,
        schedule=view.schedule,
        begin=then(view.from_at),
        until=then(view.to_at),
        order="newest" if view.newest_first else "oldest",
        reprocess=view.reprocess,
        concurrency=view.parallel,
        state=view.state,
        note=view.note,
        total=view.total,
        seen=view.seen,
        started=view.started,
        succeeded=view.succeeded,
        failed=view.failed,
        live=view.live,
        created_at=then(view.created_at),
        ended_at=when(view.ended_at),
        verbs=["cancel"] if may_stop else [],
    )


ROUTES = (backfill_schedule, list_backfills, find_backfill, stop_backfill)
