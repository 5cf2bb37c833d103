"""Operations on jobs: list them, show one and its parameters, hold its runs back, let them go."""

from __future__ import annotations

import msgspec

from rota.engine.failures.breakers.control import close_breaker, open_breaker
from rota.engine.jobs.definitions import current_specs
from rota.engine.jobs.views import activity
from rota.engine.runs.lists import newest_of
from rota.engine.schedules.views import schedules
from rota.model.jobs.job import JobDetail, JobEntry, JobPaused, ParameterSchema
from rota.model.view import Page
from rota.operations.caller import Caller
from rota.operations.jobs.job_views import job_detail, job_entry
from rota.operations.jobs.visible import job_etag, job_page, visible_job
from rota.operations.operation import changes, nothing_changed, reads, tell
from rota.operations.paging import MOST, PAGE, Limit
from rota.rules.jobs.definitions import OWN
from rota.rules.jobs.parameter_schema import schema_of
from rota.rules.runs.labels import parse_conditions
from rota.store.base import Tx


@reads("/jobs")
def list_jobs(
    tx: Tx,
    caller: Caller,
    *,
    cursor: str | None = None,
    limit: Limit = PAGE,
    spec: bool = False,
    label: list[str] | None = None,
) -> Page[JobEntry]:
    """By name; `cursor` is the `next` of the page before. `spec=true` tells all of each.

    `label` is `team=billing`, `tier>1` or a name alone; given several times, all must hold.
    """
    wanted = parse_conditions(label)
    page, following = job_page(tx, caller, cursor=cursor, limit=limit, labels=wanted)
    lately = activity(tx, [each.name for each in page], namespace=caller.namespace)
    items = [job_entry(each, lately[each.name], caller.credential, with_spec=spec) for each in page]
    return Page(items=items, next=following)


@reads(
    "/jobs/{job_id}",
    tag=lambda tx, caller, job: job_etag(tx, caller, visible_job(tx, caller, job.name)),
)
def show_job(tx: Tx, caller: Caller, job_id: str) -> JobDetail:
    """A job as it is defined now, and how its newest run does."""
    here = caller.namespace
    job = visible_job(tx, caller, job_id)
    beside = current_specs(tx, [job_id + OWN], namespace=here)
    return job_detail(
        job,
        activity(tx, [job_id], namespace=here)[job_id],
        caller.credential,
        newest=newest_of(tx, job_id, namespace=here),
        schedules=schedules(tx, job=job_id, limit=MOST, namespace=here),
        own=beside[job_id + OWN][1] if job_id + OWN in beside else None,
    )


@reads("/jobs/{job_id}/parameters")
def show_parameters(tx: Tx, caller: Caller, job_id: str) -> ParameterSchema:
    """The arguments of its runs, as JSON Schema."""
    return msgspec.convert(schema_of(visible_job(tx, caller, job_id).spec), ParameterSchema)


@changes("POST", "/jobs/{job_id}/pause", verb="pause job", subject="job_id")
def pause_job(tx: Tx, caller: Caller, job_id: str, *, note: str | None = None) -> JobPaused:
    """Start no run of this job until it is resumed; what runs goes on, what is asked for waits."""
    visible_job(tx, caller, job_id)
    tell(tx, caller, note=note or None, why=note or None)
    if not open_breaker(tx, job_id, namespace=caller.namespace, note=note):
        nothing_changed(tx, caller)
    return JobPaused(job=job_id, status="paused", note=note)


@changes("POST", "/jobs/{job_id}/resume", verb="resume job", subject="job_id")
def resume_job(tx: Tx, caller: Caller, job_id: str) -> JobPaused:
    """Let the runs of a job go, in their old order; also when its breaker holds them."""
    visible_job(tx, caller, job_id)
    if not close_breaker(tx, job_id, namespace=caller.namespace):
        nothing_changed(tx, caller)
    return JobPaused(job=job_id, status="active")
