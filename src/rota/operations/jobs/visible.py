"""The jobs that exist for a caller, and whether a job is still as the caller has read it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rota.engine.jobs.definitions import CODE, JobView, jobs, lock_job
from rota.engine.schedules.views import schedules
from rota.errors import NotAllowed, UnknownJob
from rota.model.jobs.spec import GraphTarget
from rota.model.runs.labels import LabelCondition
from rota.model.schedules.schedule import ScheduleView
from rota.operations.caller import Caller
from rota.operations.etags import check_match, etag_of
from rota.operations.paging import MOST
from rota.rules.runs.labels import matches
from rota.store.base import Tx

MOST_LOOKS = 200
"""After so many pages of jobs that do not match, a page is cut."""
API: Final = "api"
"""The origin of definitions by clients, as opposed to code and files."""


def visible_job(tx: Tx, caller: Caller, name: str) -> JobView:
    """The job, if it is in the caller's namespace and in a queue that the caller sees."""
    found = jobs(tx, namespace=caller.namespace, name=name)
    if not found or not caller.sees(found[0].spec.queue):
        raise UnknownJob(name)
    return found[0]


def job_page(
    tx: Tx,
    caller: Caller,
    *,
    cursor: str | None,
    limit: int,
    only_graphs: bool = False,
    labels: Sequence[LabelCondition] = (),
) -> tuple[list[JobView], str | None]:
    """The jobs that the caller sees, by name, and where the next page begins if there is one."""
    page: list[JobView] = []
    after = cursor or ""
    for _ in range(MOST_LOOKS):
        found = jobs(tx, namespace=caller.namespace, after=after, limit=limit + 1)
        for each in found:
            is_wanted = not only_graphs or isinstance(each.spec.target, GraphTarget)
            is_wanted &= matches(labels, each.spec.run_labels or {})
            if is_wanted and caller.sees(each.spec.queue):
                if len(page) == limit:
                    return page, page[-1].name
                page.append(each)
        if len(found) <= limit:
            return page, None
        after = found[-1].name
    return page, after


def own_schedules(tx: Tx, caller: Caller, job: str) -> list[ScheduleView]:
    """The schedules of a job that came through the API."""
    found = schedules(tx, namespace=caller.namespace, job=job, limit=MOST)
    return [each for each in found if each.origin == API]


def job_etag(tx: Tx, caller: Caller, job: JobView) -> str:
    """Another one after each change of the definition, the weights or its own schedule."""
    timed = [(each.name, each.revision) for each in own_schedules(tx, caller, job.name)]
    return etag_of(job.name, job.version, job.origin, job.weights, timed)


def check_unchanged(tx: Tx, caller: Caller, name: str, if_match: str | None) -> None:
    """Outdated unless the job is as the caller has read it; nobody changes it until the end."""
    if if_match is None:
        return
    lock_job(tx, name, namespace=caller.namespace)
    found = jobs(tx, namespace=caller.namespace, name=name)
    check_match(if_match, job_etag(tx, caller, found[0]) if found else None)


def check_from_api(origin: str | None, name: str) -> None:
    """NotAllowed for a job that code or a file defines: it is changed there."""
    if origin is not None and origin != API:
        whose = "the code of an app" if origin == CODE else f"the file {origin.partition(':')[2]}"
        raise NotAllowed(f"job {name} is defined by {whose}; change it there")
