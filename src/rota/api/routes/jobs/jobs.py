"""Jobs: define, look, start by hand, take away."""

from __future__ import annotations

from typing import Annotated

import msgspec
from litestar import delete, get, post, put
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from rota.api.identity.authorization import needs
from rota.api.routes.jobs.bodies import JobBody, JobMade, Removed, TriggerBody, Triggered
from rota.api.routes.jobs.changes import (
    check_state,
    job_etag,
    own_schedules,
    put_job,
    reached_job,
    refuse_others,
)
from rota.api.routes.jobs.documents import JobDocument, JobEntry, job_document, job_entry
from rota.api.routes.runs.bodies import SubmitBody
from rota.api.routes.runs.runs import submit_all
from rota.api.routes.schedules.schedules import start_schedule
from rota.api.server.edge import named
from rota.api.server.etags import IfMatch, show_etag
from rota.api.server.request import ApiRequest
from rota.engine.identity.audit_log import Actor
from rota.engine.jobs.definitions import JobView, current_specs, jobs, remove
from rota.engine.jobs.views import activity
from rota.engine.runs.lists import newest_of
from rota.engine.schedules import definitions as timing
from rota.engine.schedules.views import schedules
from rota.errors import BadInput, BadOption, NotAllowed
from rota.model.spec import GraphTarget
from rota.model.view import Page
from rota.operations.paging import MOST, PAGE
from rota.rules.jobs.definitions import OWN
from rota.store.base import Tx

Limit = Annotated[int, QueryParameter(ge=1, le=MOST)]


@post("/jobs", **needs("author", changes=True, also=("exec",)))
async def define_new_job(request: ApiRequest, data: JSONBody[JobBody]) -> JobMade:
    """Define a job. The same definition again is the same version; another one is refused."""
    return await put_job(request, data, is_new=True)


@put("/jobs/{job_id:str}", **needs("author", changes=True, also=("exec",)))
async def replace_job(
    request: ApiRequest, job_id: FromPath[str], data: JSONBody[JobBody], if_match: IfMatch = None
) -> JobMade:
    """Make this the current version of a job; runs that were accepted keep theirs."""
    if data.name != named(job_id):
        raise BadOption(f"name: {data.name!r:.140} is called {named(job_id)!r:.140} in the path")
    return await put_job(request, data, is_new=False, if_match=if_match)


@get("/jobs", **needs("viewer"))
async def list_jobs(
    request: ApiRequest,
    *,
    cursor: FromQuery[str | None] = None,
    limit: Limit = PAGE,
    spec: FromQuery[bool] = False,
) -> Page[JobEntry]:
    """By name; `cursor` is the `next` of the page before. `spec=true` tells all of each."""

    def look(tx: Tx) -> Page[JobEntry]:
        page, following = job_page(tx, request, cursor=cursor, limit=limit)
        lately = activity(tx, [each.name for each in page], namespace=request.namespace)
        items = [
            job_entry(each, lately[each.name], request.credential, with_spec=spec) for each in page
        ]
        return Page(items=items, next=following)

    return await request.read(look)


@get("/jobs/{job_id:str}", **needs("viewer"))
async def show_job(request: ApiRequest, job_id: FromPath[str]) -> JobDocument:
    """A job as it is defined now, and how its newest run does."""
    name = named(job_id)

    def look(tx: Tx) -> tuple[JobDocument, str]:
        view = reached_job(tx, request, name)
        beside = current_specs(tx, [name + OWN], namespace=request.namespace)
        found = job_document(
            view,
            activity(tx, [name], namespace=request.namespace)[name],
            request.credential,
            newest=newest_of(tx, name, namespace=request.namespace),
            schedules=schedules(tx, namespace=request.namespace, job=name, limit=MOST),
            own=beside[name + OWN][1] if name + OWN in beside else None,
        )
        return found, job_etag(view, own_schedules(tx, request, name))

    found, etag = await request.read(look)
    show_etag(request, etag)
    return found


@post("/jobs/{job_id:str}/trigger", **needs("operator", changes=True))
async def trigger_job(
    request: ApiRequest, job_id: FromPath[str], data: JSONBody[TriggerBody | None] = None
) -> Triggered:
    """Start a job once, now; one with a schedule for the time that `scheduledFor` says."""
    if data is not None and data.scheduled_for is not None:
        return await _start_for(request, named(job_id), data)
    asked = SubmitBody(job=named(job_id), args=data.args if data else {})
    answer = await submit_all(request, [asked], verb="trigger job")
    return Triggered(run_id=answer.runs[0].id, status="queued")


async def _start_for(request: ApiRequest, job: str, data: TriggerBody) -> Triggered:
    """Through its schedule, which knows what comes between two of its times."""

    def look(tx: Tx) -> list[str]:
        reached_job(tx, request, job)
        found = schedules(tx, namespace=request.namespace, job=job, limit=MOST)
        return [each.name for each in found]

    names = await request.read(look)
    name = job if job in names else names[0] if len(names) == 1 else None
    if name is None:
        raise BadInput(
            f"scheduledFor: job {job} has {len(names)} schedules; POST "
            "/schedules/NAME/trigger starts one of them for that time"
        )
    started = await start_schedule(request, name, data)
    if started.run_id is None:
        raise NotAllowed(f"{job} was not started: its schedule says {started.decision}")
    return Triggered(run_id=started.run_id, status="queued")


@delete("/jobs/{job_id:str}", **needs("author", changes=True), status_code=200)
async def remove_job(
    request: ApiRequest, job_id: FromPath[str], if_match: IfMatch = None
) -> Removed:
    """Take a job off the record, with its schedules; runs that wait are still carried out."""
    name = named(job_id)

    def take_away(tx: Tx, _: Actor) -> Removed:
        view = reached_job(tx, request, name)
        check_state(tx, request, name, if_match)
        refuse_others(view.origin, name)
        for each in own_schedules(tx, request, name):
            timing.remove(tx, each.name, namespace=request.namespace)
        remove(tx, name, namespace=request.namespace)
        remove(tx, name + OWN, namespace=request.namespace)
        return Removed(job=name, status="deleted")

    return await request.change(
        "remove job",
        name,
        take_away,
        answers=Removed,
        before=lambda tx: msgspec.to_builtins(reached_job(tx, request, name).spec),
    )


def job_page(
    tx: Tx, request: ApiRequest, *, cursor: str | None, limit: int, only_graphs: bool = False
) -> tuple[list[JobView], str | None]:
    """Those that the credential reaches, and where the next page begins if there is one."""
    page: list[JobView] = []
    after = cursor or ""
    while True:
        found = jobs(tx, namespace=request.namespace, after=after, limit=limit + 1)
        for each in found:
            is_wanted = not only_graphs or isinstance(each.spec.target, GraphTarget)
            if is_wanted and request.credential.reaches(each.spec.queue):
                if len(page) == limit:
                    return page, page[-1].name
                page.append(each)
        if len(found) <= limit:
            return page, None
        after = found[-1].name


ROUTES = (define_new_job, replace_job, list_jobs, show_job, trigger_job, remove_job)
