"""Jobs: define, look, start by hand, take away."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from litestar import delete, get, post, put
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from rota.api.ask import Ask
from rota.api.documents import MOST, PAGE, Page, when
from rota.api.doors import named
from rota.api.gate import needs
from rota.api.routes.job_documents import (
    JobBody,
    JobDocument,
    JobMade,
    JobSummary,
    Removed,
    TriggerBody,
    Triggered,
    job_document,
    kind_of,
)
from rota.api.routes.job_specs import whole_spec
from rota.api.routes.run_documents import SubmitBody
from rota.api.routes.runs import submit_all
from rota.engine import schedules as timing
from rota.engine.acts import By
from rota.engine.calendars import calendars
from rota.engine.inspect import runs
from rota.engine.jobs import CODE, current_specs, define, jobs, origin_of, remove
from rota.engine.schedule_views import ScheduleView, schedules
from rota.errors import BadOption, NotAllowed, NotPermitted, UnknownJob
from rota.ids import new_id
from rota.model.spec import JobSpec
from rota.rules.definitions import OWN, Definition, command_target, define_job, http_target
from rota.rules.schedule_options import read_schedule
from rota.store.base import Tx

ORIGIN = "api"
Limit = Annotated[int, QueryParameter(ge=1, le=MOST)]


@post("/jobs", **needs("author", changes=True, also=("exec",)))
async def define_new_job(request: Ask, data: JSONBody[JobBody]) -> JobMade:
    """Define a job. The same definition again is the same version; another one is refused."""
    return await _put(request, data, is_new=True)


@put("/jobs/{job_id:str}", **needs("author", changes=True, also=("exec",)))
async def replace_job(request: Ask, job_id: FromPath[str], data: JSONBody[JobBody]) -> JobMade:
    """Make this the current version of a job; runs that were accepted keep theirs."""
    if data.name != named(job_id):
        raise BadOption(f"name: {data.name!r:.140} is called {named(job_id)!r:.140} in the path")
    return await _put(request, data, is_new=False)


@get("/jobs", **needs("viewer"))
async def list_jobs(
    request: Ask,
    *,
    before: FromQuery[str | None] = None,
    limit: Limit = PAGE,
    spec: FromQuery[bool] = False,
) -> Page[JobSummary]:
    """By name; `before` is the `next` of the page before. `spec=true` tells all of each."""
    views = await request.read(lambda tx: jobs(tx, namespace=request.namespace))
    reached = [each for each in views if request.credential.reaches(each.spec.queue)]
    rest = [each for each in reached if before is None or each.name > before]
    page = rest[:limit]
    items = [
        JobSummary(
            job=each.name,
            version=each.version,
            kind=kind_of(each.spec),
            origin=each.origin,
            queue=each.spec.queue,
            created_at=when(each.created_at),
            breaker=each.breaker,
            spec=whole_spec(each.spec, request.credential) if spec else None,
        )
        for each in page
    ]
    return Page(items=items, next=page[-1].name if len(rest) > limit else None)


@get("/jobs/{job_id:str}", **needs("viewer"))
async def show_job(request: Ask, job_id: FromPath[str]) -> JobDocument:
    """A job as it is defined now, and how its newest run does."""
    name = named(job_id)

    def look(tx: Tx) -> JobDocument:
        version, spec = _reached(tx, request, name)
        at = {"namespace": request.namespace, "job": name}
        newest = runs(tx, limit=1, **at)  # type: ignore[arg-type]  # one namespace, one job
        return job_document(
            spec,
            version,
            origin_of(tx, name, namespace=request.namespace) or CODE,
            newest=newest[0] if newest else None,
            schedules=schedules(tx, limit=MOST, **at),  # type: ignore[arg-type]
        )

    return await request.read(look)


@post("/jobs/{job_id:str}/trigger", **needs("operator", changes=True))
async def trigger_job(
    request: Ask, job_id: FromPath[str], data: JSONBody[TriggerBody | None] = None
) -> Triggered:
    """Start a job once, now."""
    asked = SubmitBody(job=named(job_id), args=data.args if data else {})
    answer = await submit_all(request, [asked], verb="trigger job")
    return Triggered(run_id=answer.runs[0].id, status="queued")


@delete("/jobs/{job_id:str}", **needs("author", changes=True), status_code=200)
async def remove_job(request: Ask, job_id: FromPath[str]) -> Removed:
    """Take a job off the record, with its schedules; runs that wait are still carried out."""
    name = named(job_id)

    def take_away(tx: Tx, _: By) -> Removed:
        spec = _reached(tx, request, name)[1]
        _refuse_others(origin_of(tx, name, namespace=request.namespace), name)
        for each in _own_schedules(tx, request, name):
            timing.remove(tx, each.name, namespace=request.namespace)
        remove(tx, spec.name, namespace=request.namespace)
        remove(tx, spec.name + OWN, namespace=request.namespace)
        return Removed(job=name, status="deleted")

    return await request.change(
        "remove job",
        name,
        take_away,
        answers=Removed,
        before=lambda tx: msgspec.to_builtins(_reached(tx, request, name)[1]),
    )


async def _put(request: Ask, data: JobBody, *, is_new: bool) -> JobMade:
    def put_it(tx: Tx, by: By) -> JobMade:
        definition = _definition(tx, request, data)
        _check_rights(request, definition)
        _check_present(tx, request, definition, is_new=is_new)
        version = 0
        for spec in definition.specs:
            version = define(tx, spec, namespace=request.namespace, origin=ORIGIN)
        status = _put_schedule(tx, request, data, by)
        return JobMade(job=data.name, status=status, version=version)

    return await request.change(
        "define job",
        data.name,
        put_it,
        answers=JobMade,
        before=lambda tx: [
            msgspec.to_builtins(spec)
            for _, spec in current_specs(tx, [data.name], namespace=request.namespace).values()
        ],
    )


def _definition(tx: Tx, request: Ask, data: JobBody) -> Definition:
    if (data.command is None) == (data.http is None):
        raise BadOption("give exactly one of command and http")
    target: Any
    if data.command is not None:
        target = command_target(data.command, env=data.env, cwd=data.cwd)
    else:
        asked = data.http
        assert asked is not None  # noqa: S101  # one of the two is there
        target = http_target(
            asked.url,
            method=asked.method,
            headers=asked.headers,
            body=asked.body,
            expect=asked.expect,
        )
    known = current_specs(tx, data.dependencies, namespace=request.namespace)
    for name in data.dependencies:
        if name not in known or not request.credential.reaches(known[name][1].queue):
            raise BadOption(f"dependencies: no job is named {name!r:.140}")
        if name == data.name:
            raise BadOption("dependencies: a job cannot come after itself")
    wanted = {name: known[name][1] for name in data.dependencies}
    return define_job(data.name, target, data.options(), wanted)


def _check_rights(request: Ask, definition: Definition) -> None:
    if definition.runs_programs and not request.credential.has("exec"):
        raise NotPermitted("a job that runs a program needs the role exec as well")
    for spec in definition.specs:
        if not request.credential.reaches(spec.queue):
            raise NotPermitted(f"the credential does not reach the queue {spec.queue}")


def _check_present(tx: Tx, request: Ask, definition: Definition, *, is_new: bool) -> None:
    at = {"namespace": request.namespace}
    names = [spec.name for spec in definition.specs]
    present = current_specs(tx, names, **at)
    for spec in definition.specs:
        _refuse_others(origin_of(tx, spec.name, **at), spec.name)
        is_other = spec.name in present and present[spec.name][1] != spec
        if is_new and is_other:
            raise NotAllowed(f"there is a job {spec.name} with another definition; PUT replaces it")


def _refuse_others(origin: str | None, name: str) -> None:
    if origin is not None and origin != ORIGIN:
        whose = "the code of an app" if origin == CODE else f"the file {origin.partition(':')[2]}"
        raise NotAllowed(f"job {name} is defined by {whose}; change it there")


def _put_schedule(tx: Tx, request: Ask, data: JobBody, by: By) -> str:
    """Under the name of the job; one that is left out now is taken away."""
    at = {"namespace": request.namespace}
    own = _own_schedules(tx, request, data.name)
    if data.schedule is None:
        if data.timezone is not None or data.arguments:
            raise BadOption("timezone and arguments are for a schedule, and the job has none")
        for each in own:
            timing.remove(tx, each.name, **at)
        return "active"
    options: dict[str, Any] = {} if data.timezone is None else {"timezone": data.timezone}
    stored = {name: each.calendar for name, each in calendars(tx, **at).items()}
    schedule = read_schedule(data.schedule, options, calendars=stored)
    if data.arguments:
        schedule = msgspec.structs.replace(schedule, args=data.arguments)
    timing.put(
        tx,
        data.name,
        schedule,
        job=data.name,
        origin="api",
        who=by.who,
        timetables=request.site.app.schedules.timetables,
        new_id=new_id,
        **at,
    )
    return "paused" if schedule.is_paused else "scheduled"


def _own_schedules(tx: Tx, request: Ask, job: str) -> list[ScheduleView]:
    found = schedules(tx, namespace=request.namespace, job=job, limit=MOST)
    return [each for each in found if each.origin == "api"]


def _reached(tx: Tx, request: Ask, name: str) -> tuple[int, JobSpec]:
    found = current_specs(tx, [name], namespace=request.namespace).get(name)
    if found is None or not request.credential.reaches(found[1].queue):
        raise UnknownJob(name)
    return found


ROUTES = (define_new_job, replace_job, list_jobs, show_job, trigger_job, remove_job)
