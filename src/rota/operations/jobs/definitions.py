"""Operations that define jobs, with the schedules that belong to them, and remove them."""

from __future__ import annotations

from typing import Any

import msgspec

from rota.engine.jobs.definitions import current_specs, define, jobs, lock_job, origin_of, remove
from rota.engine.locks import lock_name
from rota.engine.schedules import definitions as schedule_definitions
from rota.engine.schedules.calendars import calendars
from rota.errors import BadOption, NotAllowed, NotPermitted
from rota.ids import new_id
from rota.model.jobs.job import HttpBody, JobMade, JobRemoved
from rota.model.jobs.spec import CommandTarget, HttpTarget, JobSpec
from rota.operations.caller import Caller
from rota.operations.jobs.bodies import JobBody
from rota.operations.jobs.visible import (
    API,
    check_from_api,
    check_unchanged,
    own_schedules,
    visible_job,
)
from rota.operations.operation import changes, nothing_changed, tell
from rota.operations.permissions import check_rights
from rota.operations.schedules.compiled import compiled_schedules
from rota.rules.failures.on_failure import check_takes
from rota.rules.jobs.definitions import OWN, JobDefinition, command_target, define_job, http_target
from rota.rules.schedules.options import read_schedule
from rota.rules.text.checks import hint
from rota.store.base import Tx


def _present_specs(tx: Tx, caller: Caller, name: str) -> list[JobSpec]:
    found = current_specs(tx, [name], namespace=caller.namespace)
    return [spec for _, spec in found.values()]


@changes(
    "POST",
    "/jobs",
    verb="define job",
    role="author",
    also=("exec",),
    subject="",
    before=lambda tx, caller, body: _present_specs(tx, caller, body.name),
    status=201,
)
def define_new_job(tx: Tx, caller: Caller, body: JobBody) -> JobMade:
    """Define a job. The same definition again is the same version; another one is refused."""
    tell(tx, caller, subject=body.name)
    return put_job(tx, caller, body, is_new=True)


@changes(
    "PUT",
    "/jobs/{job_id}",
    verb="define job",
    role="author",
    also=("exec",),
    subject="job_id",
    before=lambda tx, caller, job_id, *_, **__: _present_specs(tx, caller, job_id),
)
def replace_job(
    tx: Tx, caller: Caller, job_id: str, body: JobBody, *, if_match: str | None = None
) -> JobMade:
    """Make this the current version of a job; runs that were accepted keep theirs."""
    if body.name != job_id:
        raise BadOption(f"name: {body.name!r:.140} is called {job_id!r:.140} in the path")
    return put_job(tx, caller, body, is_new=False, if_match=if_match)


@changes(
    "DELETE",
    "/jobs/{job_id}",
    verb="remove job",
    role="author",
    subject="job_id",
    before=lambda tx, caller, job_id, **_: visible_job(tx, caller, job_id).spec,
)
def remove_job(tx: Tx, caller: Caller, job_id: str, *, if_match: str | None = None) -> JobRemoved:
    """Take a job off the record, with its schedules; runs that wait are still carried out."""
    job = visible_job(tx, caller, job_id)
    check_unchanged(tx, caller, job_id, if_match)
    check_from_api(job.origin, job_id)
    for each in own_schedules(tx, caller, job_id):
        schedule_definitions.remove(tx, each.name, namespace=caller.namespace)
    remove(tx, job_id, namespace=caller.namespace)
    remove(tx, job_id + OWN, namespace=caller.namespace)
    return JobRemoved(job=job_id)


def put_job(
    tx: Tx, caller: Caller, body: JobBody, *, is_new: bool, if_match: str | None = None
) -> JobMade:
    """Put a definition on record, with all that belongs to it."""
    if is_new:
        lock_name(tx, "job", body.name, namespace=caller.namespace)
    check_unchanged(tx, caller, body.name, if_match)
    lock_job(tx, body.name, namespace=caller.namespace)
    definition = _definition(tx, caller, body)
    check_rights(tx, caller, *definition.specs)
    _check_present(tx, caller, definition, is_new=is_new)
    old = _standing(tx, caller, definition)
    version = 0
    for spec in definition.specs:
        version = define(tx, spec, namespace=caller.namespace, origin=API)
    status = _put_schedule(tx, caller, body)
    tell(tx, caller, version=version)
    if _standing(tx, caller, definition) == old:
        nothing_changed(tx, caller)
    return JobMade(job=body.name, status=status, version=version)


