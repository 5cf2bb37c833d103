"""Operations on schedules: list, create, change and remove, hold one back and let it go."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any

import msgspec

from rota.engine.schedules import definitions as engine
from rota.engine.schedules import views
from rota.engine.schedules.calendars import calendars
from rota.engine.schedules.firings import firings_of
from rota.engine.schedules.next_firings import coming
from rota.errors import BadInput, NotAllowed
from rota.ids import new_id
from rota.model.schedules.definitions import Calendar, OnEvent, Removed, Schedule
from rota.model.schedules.firing import NextFiring
from rota.model.schedules.schedule import (
    ScheduleDetail,
    ScheduleHeld,
    ScheduleState,
    ScheduleView,
)
from rota.model.view import Page
from rota.operations.audit_changes import tell_changed
from rota.operations.caller import Caller
from rota.operations.etags import check_match, etag_of
from rota.operations.jobs.visible import API, visible_job
from rota.operations.operation import changes, nothing_changed, reads, tell
from rota.operations.paging import PAGE, Limit
from rota.operations.payloads import check_payload
from rota.operations.permissions import check_job
from rota.operations.schedules.bodies import ScheduleBody
from rota.operations.schedules.compiled import compiled_schedules
from rota.operations.schedules.visible import (
    startable_schedule,
    visible_ones,
    visible_schedule,
)
from rota.operations.wire import QueryName, camel
from rota.rules.jobs.stored_signature import check_schedule
from rota.rules.text.names import check_name
from rota.store.base import Tx

SHOWN = 10
"""The most next and past firings that are shown with a schedule."""
Count = Annotated[int, msgspec.Meta(ge=1, le=1000)]


def _etag(schedule: ScheduleView) -> str:
    return etag_of(schedule.id, schedule.revision)


@reads("/schedules")
def list_schedules(  # noqa: PLR0913  # one filter each, all named
    tx: Tx,
    caller: Caller,
    *,
    job: Annotated[str | None, QueryName("jobId")] = None,
    only: Annotated[ScheduleState | None, QueryName("state")] = None,
    cursor: str | None = None,
    limit: Limit = PAGE,
    spec: bool = False,
) -> Page[ScheduleView]:
    """By name; `cursor` is the `next` of the page before. `spec=true` tells all of each."""
    page: list[ScheduleView] = []
    after = cursor or ""
    here = caller.namespace
    while True:
        found = views.schedules(
            tx, namespace=here, job=job, state=only, after=after, limit=limit + 1
        )
        page += visible_ones(tx, caller, found)
        if len(page) > limit or len(found) <= limit:
            break
        after = found[-1].name
    items = [_offered(each, caller, with_spec=spec) for each in page[:limit]]
    return Page(items=items, next=items[-1].name if len(page) > limit else None)


@reads("/schedules/{name}", etag=_etag)
def show_schedule(tx: Tx, caller: Caller, name: str, *, count: Count = SHOWN) -> ScheduleDetail:
    """A schedule with its next firings, and what became of the last ones."""
    view = visible_schedule(tx, caller, name)
    here = caller.namespace
    shown = _offered(view, caller, with_spec=True)
    next_ones: list[NextFiring] = []
    with suppress(BadInput):  # of one that can be compiled no more its note tells why
        next_ones = coming(tx, view, namespace=here, compiled=compiled_schedules(), count=count)
    return ScheduleDetail(
        **{field: getattr(shown, field) for field in shown.__struct_fields__},
        definition=_definition(view),
        coming=next_ones,
        past=firings_of(tx, view.name, namespace=here, limit=count),
    )


def _before_putting(tx: Tx, caller: Caller, name: str, *_: Any, **__: Any) -> Schedule | None:
    return views.present(tx, name, namespace=caller.namespace)


@changes("PUT", "/schedules/{name}", verb="put schedule", role="author", before=_before_putting)
def put_schedule(
    tx: Tx,
    caller: Caller,
    name: str,
    body: ScheduleBody,
    *,
    if_match: str | None = None,
    if_none_match: str | None = None,
) -> ScheduleView:
    """Make a schedule or change the one of that name; schedulers hear of it at once."""
    check_name("schedule", name)
    old = _check_unchanged(tx, caller, name, if_match, if_none_match=if_none_match)
    spec = visible_job(tx, caller, body.job).spec
    check_job(tx, caller.credential, body.job)
    schedule = body.schedule(stored_calendars(tx, caller))
    check_schedule(schedule, spec)
    check_payload(tx, caller, "the arguments take", msgspec.json.encode(schedule.args).decode())
    stood = _before_putting(tx, caller, name)
    view = engine.put(
        tx,
        name,
        schedule,
        namespace=caller.namespace,
        job=body.job,
        origin=API,
        who=caller.actor.who,
        compiled=compiled_schedules(),
        new_id=new_id,
        is_new=if_none_match is not None,
    )
    tell_changed(tx, caller, stood, _before_putting(tx, caller, name))
    if old is not None and old.revision == view.revision:
        nothing_changed(tx, caller)
    return _offered(view, caller)


@changes("DELETE", "/schedules/{name}", verb="remove schedule", role="author")
def remove_schedule(tx: Tx, caller: Caller, name: str, *, if_match: str | None = None) -> Removed:
    """It fires no more; what waits is skipped, what runs goes on."""
    visible_schedule(tx, caller, name)
    _check_unchanged(tx, caller, name, if_match)
    engine.remove(tx, name, namespace=caller.namespace)
    return Removed(name=name)


@changes("POST", "/schedules/{name}/pause", verb="pause schedule")
def pause_schedule(tx: Tx, caller: Caller, name: str, *, note: str | None = None) -> ScheduleHeld:
    """No more starts but by hand, until it is resumed; what runs goes on, what waits waits."""
    visible_schedule(tx, caller, name)
    tell(tx, caller, note=note)
    if not engine.pause(tx, name, namespace=caller.namespace, who=caller.actor.who, note=note):
        nothing_changed(tx, caller)
    return ScheduleHeld(name=name, state="paused")


@changes("POST", "/schedules/{name}/resume", verb="resume schedule")
def resume_schedule(tx: Tx, caller: Caller, name: str) -> ScheduleHeld:
    """Start by time again; `catchup` decides about what was missed."""
    startable_schedule(tx, caller, name)
    if not engine.resume(tx, name, namespace=caller.namespace, who=caller.actor.who):
        nothing_changed(tx, caller)
    return ScheduleHeld(name=name, state="active")


@changes("POST", "/schedules/{name}/unblock", verb="unblock schedule")
def unblock_schedule(tx: Tx, caller: Caller, name: str) -> ScheduleHeld:
    """With strict order: go on although a run has failed."""
    startable_schedule(tx, caller, name)
    if not engine.unblock(tx, name, namespace=caller.namespace, who=caller.actor.who):
        nothing_changed(tx, caller)
    return ScheduleHeld(name=name, state="unblocked")


def stored_calendars(tx: Tx, caller: Caller) -> dict[str, Calendar]:
    """The calendars that schedules may name."""
    found: Mapping[str, Any] = calendars(tx, namespace=caller.namespace)
    return {name: each.calendar for name, each in found.items()}


def _check_unchanged(
    tx: Tx,
    caller: Caller,
    name: str,
    if_match: str | None,
    *,
    if_none_match: str | None = None,
) -> ScheduleView | None:
    """Return the schedule if there is one; it stays locked until the end.

    Outdated unless it is as the caller has read it.

    NotAllowed through a server for a schedule of code or a file; a caller with the store may change
    it.
    """
    if not engine.lock(tx, name, namespace=caller.namespace):
        check_match(if_match, None, if_none_match=if_none_match)
        return None
    view = visible_schedule(tx, caller, name)
    check_match(if_match, _etag(view), if_none_match=if_none_match)
    if view.origin != API and not caller.has_store:
        raise NotAllowed(
            f"schedule {name} is defined by {view.origin}; change it there, or pause it"
        )
    return view


def _definition(view: ScheduleView) -> dict[str, Any]:
    """Return the definition in the form that PUT takes."""
    if view.schedule is None:
        return {"job": view.job}
    fields: dict[str, Any] = msgspec.to_builtins(view.schedule)
    fields.pop("name", None)
    named = {camel(name): value for name, value in fields.items()}
    if "isPaused" in named:
        named["paused"] = named.pop("isPaused")
    return {"job": view.job, **named}


def _offered(view: ScheduleView, caller: Caller, *, with_spec: bool = False) -> ScheduleView:
    """Return the schedule with the actions that the caller may take on it now."""
    has_times = view.schedule is None or not isinstance(view.schedule.trigger, OnEvent)
    verbs = ["trigger", "backfill"] if has_times else ["trigger"]
    verbs += ["pause"] if view.state == "active" else []
    verbs += ["resume"] if view.state in ("paused", "error") else []
    verbs += ["unblock"] if view.blocked_by else []
    editing = caller.may("edit", "delete", role="author") if view.origin == API else ()
    return msgspec.structs.replace(
        view,
        schedule=view.schedule if with_spec else None,
        verbs=(*caller.may(*verbs), *editing),
    )
