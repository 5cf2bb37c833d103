"""Maintenance windows, by name."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import delete, get, put
from litestar.params import FromPath, JSONBody

from rota.api.identity.authorization import needs
from rota.api.routes.runs.kept import Gone, kept_verbs
from rota.api.routes.schedules.access import reached_jobs
from rota.api.server.documents import Body, Document, Moment, Page, then
from rota.api.server.edge import named
from rota.api.server.etags import IfMatch, IfNoneMatch, check_match, etag_of, show_etag
from rota.api.server.request import ApiRequest
from rota.engine.admission import windows
from rota.engine.identity.audit_log import Actor
from rota.engine.locks import lock_name
from rota.engine.runs.find import now_ms
from rota.errors import NotPermitted, UnknownBlackout
from rota.model.schedule import Blackout, BlackoutKind
from rota.rules.schedules.sentence import describe_window
from rota.rules.schedules.trigger_options import read_trigger
from rota.rules.schedules.windows import compile_blackout
from rota.rules.text.names import check_name
from rota.store.base import Tx


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
    description: str
    """In a sentence."""
    begins_at: Moment | None
    """The window around this instant, or else the next; none if it is over for good."""
    ends_at: Moment | None
    is_now: bool
    """It holds back what it holds back at this instant."""
    verbs: list[str]


@get("/blackouts", **needs("viewer"))
async def list_blackouts(request: ApiRequest) -> Page[BlackoutDocument]:
    """All maintenance windows, by name."""

    def look(tx: Tx) -> list[BlackoutDocument]:
        found = _seen(tx, request)
        return [_blackout(tx, name, found[name], request) for name in sorted(found)]

    return Page(items=await request.read(look))


@get("/blackouts/{name:str}", **needs("viewer"))
async def show_blackout(request: ApiRequest, name: FromPath[str]) -> BlackoutDocument:
    """A maintenance window."""
    called = named(name)

    def look(tx: Tx) -> tuple[Blackout, BlackoutDocument]:
        found = _find_blackout(tx, request, called)
        return found, _blackout(tx, called, found, request)

    found, document = await request.read(look)
    show_etag(request, etag_of(called, found))
    return document


@put("/blackouts/{name:str}", **needs("operator", changes=True))
async def replace_blackout(
    request: ApiRequest,
    name: FromPath[str],
    data: JSONBody[BlackoutBody],
    if_match: IfMatch = None,
    if_none_match: IfNoneMatch = None,
) -> BlackoutDocument:
    """Make or change one; it counts at once."""
    called = check_name("blackout", named(name))
    wanted = _window(data)
    _check_reach(request, wanted)

    def put_it(tx: Tx, _: Actor) -> BlackoutDocument:
        lock_name(tx, "blackout", called, namespace=request.namespace)
        present = windows.blackouts(tx, namespace=request.namespace).get(called)
        if present is not None:
            _check_reach(request, present)
        etag = None if present is None else etag_of(called, present)
        check_match(if_match, etag, if_none_match=if_none_match)
        windows.put_blackout(tx, called, wanted, namespace=request.namespace)
        return _blackout(tx, called, wanted, request)

    return await request.change("put blackout", called, put_it, answers=BlackoutDocument)


@delete("/blackouts/{name:str}", **needs("operator", changes=True), status_code=200)
async def delete_blackout(
    request: ApiRequest, name: FromPath[str], if_match: IfMatch = None
) -> Gone:
    """Forget one; what it defers starts at its old end."""
    called = named(name)

    def take_away(tx: Tx, _: Actor) -> Gone:
        lock_name(tx, "blackout", called, namespace=request.namespace)
        present = _find_blackout(tx, request, called)
        check_match(if_match, etag_of(called, present))
        _check_reach(request, present)
        windows.remove_blackout(tx, called, namespace=request.namespace)
        return Gone(name=called, removed=True)

    return await request.change("remove blackout", called, take_away, answers=Gone)


def _find_blackout(tx: Tx, request: ApiRequest, name: str) -> Blackout:
    found = _seen(tx, request).get(name)
    if found is None:
        raise UnknownBlackout(name)
    return found


def _seen(tx: Tx, request: ApiRequest) -> dict[str, Blackout]:
    """By name, those of everybody's runs and of the queues and jobs that the credential reaches."""
    found = windows.blackouts(tx, namespace=request.namespace)
    if request.credential.queues is None:
        return found
    jobs = reached_jobs(tx, request, {each.job for each in found.values() if each.job})
    return {
        name: each
        for name, each in found.items()
        if (each.job is None or each.job in jobs)
        and (each.queue is None or request.credential.reaches(each.queue))
    }


def _window(data: BlackoutBody) -> Blackout:
    trigger = None if data.trigger is None else _trigger(data.trigger)
    fields = {name: getattr(data, name) for name in data.__struct_fields__}
    return Blackout(**fields | {"trigger": trigger})


def _trigger(given: str | dict[str, Any]) -> Any:
    is_tagged = isinstance(given, dict) and "type" in given
    return read_trigger({"trigger": given} if is_tagged else given, field="trigger")


def _is_own(request: ApiRequest, window: Blackout) -> bool:
    """A window holds back everybody's runs, unless it is that of a queue."""
    if request.credential.queues is None:
        return True
    return window.queue is not None and request.credential.reaches(window.queue)


def _check_reach(request: ApiRequest, window: Blackout) -> None:
    if not _is_own(request, window):
        raise NotPermitted("the credential reaches some queues; a window of it names one of them")


def _blackout(tx: Tx, name: str, window: Blackout, request: ApiRequest) -> BlackoutDocument:
    fields = {field: getattr(window, field) for field in window.__struct_fields__}
    trigger = None if window.trigger is None else msgspec.to_builtins(window.trigger)
    now = now_ms(tx)
    span = compile_blackout(window).span_from(now)
    return BlackoutDocument(
        name=name,
        **fields | {"trigger": trigger},
        description=describe_window(window),
        begins_at=None if span is None else then(span[0]),
        ends_at=None if span is None else then(span[1]),
        is_now=span is not None and span[0] <= now,
        verbs=kept_verbs(request.credential, "operator") if _is_own(request, window) else [],
    )


ROUTES = (list_blackouts, show_blackout, replace_blackout, delete_blackout)