def _standing(tx: Tx, caller: Caller, definition: JobDefinition) -> tuple[Any, ...]:
    """Return the versions of what a definition consists of, and the revisions of its schedules."""
    names = [spec.name for spec in definition.specs]
    found = current_specs(tx, names, namespace=caller.namespace)
    timed = {each.id: each.revision for name in names for each in own_schedules(tx, caller, name)}
    return {name: version for name, (version, _) in found.items()}, timed


def _definition(tx: Tx, caller: Caller, body: JobBody) -> JobDefinition:
    target = _target(body)
    known = current_specs(tx, body.dependencies, namespace=caller.namespace)
    for name in body.dependencies:
        if name not in known or not caller.sees(known[name][1].queue):
            raise BadOption(f"dependencies: no job is named {name!r:.140}")
        if name == body.name:
            raise BadOption("dependencies: a job cannot come after itself")
    wanted = {name: known[name][1] for name in body.dependencies}
    options = body.options()
    if "on_failure" in options:
        _check_told(tx, caller, body.name, options["on_failure"])
    return define_job(body.name, target, options, wanted)


def _check_told(tx: Tx, caller: Caller, name: str, told: str) -> None:
    """BadOption if the job in `on_failure` needs more arguments, or does not exist.

    A job that the caller does not reach looks as if it did not exist.
    """
    found = current_specs(tx, [told], namespace=caller.namespace)
    if told in found and caller.sees(found[told][1].queue):
        check_takes(name, found[told][1])
    elif told != name:  # that is refused with its own words
        every = jobs(tx, namespace=caller.namespace)
        near = hint(told, [each.name for each in every if caller.sees(each.spec.queue)])
        raise BadOption(f"on_failure: no job is named {told!r:.140}.{near}")


def _target(body: JobBody) -> CommandTarget | HttpTarget:
    for name, value in (("command", body.command), ("http", body.http)):
        if value is None:
            raise BadOption(f"{name}: null is no definition; leave it out")
    if isinstance(body.command, str | list):
        if body.http is not msgspec.UNSET:
            raise BadOption("give exactly one of command and http")
        return command_target(body.command, env=body.env, cwd=body.cwd)
    if not isinstance(body.http, HttpBody):
        raise BadOption("give exactly one of command and http")
    if body.env or body.cwd is not None:
        raise BadOption(f"{'env' if body.env else 'cwd'}: it goes with command, not with http")
    return http_target(**msgspec.structs.asdict(body.http))


def _check_present(tx: Tx, caller: Caller, definition: JobDefinition, *, is_new: bool) -> None:
    at = {"namespace": caller.namespace}
    names = [spec.name for spec in definition.specs]
    present = current_specs(tx, names, **at)
    for spec in definition.specs:
        check_from_api(origin_of(tx, spec.name, **at), spec.name)
        if spec.name in present and not caller.sees(present[spec.name][1].queue):
            raise NotPermitted(
                f"there is a job {spec.name} of a queue that the credential does not reach; "
                "take another name"
            )
        is_other = spec.name in present and present[spec.name][1] != spec
        if is_new and is_other:
            raise NotAllowed(f"there is a job {spec.name} with another definition; PUT replaces it")


def _put_schedule(tx: Tx, caller: Caller, body: JobBody) -> str:
    """Put the schedule under the name of the job; one that is left out now is removed."""
    at = {"namespace": caller.namespace}
    if body.schedule is None:
        if body.timezone is not None or body.arguments:
            raise BadOption("timezone and arguments are for a schedule, and the job has none")
        for each in own_schedules(tx, caller, body.name):
            schedule_definitions.remove(tx, each.name, **at)
        return "active"
    options: dict[str, Any] = {} if body.timezone is None else {"timezone": body.timezone}
    stored = {name: each.calendar for name, each in calendars(tx, **at).items()}
    schedule = read_schedule(body.schedule, options, calendars=stored)
    if body.arguments:
        schedule = msgspec.structs.replace(schedule, args=body.arguments)
    schedule_definitions.put(
        tx,
        body.name,
        schedule,
        job=body.name,
        origin=API,
        who=caller.actor.who,
        compiled=compiled_schedules(),
        new_id=new_id,
        namespace=caller.namespace,
    )
    return "paused" if schedule.is_paused else "scheduled"
