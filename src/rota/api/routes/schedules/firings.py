"""Firings to come, of a rule that does not exist yet and of all schedules; past ones of one."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated

import msgspec
from litestar import get, post
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from rota.api.identity.authorization import needs
from rota.api.routes.schedules.documents import (
    FiringDocument,
    Mark,
    PastDocument,
    RuleBody,
    firing_document,
    mark_of,
    past_document,
)
from rota.api.server.documents import Document, Moment, then
from rota.api.server.edge import named
from rota.api.server.request import ApiRequest
from rota.engine.jobs.definitions import current_specs
from rota.engine.runs.find import now_ms
from rota.engine.schedules.calendars import calendars
from rota.engine.schedules.compiled import seed_of
from rota.engine.schedules.firings import FiringCursor, FiringPage, firing_page
from rota.engine.schedules.upcoming import Upcoming, upcoming
from rota.errors import BadOption
from rota.model.view import Page
from rota.operations.instants import instant_ms
from rota.operations.paging import MOST as MOST_ITEMS
from rota.operations.paging import PAGE, not_a_cursor
from rota.operations.schedules.visible import visible_schedule
from rota.rules.schedules.preview import preview
from rota.rules.schedules.sentence import describe
from rota.rules.schedules.triggers import compile_schedule
from rota.rules.schedules.zones import zone
from rota.rules.text.moments import read_bound
from rota.store.base import Tx
from rota.url_text import from_url_text, to_url_text

FEW, MOST = 20, 1_000
"""Firings in a preview."""
DAY_MS = 86_400_000
LONGEST_MS = 400 * DAY_MS
COMING, MOST_COMING = 500, 5_000


class PreviewBody(RuleBody):
    """A rule, and which of its firings to show."""

    name: str = ""
    """That of the schedule: it decides what `H` stands for."""
    begin: str | None = msgspec.field(default=None, name="from")
    """The first instant to look at; now if not said."""
    until: str | None = None
    most: int = msgspec.field(default=FEW, name="count")


class PreviewDocument(Document):
    """What a rule means."""

    description: str
    zone: str
    firings: list[FiringDocument]


class ComingDocument(Document):
    """A firing to come."""

    at: Moment
    schedule: str
    job: str
    mark: Mark | None
    """Why it is not where the plain rule puts it."""
    marks: list[str]
    """The same in words."""


class DayOffDocument(Document):
    """A day on which a calendar of these schedules is closed, weekends apart."""

    day: date
    calendar: str
    """Its name or code; empty for one that a schedule spells out."""
    why: str


class ShiftDocument(Document):
    """Clocks are changed in a zone of these schedules."""

    at: Moment
    zone: str
    seconds: float
    """Forward, or back if it is negative."""


class UpcomingDocument(Document):
    """The firings of all schedules, in order."""

    items: list[ComingDocument]
    cut: bool
    """There are more in this time than are told."""
    frequent: list[str]
    """Schedules with more firings than `each` allows, of which none is told."""
    days_off: list[DayOffDocument]
    shifts: list[ShiftDocument]


@post("/schedules/preview", **needs("viewer", changes=True), status_code=200)
async def preview_schedule(request: ApiRequest, data: JSONBody[PreviewBody]) -> PreviewDocument:
    """When a rule would fire, before there is a schedule; nothing is written."""
    if not 1 <= data.most <= MOST:
        raise BadOption(f"count={data.most} is not a number from 1 to {MOST:,}")

    def look(tx: Tx) -> PreviewDocument:
        stored = {
            name: each.calendar for name, each in calendars(tx, namespace=request.namespace).items()
        }
        schedule = data.schedule(stored)
        where = zone(schedule.zone)
        seed = seed_of(request.namespace, data.name) if data.name else ""
        begin = now_ms(tx) if data.begin is None else read_bound("from", data.begin, where)
        found = preview(
            schedule,
            compile_schedule(schedule, seed=seed, calendars=stored),
            after=begin - 1,
            count=data.most,
            until=None if data.until is None else read_bound("until", data.until, where),
        )
        return PreviewDocument(
            description=describe(schedule, seed=seed),
            zone=schedule.zone,
            firings=[firing_document(each) for each in found],
        )

    return await request.read(look)


@get("/schedules/upcoming", **needs("viewer"))
async def list_upcoming(
    request: ApiRequest,
    begin: Annotated[datetime | None, QueryParameter(name="from")] = None,
    until: FromQuery[datetime | None] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=MOST_COMING)] = COMING,
    each: Annotated[int | None, QueryParameter(ge=1, le=MOST_COMING)] = None,
) -> UpcomingDocument:
    """From now, or `from`, to `until`, a day later if not said; of all schedules in order.

    With `each` schedules that fire more often than that are only named.
    """

    def look(tx: Tx) -> Upcoming:
        start = now_ms(tx) if begin is None else instant_ms("from", begin)
        end = start + DAY_MS if until is None else instant_ms("until", until)
        if not 0 <= end - start <= LONGEST_MS:
            raise BadOption(f"until: it must be 0 to {LONGEST_MS // DAY_MS} days after from")
        return upcoming(
            tx,
            namespace=request.namespace,
            start=start,
            end=end,
            limit=limit,
            most_each=each,
            compiled=request.server_state.app.schedules.compiled,
            is_wanted=lambda job: _reaches(tx, request, job),
        )

    found = await request.read(look)
    return UpcomingDocument(
        items=[
            ComingDocument(
                at=then(one.at),
                schedule=one.schedule,
                job=one.job,
                mark=mark_of(one.marks),
                marks=list(one.marks),
            )
            for one in found.firings
        ],
        cut=found.is_cut,
        frequent=found.frequent,
        days_off=[
            DayOffDocument(day=each.day, calendar=each.calendar, why=each.why)
            for each in found.days_off
        ],
        shifts=[
            ShiftDocument(at=then(each.at), zone=each.zone, seconds=each.by_ms / 1_000)
            for each in found.shifts
        ],
    )


@get("/schedules/{name:str}/firings", **needs("viewer"))
async def list_firings(
    request: ApiRequest,
    name: FromPath[str],
    before: FromQuery[datetime | None] = None,
    cursor: FromQuery[str | None] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=MOST_ITEMS)] = PAGE,
) -> Page[PastDocument]:
    """What became of the instants of a schedule, the newest first.

    Of those before an instant, or with `cursor` of those after the page whose `next` it is.
    """
    start = _start(before, cursor)

    def look(tx: Tx) -> FiringPage:
        view = visible_schedule(tx, request.caller, named(name))
        at = {"namespace": request.namespace}
        return firing_page(tx, view.name, start=start, limit=limit, **at)

    found = await request.read(look)
    return Page(
        items=[past_document(each) for each in found.firings],
        next=None if found.next is None else _cursor(found.next),
    )


def _start(before: datetime | None, cursor: str | None) -> FiringCursor | None:
    if cursor is None:
        return None if before is None else FiringCursor(instant_ms("before", before))
    try:
        return msgspec.json.decode(from_url_text(cursor), type=FiringCursor)
    except (ValueError, msgspec.MsgspecError):
        raise not_a_cursor(cursor) from None


def _cursor(place: FiringCursor) -> str:
    return to_url_text(msgspec.json.encode(place))


def _reaches(tx: Tx, request: ApiRequest, job: str) -> bool:
    if request.credential.queues is None:
        return True
    spec = current_specs(tx, [job], namespace=request.namespace).get(job)
    return spec is not None and request.credential.reaches(spec[1].queue)


ROUTES = (preview_schedule, list_upcoming, list_firings)
