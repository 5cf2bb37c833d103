"""Business calendars, by name."""

from __future__ import annotations

from collections.abc import Collection

import msgspec
from litestar import delete, get, put
from litestar.params import FromPath, JSONBody

from rota.api.identity.authorization import needs
from rota.api.routes.runs.kept import Gone, kept_verbs
from rota.api.routes.schedules.access import calendars_of_others, check_calendar
from rota.api.server.documents import Body, Document, Page
from rota.api.server.edge import named
from rota.api.server.etags import IfMatch, IfNoneMatch, check_match, etag_of, show_etag
from rota.api.server.request import ApiRequest
from rota.engine.identity.audit_log import Actor
from rota.engine.locks import lock_name
from rota.engine.schedules import calendars as engine
from rota.engine.schedules.compiled import StoredCalendar
from rota.errors import UnknownCalendar
from rota.model.schedule import Calendar
from rota.rules.text.names import check_name
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


@get("/calendars", **needs("viewer"))
async def list_calendars(request: ApiRequest) -> Page[CalendarDocument]:
    """All of them, by name."""

    def look(tx: Tx) -> list[CalendarDocument]:
        others = calendars_of_others(tx, request)
        found = engine.calendars(tx, namespace=request.namespace)
        return [_calendar(name, each, request, others) for name, each in found.items()]

    return Page(items=await request.read(look))


@get("/calendars/{name:str}", **needs("viewer"))
async def show_calendar(request: ApiRequest, name: FromPath[str]) -> CalendarDocument:
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
    request: ApiRequest,
    name: FromPath[str],
    data: JSONBody[CalendarBody],
    if_match: IfMatch = None,
    if_none_match: IfNoneMatch = None,
) -> CalendarDocument:
    """Make or change one; the schedules that name it follow at once."""
    called = check_name("calendar", named(name))
    wanted = Calendar(
        country=data.country,
        weekend=tuple(data.weekend),
        off=tuple(data.off),
        on=tuple(data.on),
    )

    def put_it(tx: Tx, _: Actor) -> CalendarDocument:
        lock_name(tx, "calendar", called, namespace=request.namespace)
        present = engine.calendars(tx, namespace=request.namespace).get(called)
        check_calendar(tx, request, called)
        etag = _calendar_etag(called, present)
        check_match(if_match, etag, if_none_match=if_none_match)
        engine.put_calendar(tx, called, wanted, namespace=request.namespace)
        return _calendar(called, _find_calendar(tx, request, called), request)

    return await request.change("put calendar", called, put_it, answers=CalendarDocument)


@delete("/calendars/{name:str}", **needs("author", changes=True), status_code=200)
async def delete_calendar(
    request: ApiRequest, name: FromPath[str], if_match: IfMatch = None
) -> Gone:
    """Forget one; refused while a schedule names it."""
    called = named(name)

    def take_away(tx: Tx, _: Actor) -> Gone:
        lock_name(tx, "calendar", called, namespace=request.namespace)
        check_match(if_match, _calendar_etag(called, _find_calendar(tx, request, called)))
        check_calendar(tx, request, called)
        engine.remove_calendar(tx, called, namespace=request.namespace)
        return Gone(name=called, removed=True)

    return await request.change("remove calendar", called, take_away, answers=Gone)


def _find_calendar(tx: Tx, request: ApiRequest, name: str) -> StoredCalendar:
    found = engine.calendars(tx, namespace=request.namespace).get(name)
    if found is None:
        raise UnknownCalendar(name)
    return found


def _calendar_etag(name: str, stored: StoredCalendar | None) -> str | None:
    """Also of what it says: one that is removed and made anew begins with version 1 again."""
    return None if stored is None else etag_of(name, stored.version, stored.calendar)


def _calendar(
    name: str, stored: StoredCalendar, request: ApiRequest, others: Collection[str] = ()
) -> CalendarDocument:
    calendar = stored.calendar
    return CalendarDocument(
        name=name,
        version=stored.version,
        country=calendar.country,
        weekend=list(calendar.weekend),
        off=list(calendar.off),
        on=list(calendar.on),
        verbs=[] if name in others else kept_verbs(request.credential, "author"),
    )


ROUTES = (list_calendars, show_calendar, replace_calendar, delete_calendar)
