"""Operations on business calendars: list them, create or change one, remove one."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import msgspec

from rota.engine.locks import lock_name
from rota.engine.schedules import calendars as engine
from rota.errors import NotPermitted, UnknownCalendar
from rota.model.schedules.definitions import Calendar, CalendarView, Removed
from rota.model.view import Body, Page
from rota.operations.audit_changes import tell_changed
from rota.operations.caller import Caller
from rota.operations.etags import check_match, etag_of
from rota.operations.operation import changes, nothing_changed, reads
from rota.rules.text.names import check_name
from rota.store.base import Tx

if TYPE_CHECKING:
    CalendarBody = Calendar
else:
    CalendarBody = msgspec.defstruct(
        "CalendarBody",
        [(each.name, each.type, each.default) for each in msgspec.structs.fields(Calendar)],
        bases=(Body,),
        module=__name__,
        namespace={"__doc__": "Which days are not business days."},
    )


def _etag(calendar: CalendarView) -> str:
    """Return the ETag, with the days: a calendar made anew begins with version 1 again."""
    return etag_of(calendar.name, calendar.version, calendar.calendar)


@reads("/calendars")
def list_calendars(tx: Tx, caller: Caller) -> Page[CalendarView]:
    """All business calendars, by name."""
    found = engine.calendars(tx, namespace=caller.namespace).values()
    foreign = used_by_others(tx, caller)
    return Page(items=[_offered(each, caller, foreign) for each in found])


@reads("/calendars/{name}", etag=_etag)
def show_calendar(tx: Tx, caller: Caller, name: str) -> CalendarView:
    """A business calendar."""
    return _offered(_find(tx, caller, name), caller, used_by_others(tx, caller))


@changes("PUT", "/calendars/{name}", verb="put calendar", role="author")
def put_calendar(
    tx: Tx,
    caller: Caller,
    name: str,
    body: CalendarBody,
    *,
    if_match: str | None = None,
    if_none_match: str | None = None,
) -> CalendarView:
    """Make or change a calendar; the schedules that name it follow at once."""
    check_name("calendar", name)
    lock_name(tx, "calendar", name, namespace=caller.namespace)
    present = engine.calendars(tx, namespace=caller.namespace).get(name)
    check_own_calendar(tx, caller, name)
    etag = None if present is None else _etag(present)
    check_match(if_match, etag, if_none_match=if_none_match)
    wanted = Calendar(**msgspec.structs.asdict(body))
    tell_changed(tx, caller, present and present.calendar, wanted)
    if not engine.put_calendar(tx, name, wanted, namespace=caller.namespace):
        nothing_changed(tx, caller)
    return _offered(_find(tx, caller, name), caller)


@changes("DELETE", "/calendars/{name}", verb="remove calendar", role="author")
def remove_calendar(tx: Tx, caller: Caller, name: str, *, if_match: str | None = None) -> Removed:
    """Remove a calendar; refused while a schedule names it."""
    lock_name(tx, "calendar", name, namespace=caller.namespace)
    check_match(if_match, _etag(_find(tx, caller, name)))
    check_own_calendar(tx, caller, name)
    engine.remove_calendar(tx, name, namespace=caller.namespace)
    return Removed(name=name)


def _find(tx: Tx, caller: Caller, name: str) -> CalendarView:
    found = engine.calendars(tx, namespace=caller.namespace).get(name)
    if found is None:
        raise UnknownCalendar(name)
    return found


def _offered(calendar: CalendarView, caller: Caller, foreign: Collection[str] = ()) -> CalendarView:
    verbs = () if calendar.name in foreign else caller.may("edit", "delete", role="author")
    return msgspec.structs.replace(calendar, verbs=verbs)


def used_by_others(tx: Tx, caller: Caller) -> set[str]:
    """Calendars of schedules whose jobs the caller does not see: it may not change them."""
    if caller.sees_all_queues:
        return set()
    used = engine.jobs_by_calendar(tx, namespace=caller.namespace)
    visible = caller.visible_jobs(tx, set().union(*used.values()))
    return {name for name, jobs in used.items() if jobs - visible}


def check_own_calendar(tx: Tx, caller: Caller, name: str) -> None:
    """NotPermitted for a change that would move schedules of other queues."""
    if name in used_by_others(tx, caller):
        raise NotPermitted(
            f"schedules of queues that the credential does not reach go by the calendar {name:.140}"
        )
