"""Business calendars and maintenance windows, by name."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec
from litestar import delete, get, put
from litestar.params import FromPath, JSONBody

from rota.api.ask import Ask
from rota.api.documents import Body, Document, Page
from rota.api.doors import named
from rota.api.etags import IfMatch, check_match, etag_of, show_etag
from rota.api.gate import needs
from rota.api.routes.schedule_access import calendars_of_others, check_calendar
from rota.engine import blackouts as windows
from rota.engine import calendars as engine
from rota.engine.acts import By
from rota.engine.timetables import StoredCalendar
from rota.errors import NotPermitted, UnknownBlackout, UnknownCalendar
from rota.model.identity import Credential
from rota.model.schedule import Blackout, BlackoutKind, Calendar
from rota.rules.names import check_name
from rota.rules.trigger_options import read_trigger
from rota.store.base import Tx


class CalendarBody(Body):
    """Which days are not business days."""

    country: str | None = None
    """A code such as `FR`, `US-CA` or a market such as `XNYS`; its public holidays are off."""
    weekend: list[int] = msgspec.field(default_factory=lambda: [5, 6])
    """Days off each week; 0 is Monday."""
    off: list[str] = msgspec.field(default_factory=list)
    """Further days off, as dates."""
    on: list[str] = msgspec.field(default_factory=list)
    """Days worked in spite of the above."""


class CalendarDocument(Document):
    """A business calendar."""

    name: str
    version: int
    country: str | None
    weekend: list[int]
    off: list[str]
    on: list[str]
    verbs: list[str]


class BlackoutBody(Body):
    """A window: once from `start` to `end`, or each time a trigger fires, for a `duration`."""

    kind: BlackoutKind
    start: str | None = None
    end: str | None = None
    """The first instant after the window."""
    trigger: str | dict[str, Any] | None = None
    """A cron line, or an object as schedules have it."""
    duration: str | None = None
    zone: str = "UTC"
    job: str | None = None
    queue: str | None = None
    note: str = ""


class BlackoutDocument(Document):
    """A maintenance window."""

    name: str
    kind: BlackoutKind
    start: str | None
    end: str | None
    trigger: dict[str, Any] | None
    duration: str | None
    zone: str
    job: str | None
    queue: str | None
    note: str
    verbs: list[str]


class Gone(Document):
    """What is off the record."""

    name: str
    removed: bool


@get("/calendars", **needs("viewer"))
async def list_calendars(request: Ask) -> Page[CalendarDocument]:
    """All of them, by name."""

    def look(tx: Tx) -> list[CalendarDocument]:
        others = calendars_of_others(tx, request)
        found = engine.calendars(tx, namespace=request.namespace)
        return [_calendar(name, each, request, others) for name, each in found.items()]

    return Page(items=await request.read(look))


@get("/calendars/{name:str}", **needs("viewer"))
async def show_calendar(request: Ask, name: FromPath[str]) -> CalendarDocument:
    """A business calendar."""
    called = named(name)

    def look(tx: Tx) -> tuple[StoredCalendar, CalendarDocument]:
        found = _find_calendar(tx, request, called)
        return found, _calendar(called, found, request, calendars_of_others(tx, request))

    found, document = await request.read(look)
    show_etag(request, _calendar_etag(called, found) or "")
    return document


@put("/calendars/{name:str}", **needs("author", changes=True))
async def replace_calendar(
    request: Ask, name: FromPath[str], data: JSONBody[CalendarBody], if_match: IfMatch = None
) -> CalendarDocument:
    """Make or change one; the schedules that name it follow at once."""
    called = check_name("calendar", named(name))
    wanted = Calendar(
        country=data.country,
        weekend=tuple(data.weekend),
        off=tuple(data.off),
        on=tuple(data.on),
    )

    def put_it(tx: Tx, _: By) -> CalendarDocument:
        present = engine.calendars(tx, namespace=request.namespace).get(called)
        check_calendar(tx, request, called)
        check_match(if_match, _calendar_etag(called, present))
        engine.put_calendar(tx, called, wanted, namespace=request.namespace)
        return _calendar(called, _find_calendar(tx, request, called), request)

    return await request.change("put calendar", called, put_it, answers=CalendarDocument)


@delete("/calendars/{name:str}", **needs("author", changes=True), status_code=200)
async def delete_calendar(request: Ask, name: FromPath[str], if_match: IfMatch = None) -> Gone:
    """Forget one; refused while a schedule names it."""
    called = named(name)

    def take_away(tx: Tx, _: By) -> Gone:
        check_match(if_match, _calendar_etag(called, _find_calendar(tx, request, called)))
        check_calendar(tx, request, called)
        engine.remove_calendar(tx, called, namespace=request.namespace)
        return Gone(name=called, removed=True)

    return await request.change("remove calendar", called, take_away, answers=Gone)


@get("/blackouts", **needs("viewer"))
async def list_blackouts(request: Ask) -> Page[BlackoutDocument]:
    """All maintenance windows, by name."""
    found = await request.read(lambda tx: windows.blackouts(tx, namespace=request.namespace))
    return Page(items=[_blackout(name, found[name], request) for name in sorted(found)])


@get("/blackouts/{name:str}", **needs("viewer"))
async def show_blackout(request: Ask, name: FromPath[str]) -> BlackoutDocument:
    """A maintenance window."""
    found = await request.read(lambda tx: _find_blackout(tx, request, named(name)))
    show_etag(request, etag_of(named(name), found))
    return _blackout(named(name), found, request)


@put("/blackouts/{name:str}", **needs("operator", changes=True))
async def replace_blackout(
    request: Ask, name: FromPath[str], data: JSONBody[BlackoutBody], if_match: IfMatch = None
) -> BlackoutDocument:
    """Make or change one; it counts at once."""
    called = check_name("blackout", named(name))
    wanted = _window(data)
    _check_reach(request, wanted)

    def put_it(tx: Tx, _: By) -> BlackoutDocument:
        present = windows.blackouts(tx, namespace=request.namespace).get(called)
        if present is not None:
            _check_reach(request, present)
        check_match(if_match, None if present is None else etag_of(called, present))
        windows.put_blackout(tx, called, wanted, namespace=request.namespace)
        return _blackout(called, wanted, request)

    return await request.change("put blackout", called, put_it, answers=BlackoutDocument)


@delete("/blackouts/{name:str}", **needs("operator", changes=True), status_code=200)
async def delete_blackout(request: Ask, name: FromPath[str], if_match: IfMatch = None) -> Gone:
    """Forget one; what it defers starts at its old end."""
    called = named(name)

    def take_away(tx: Tx, _: By) -> Gone:
        present = _find_blackout(tx, request, called)
        check_match(if_match, etag_of(called, present))
        _check_reach(request, present)
        windows.remove_blackout(tx, called, namespace=request.namespace)
        return Gone(name=called, removed=True)

    return await request.change("remove blackout", called, take_away, answers=Gone)


def _find_calendar(tx: Tx, request: Ask, name: str) -> StoredCalendar:
    found = engine.calendars(tx, namespace=request.namespace).get(name)
    if found is None:
        raise UnknownCalendar(name)
    return found


def _find_blackout(tx: Tx, request: Ask, name: str) -> Blackout:
    found = windows.blackouts(tx, namespace=request.namespace).get(name)
    if found is None:
        raise UnknownBlackout(name)
    return found


def _window(data: BlackoutBody) -> Blackout:
    trigger = None if data.trigger is None else _trigger(data.trigger)
    fields = {name: getattr(data, name) for name in data.__struct_fields__}
    return Blackout(**fields | {"trigger": trigger})


def _trigger(given: str | dict[str, Any]) -> Any:
    is_tagged = isinstance(given, dict) and "type" in given
    return read_trigger({"trigger": given} if is_tagged else given, field="trigger")


def _check_reach(request: Ask, window: Blackout) -> None:
    """A window holds back everybody's runs, unless it is that of a queue."""
    if request.credential.queues is None:
        return
    if window.queue is None or not request.credential.reaches(window.queue):
        raise NotPermitted("the credential reaches some queues; a window of it names one of them")


def _calendar_etag(name: str, stored: StoredCalendar | None) -> str | None:
    return None if stored is None else etag_of(name, stored.version)


def _calendar(
    name: str, stored: StoredCalendar, request: Ask, others: Collection[str] = ()
) -> CalendarDocument:
    calendar = stored.calendar
    return CalendarDocument(
        name=name,
        version=stored.version,
        country=calendar.country,
        weekend=list(calendar.weekend),
        off=list(calendar.off),
        on=list(calendar.on),
        verbs=[] if name in others else _verbs(request.credential, "author"),
    )


def _blackout(name: str, window: Blackout, request: Ask) -> BlackoutDocument:
    fields = {field: getattr(window, field) for field in window.__struct_fields__}
    trigger = None if window.trigger is None else msgspec.to_builtins(window.trigger)
    may = _verbs(request.credential, "operator")
    return BlackoutDocument(name=name, **fields | {"trigger": trigger}, verbs=may)


def _verbs(credential: Credential, role: Any) -> list[str]:
    return ["edit", "delete"] if credential.has(role) else []


ROUTES = (
    list_calendars,
    show_calendar,
    replace_calendar,
    delete_calendar,
    list_blackouts,
    show_blackout,
    replace_blackout,
    delete_blackout,
)
