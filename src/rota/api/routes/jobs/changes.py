"""How the definition of a job is put on record, with its schedule, and taken off again."""

from __future__ import annotations

from typing import Any

import msgspec

from rota.api.routes.jobs.bodies import HttpBody, JobBody, JobMade
from rota.api.server.request import ApiRequest
from rota.engine.identity.audit_log import Actor
from rota.engine.jobs.definitions import (
    CODE,
    JobView,
    current_specs,
    define,
    jobs,
    lock_job,
    origin_of,
)
from rota.engine.locks import lock_name
from rota.engine.schedules import definitions as timing
from rota.engine.schedules.calendars import calendars
from rota.engine.schedules.views import ScheduleView, schedules
from rota.errors import BadOption, NotAllowed, NotPermitted, UnknownJob
from rota.ids import new_id
from rota.model.spec import CommandTarget, HttpTarget
from rota.operations.etags import check_match, etag_of
from rota.operations.paging import MOST
from rota.operations.permissions import check_rights
from rota.rules.failures.on_failure import check_takes
from rota.rules.jobs.definitions import Definition, command_target, define_job, http_target
from rota.rules.schedules.options import read_schedule
from rota.rules.text.checks import hint
from rota.store.base import Tx

ORIGIN = "api"


async def put_job(
    request: ApiRequest, data: JobBody, *, is_new: bool, if_match: str | None = None
) -> JobMade:
    """A definition and what belongs to it, in one change."""

    def put_it(tx: Tx, by: Actor) -> JobMade:
        if is_new:
            lock_name(tx, "job", data.name, namespace=request.namespace)
        check_state(tx, request, data.name, if_match)
        definition = _definition(tx, request, data)
        check_rights(tx, request, *definition.specs)
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


def _definition(tx: Tx, request: ApiRequest, data: JobBody) -> Definition:
    target = _target(data)
    known = current_specs(tx, data.dependencies, namespace=request.namespace)
    for name in data.dependencies:
        if name not in known or not request.credential.reaches(known[name][1].queue):
            raise BadOption(f"dependencies: no job is named {name!r:.140}")
        if name == data.name:
            raise BadOption("dependencies: a job cannot come after itself")
    wanted = {name: known[name][1] for name in data.dependencies}
    if data.on_failure is not None:
        _check_told(tx, request, data.name, data.on_failure)
    return define_job(data.name, target, data.options(), wanted)


def _check_told(tx: Tx, request: ApiRequest, name: str, told: str) -> None:
    """BadOption if the job is not there, or out of reach, which looks the same; or needs more."""
    reaches = request.credential.reaches
    found = current_specs(tx, [told], namespace=request.namespace)
    if told in found and reaches(found[told][1].queue):
        check_takes(name, found[told][1])
    elif told != name:  # that is refused with its own words
        every = jobs(tx, namespace=request.namespace)
        near = hint(told, [view.name for view in every if reaches(view.spec.queue)])
        raise BadOption(f"on_failure: no job is named {told!r:.140}.{near}")


def _target(data: JobBody) -> CommandTarget | HttpTarget:
    for name, given in (("command", data.command), ("http", data.http)):
        if given is None:
            raise BadOption(f"{name}: null is no definition; leave it out")
    if isinstance(data.command, str | list):
        if data.http is not msgspec.UNSET:
            raise BadOption("give exactly one of command and http")
        return command_target(data.command, env=data.env, cwd=data.cwd)
    if not isinstance(data.http, HttpBody):
        raise BadOption("give exactly one of command and http")
    if data.env or data.cwd is not None:
        raise BadOption(f"{'env' if data.env else 'cwd'}: it goes with command, not with http")
    asked = data.http
    return http_target(
        asked.url,
        method=asked.method,
        headers=asked.headers,
        body=asked.body,
        expect=asked.expect,
    )


def _check_present(tx: Tx, request: ApiRequest, definition: Definition, *, is_new: bool) -> None:
    at = {"namespace": request.namespace}
    names = [spec.name for spec in definition.specs]
    present = current_specs(tx, names, **at)
    for spec in definition.specs:
        refuse_others(origin_of(tx, spec.name, **at), spec.name)
        if spec.name in present and not request.credential.reaches(present[spec.name][1].queue):
            raise NotPermitted(
                f"there is a job {spec.name} of a queue that the credential does not reach; "
                "take another name"
            )
        is_other = spec.name in present and present[spec.name][1] != spec
        if is_new and is_other:
            raise NotAllowed(f"there is a job {spec.name} with another definition; PUT replaces it")


def refuse_others(origin: str | None, name: str) -> None:
    """What code or a file defines is changed there."""
    if origin is not None and origin != ORIGIN:
        whose = "the code of an app" if origin == CODE else f"the file {origin.partition(':')[2]}"
        raise NotAllowed(f"job {name} is defined by {whose}; change it there")


def _put_schedule(tx: Tx, request: ApiRequest, data: JobBody, by: Actor) -> str:
    """Under the name of the job; one that is left out now is taken away."""
    at = {"namespace": request.namespace}
    own = own_schedules(tx, request, data.name)
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
        compiled=request.server_state.app.schedules.compiled,
        new_id=new_id,
        namespace=request.namespace,
    )
    return "paused" if schedule.is_paused else "scheduled"


def own_schedules(tx: Tx, request: ApiRequest, job: str) -> list[ScheduleView]:
    """The schedules of a job that came through the API."""
    found = schedules(tx, namespace=request.namespace, job=job, limit=MOST)
    return [each for each in found if each.origin == "api"]


def reached_job(tx: Tx, request: ApiRequest, name: str) -> JobView:
    """The job, if it is of the namespace and a queue that the credential reaches."""
    found = jobs(tx, namespace=request.namespace, name=name)
    if not found or not request.credential.reaches(found[0].spec.queue):
        raise UnknownJob(name)
    return found[0]


def job_etag(view: JobView, own: list[ScheduleView]) -> str:
    """Another one after each change of the definition, the weights or its own schedule."""
    timed = [(each.name, each.revision) for each in own]
    return etag_of(view.name, view.version, view.origin, view.weights, timed)


def check_state(tx: Tx, request: ApiRequest, name: str, if_match: str | None) -> None:
    """Outdated unless the job is as the client has read it; nobody changes it until the end."""
    if if_match is None:
        return
    lock_job(tx, name, namespace=request.namespace)
    found = jobs(tx, namespace=request.namespace, name=name)
    etag = job_etag(found[0], own_schedules(tx, request, name)) if found else None
    check_match(if_match, etag)
