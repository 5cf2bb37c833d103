"""Schedules: look, make, change, hold, start by hand."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from litestar import delete, get, post, put
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from rota.api.identity.authorization import needs
from rota.api.routes.schedules.access import (
    reached_ones,
    reached_schedule,
    start_args,
    startable_schedule,
)
from rota.api.routes.schedules.documents import (
    API,
    ScheduleBody,
    ScheduleDocument,
    ScheduleItem,
    schedule_document,
    schedule_item,
)
from rota.api.runs.payload_limits import checked_args
from rota.api.server.documents import Document, NoteBody
from rota.api.server.edge import named
from rota.api.server.etags import IfMatch, IfNoneMatch, show_etag
from rota.api.server.request import ApiRequest
from rota.engine.identity.audit_log import Actor
from rota.engine.schedules import definitions as engine
from rota.engine.schedules.calendars import calendars
from rota.engine.schedules.firings import firings_of
from rota.engine.schedules.next_firings import coming
from rota.engine.schedules.trigger import Triggered, trigger
from rota.engine.schedules.views import ScheduleState, ScheduleView, present, schedules
from rota.errors import NotAllowed
from rota.ids import new_id
from rota.model.view import Page
from rota.operations.etags import check_match, etag_of
from rota.operations.instants import instant_ms_or_none
from rota.operations.jobs.bodies import TriggerBody
from rota.operations.jobs.visible import visible_job
from rota.operations.paging import MOST, PAGE
from rota.operations.permissions import check_job
from rota.rules.jobs.stored_signature import check_schedule
from rota.rules.text.names import check_name
from rota.store.base import Tx

SHOWN = 10
"""Firings to come, and past ones, on the page of a schedule."""
Limit = Annotated[int, QueryParameter(ge=1, le=MOST)]
Count = Annotated[int, QueryParameter(ge=1, le=1000)]
Held = Literal["paused", "active", "unblocked"]


class ScheduleHeld(Document):
    """What a schedule is now."""

    name: str
    state: Held


class ScheduleGone(Document):
    """A schedule that is off the record."""

    name: str
    removed: bool


class ScheduleTriggered(Document):
    """What became of a start by hand."""

    run_id: str | None = msgspec.field(name="executionId")
    """None when the overlap policy gave the start up."""
    status: Literal["queued", "pending", "skipped"]
    decision: str


@get("/schedules", **needs("viewer"))
async def list_schedules(  # one filter each, all named
    request: ApiRequest,
    *,
    job: Annotated[str | None, QueryParameter(name="jobId")] = None,
    only: Annotated[ScheduleState | None, QueryParameter(name="state")] = None,
    cursor: FromQuery[str | None] = None,
    limit: Limit = PAGE,
    spec: FromQuery[bool] = False,
) -> Page[ScheduleItem]:
    """By name; `cursor` is the `next` of the page before. `spec=true` tells all of each."""

    def look(tx: Tx) -> Page[ScheduleItem]:
        page: list[ScheduleView] = []
        after = cursor or ""
        at = {"namespace": request.namespace, "job": job}
        while True:
            found = schedules(tx, state=only, after=after, limit=limit + 1, **at)  # type: ignore[arg-type]
            page += reached_ones(tx, request, found)
            if len(page) > limit or len(found) <= limit:
                break
            after = found[-1].name
        items = [schedule_item(each, request.credential, with_spec=spec) for each in page[:limit]]
        return Page(items=items, next=items[-1].name if len(page) > limit else None)

    return await request.read(look)


@get("/schedules/{name:str}", **needs("viewer"))
async def show_schedule(
    request: ApiRequest, name: FromPath[str], count: Count = SHOWN
) -> ScheduleDocument:
    """A schedule with its next firings, and what became of the last ones."""

    def look(tx: Tx) -> tuple[ScheduleView, ScheduleDocument]:
        view = reached_schedule(tx, request, named(name))
        tables = request.server_state.app.schedules.compiled
        next_ones = coming(tx, view, namespace=request.namespace, compiled=tables, count=count)
        past = firings_of(tx, view.name, namespace=request.namespace, limit=count)
        return view, schedule_document(view, request.credential, coming=next_ones, past=past)

    view, document = await request.read(look)
    show_etag(request, _etag(view))
    return document


@put("/schedules/{name:str}", **needs("author", changes=True))
async def replace_schedule(
    request: ApiRequest,
    name: FromPath[str],
    data: JSONBody[ScheduleBody],
    if_match: IfMatch = None,
    if_none_match: IfNoneMatch = None,
) -> ScheduleItem:
    """Make a schedule or change the one of that name; schedulers hear of it at once."""
    called = check_name("schedule", named(name))

    def put_it(tx: Tx, by: Actor) -> ScheduleItem:
        _check_state(tx, request, called, if_match, if_none_match=if_none_match)
        spec = visible_job(tx, request.caller, data.job).spec
        check_job(tx, request.credential, data.job)
        stored = calendars(tx, namespace=request.namespace)
        schedule = data.schedule({each: one.calendar for each, one in stored.items()})
        check_schedule(schedule, spec)
        checked_args(tx, request, msgspec.json.encode(schedule.args).decode())
        view = engine.put(
            tx,
            called,
            schedule,
            namespace=request.namespace,
            job=data.job,
            origin=API,
            who=by.who,
            compiled=request.server_state.app.schedules.compiled,
            new_id=new_id,
            is_new=if_none_match is not None,
        )
        return schedule_item(view, request.credential)

    return await request.change(
        "put schedule",
        called,
        put_it,
        answers=ScheduleItem,
        before=lambda tx: present(tx, called, namespace=request.namespace),
    )


@delete("/schedules/{name:str}", **needs("author", changes=True), status_code=200)
async def delete_schedule(
    request: ApiRequest, name: FromPath[str], if_match: IfMatch = None
) -> ScheduleGone:
    """It fires no more; what waits is skipped, what runs goes on."""
    called = named(name)

    def take_away(tx: Tx, _: Actor) -> ScheduleGone:
        reached_schedule(tx, request, called)
        _check_state(tx, request, called, if_match)
        engine.remove(tx, called, namespace=request.namespace)
        return ScheduleGone(name=called, removed=True)

    return await request.change("remove schedule", called, take_away, answers=ScheduleGone)


@post("/schedules/{name:str}/pause", **needs("operator", changes=True), status_code=200)
async def pause_schedule(
    request: ApiRequest, name: FromPath[str], data: JSONBody[NoteBody | None] = None
) -> ScheduleHeld:
    """No more starts but by hand, until it is resumed; what runs goes on, what waits waits."""
    note = data.note if data else None

    def hold(tx: Tx, by: Actor) -> None:
        engine.pause(tx, named(name), namespace=request.namespace, who=by.who, note=note)

    return await _hold(request, "pause schedule", named(name), hold, "paused", why=note or "")


@post("/schedules/{name:str}/resume", **needs("operator", changes=True), status_code=200)
async def resume_schedule(request: ApiRequest, name: FromPath[str]) -> ScheduleHeld:
    """Start by time again; `catchup` decides about what was missed."""

    def let_go(tx: Tx, by: Actor) -> None:
        startable_schedule(tx, request, named(name))
        engine.resume(tx, named(name), namespace=request.namespace, who=by.who)

    return await _hold(request, "resume schedule", named(name), let_go, "active")


@post("/schedules/{name:str}/unblock", **needs("operator", changes=True), status_code=200)
async def unblock_schedule(request: ApiRequest, name: FromPath[str]) -> ScheduleHeld:
    """With strict order: go on although a run has failed."""

    def free(tx: Tx, by: Actor) -> None:
        startable_schedule(tx, request, named(name))
        engine.unblock(tx, named(name), namespace=request.namespace, who=by.who)

    return await _hold(request, "unblock schedule", named(name), free, "unblocked")


@post("/schedules/{name:str}/trigger", **needs("operator", changes=True))
async def trigger_schedule(
    request: ApiRequest, name: FromPath[str], data: JSONBody[TriggerBody | None] = None
) -> ScheduleTriggered:
    """Start it once now, under its overlap policy; `args` replace some of its own.

    With `scheduledFor` the run is for that time, as if it had been started then.
    """
    return await start_schedule(request, named(name), data)


async def start_schedule(
    request: ApiRequest, called: str, data: TriggerBody | None
) -> ScheduleTriggered:
    """By its own name, or by that of its job."""
    instant = instant_ms_or_none("scheduledFor", data.scheduled_for if data else None)

    def start(tx: Tx, by: Actor) -> ScheduleTriggered:
        text = start_args(tx, request, called, (data and data.args) or {})
        startable_schedule(tx, request, called)
        done = trigger(
            tx,
            called,
            namespace=request.namespace,
            request_id=by.act_id,
            compiled=request.server_state.app.schedules.compiled,
            new_id=new_id,
            args=text,
            instant=instant,
        )
        return ScheduleTriggered(run_id=done.run_id, status=_started(done), decision=done.decision)

    return await request.change("trigger schedule", called, start, answers=ScheduleTriggered)


async def _hold(  # a verb and what is told of it
    request: ApiRequest, verb: str, name: str, work: Any, state: Held, why: str = ""
) -> ScheduleHeld:
    def change(tx: Tx, by: Actor) -> ScheduleHeld:
        reached_schedule(tx, request, name)
        work(tx, by)
        return ScheduleHeld(name=name, state=state)

    return await request.change(verb, name, change, answers=ScheduleHeld, why=why)


def _started(done: Triggered) -> Literal["queued", "pending", "skipped"]:
    if done.run_id is None:
        return "skipped"
    return "pending" if done.decision == "waits" else "queued"


def _check_state(
    tx: Tx,
    request: ApiRequest,
    name: str,
    if_match: str | None,
    *,
    if_none_match: str | None = None,
) -> None:
    if not engine.lock(tx, name, namespace=request.namespace):
        check_match(if_match, None, if_none_match=if_none_match)
        return
    view = reached_schedule(tx, request, name)
    check_match(if_match, _etag(view), if_none_match=if_none_match)
    if view.origin != API:
        raise NotAllowed(
            f"schedule {name} is defined by {view.origin}; change it there, or pause it"
        )


def _etag(view: ScheduleView) -> str:
    return etag_of(view.id, view.revision)


ROUTES = (
    list_schedules,
    show_schedule,
    replace_schedule,
    delete_schedule,
    pause_schedule,
    resume_schedule,
    unblock_schedule,
    trigger_schedule,
)
