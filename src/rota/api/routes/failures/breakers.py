"""Breakers: which jobs are held back; hold one by hand, let it go."""

from __future__ import annotations

from typing import Literal

from litestar import get, post
from litestar.params import FromPath, JSONBody

from rota.api.identity.actions import offered
from rota.api.identity.authorization import needs
from rota.api.server.documents import Body, Document, Moment, Page, then, when
from rota.api.server.edge import named
from rota.api.server.request import ApiRequest
from rota.engine.failures.breakers.control import breakers, close_breaker, open_breaker
from rota.engine.identity.audit_log import Actor
from rota.engine.jobs.definitions import current_specs
from rota.errors import UnknownJob
from rota.model.breaker import BreakerView
from rota.store.base import Tx


class BreakerDocument(Document):
    """The breaker of a job that has a rule, or is held back by hand."""

    job: str
    state: Literal["closed", "open", "half_open"]
    rule: str | None
    good: int
    bad: int
    """Attempts in its window that ended well, and badly."""
    held: int
    """Queued runs that are not started, among the first 20,000 of the namespace."""
    opened_at: Moment | None
    probe_at: Moment | None
    probe_id: str | None
    stays: bool
    """Open until a person closes it."""
    note: str | None
    changed_at: Moment
    verbs: list[str]


class BreakerState(Document):
    """What a breaker was told."""

    job: str
    state: Literal["open", "closed"]
    changed: bool
    """False when it was so before."""


class BreakerNote(Body):
    """Why, for those who wonder."""

    note: str | None = None


@get("/breakers", **needs("viewer"))
async def list_breakers(request: ApiRequest) -> Page[BreakerDocument]:
    """Of all jobs that have one, by job."""

    def look(tx: Tx) -> list[BreakerDocument]:
        found = breakers(tx, namespace=request.namespace)
        if request.credential.queues is not None:
            specs = current_specs(tx, {each.job for each in found}, namespace=request.namespace)
            reached = {
                name for name, (_, spec) in specs.items() if request.credential.reaches(spec.queue)
            }
            found = [each for each in found if each.job in reached]
        return [_document(each, request) for each in found]

    return Page(items=await request.read(look))


@post("/breakers/{job:str}/open", **needs("operator", changes=True), status_code=200)
async def open_one(
    request: ApiRequest, job: FromPath[str], data: JSONBody[BreakerNote | None] = None
) -> BreakerState:
    """Hold all runs of a job back until somebody closes its breaker; what runs goes on."""
    name = named(job)

    def hold(tx: Tx, by: Actor) -> BreakerState:
        _check_reached(tx, request, name)
        open_breaker(tx, name, namespace=request.namespace, by=by, note=data.note if data else None)
        return BreakerState(job=name, state="open", changed=True)

    return await request.change("open breaker", name, hold, answers=BreakerState)


@post("/breakers/{job:str}/close", **needs("operator", changes=True), status_code=200)
async def close_one(request: ApiRequest, job: FromPath[str]) -> BreakerState:
    """Let the runs of a job go, in their old order; its tally starts afresh."""
    name = named(job)

    def let_go(tx: Tx, by: Actor) -> BreakerState:
        _check_reached(tx, request, name)
        is_new = close_breaker(tx, name, namespace=request.namespace, by=by)
        return BreakerState(job=name, state="closed", changed=is_new)

    return await request.change("close breaker", name, let_go, answers=BreakerState)


def _check_reached(tx: Tx, request: ApiRequest, job: str) -> None:
    if request.credential.queues is None:
        return
    specs = current_specs(tx, {job}, namespace=request.namespace)
    if job not in specs or not request.credential.reaches(specs[job][1].queue):
        raise UnknownJob(job)


def _document(breaker: BreakerView, request: ApiRequest) -> BreakerDocument:
    verb = "open" if breaker.state == "closed" else "close"
    return BreakerDocument(
        job=breaker.job,
        state=breaker.state,
        rule=breaker.rule,
        good=breaker.good,
        bad=breaker.bad,
        held=breaker.held,
        opened_at=when(breaker.opened_at),
        probe_at=when(breaker.probe_at),
        probe_id=breaker.probe_id,
        stays=breaker.stays,
        note=breaker.note,
        changed_at=then(breaker.changed_at),
        verbs=offered(request.credential, verb),
    )


ROUTES = (list_breakers, open_one, close_one)
