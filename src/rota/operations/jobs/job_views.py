"""Views of jobs, made from the record and from what the caller may see and do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from rota.clock import moment
from rota.engine.jobs.definitions import JobView
from rota.engine.jobs.views import Activity
from rota.model.admission.breaker import BreakerBody
from rota.model.identity.credentials import Credential
from rota.model.jobs.job import DefinitionView, HttpBody, JobDetail, JobEntry, kind_of
from rota.model.jobs.spec import CommandTarget, GraphTarget, HttpTarget, JobSpec, PythonTarget
from rota.model.runs.run import RunView
from rota.model.schedules.schedule import ScheduleView
from rota.operations.jobs.redaction import may_see, visible_spec
from rota.operations.jobs.visible import API
from rota.rules.failures.on_failure import told_by
from rota.rules.jobs.definitions import OWN
from rota.rules.security.rights import power_of
from rota.rules.security.web_address import shown_address

PERCENT = 100


def job_entry(
    job: JobView, activity: Activity, credential: Credential, *, with_spec: bool
) -> JobEntry:
    """A job in the list of all."""
    spec = visible_spec(job.spec, credential) if with_spec else None
    return JobEntry(**job_facts(job, activity, credential), spec=spec)


def job_detail(
    job: JobView,
    activity: Activity,
    credential: Credential,
    *,
    newest: RunView | None,
    schedules: Sequence[ScheduleView],
    own: JobSpec | None,
) -> JobDetail:
    """All about a job; `own` is the job of its command, if that is one beside it."""
    spec = job.spec
    definition = definition_view(spec, credential, own=own, schedules=schedules)
    return JobDetail(
        **job_facts(job, activity, credential),
        status=str(newest.state) if newest else _idle_status(schedules),
        started_at=newest.started_at if newest else None,
        progress=_percent(newest.progress) if newest else None,
        run_id=newest.id if newest else None,
        priority=spec.priority,
        retries=spec.retry.limit,
        timeout=_seconds(spec.timeout_ms),
        command=definition.command if own is None else None,
        url=shown_address(spec.target.url) if isinstance(spec.target, HttpTarget) else None,
        dependencies=definition.dependencies,
        parameters=spec.parameters,
        schedule_names=[each.name for each in schedules],
        definition=definition,
    )


def definition_view(
    spec: JobSpec,
    credential: Credential,
    *,
    own: JobSpec | None = None,
    schedules: Sequence[ScheduleView] = (),
) -> DefinitionView:
    """A definition with the values of variables and headers only for those who may write it."""
    work = own or spec
    is_shown = may_see(work, credential)
    command = work.target if isinstance(work.target, CommandTarget) else None
    http = work.target if isinstance(work.target, HttpTarget) else None
    made = [each for each in schedules if each.origin == API and each.name == spec.name]
    timed = made[0].schedule if made else None
    return DefinitionView(
        name=spec.name,
        kind=kind_of(spec),
        command=command.argv if command else None,
        env=dict(command.env) if command and is_shown else None,
        cwd=command.cwd if command else None,
        http=_http(http, is_shown=is_shown) if http else None,
        function=spec.target.ref if isinstance(spec.target, PythonTarget) else None,
        dependencies=_dependencies_of(spec),
        queue=work.queue,
        priority=work.priority,
        retries=work.retry.limit,
        backoff=work.retry.backoff,
        retry_delay=work.retry.delay_ms / 1000,
        retry_cap=work.retry.cap_ms / 1000,
        retry_within=_seconds(work.retry.within_ms),
        jitter=work.retry.jitter,
        breaker=BreakerBody(**msgspec.structs.asdict(work.breaker)) if work.breaker else None,
        timeout=_seconds(work.timeout_ms),
        expires=_seconds(work.expires_ms),
        deadline=spec.deadline or None,
        on_failure=told_by(spec),
        schedule=_without_args(msgspec.to_builtins(timed)) if timed else None,
        arguments=dict(timed.args) if timed else {},
        labels=spec.run_labels or {},
    )


def job_verbs(job: JobView, credential: Credential) -> tuple[str, ...]:
    """Return the verbs that this credential may use on a job now."""
    verbs: list[str] = []
    if credential.has("operator"):
        verbs += ["trigger", "resume" if job.is_held else "pause"]
    if credential.has("author"):
        verbs += ["weights"]
        may_define = power_of(job.spec) is None or credential.has("exec")
        if job.origin == API and may_define:
            verbs += ["edit", "rollback"]
        if job.origin == API:
            verbs += ["delete"]
    return tuple(verbs)


def job_facts(job: JobView, activity: Activity, credential: Credential) -> dict[str, Any]:
    """The fields of JobItem, for views that have more of them."""
    return {
        "job": job.name,
        "name": job.name,
        "kind": kind_of(job.spec),
        "queue": job.spec.queue,
        "version": job.version,
        "origin": job.origin,
        "created_at": moment(job.created_at),
        "paused": job.is_held,
        "note": job.note,
        "breaker": job.breaker,
        "weights": job.weights,
        "schedules": activity.schedules,
        "next_fire_at": None if activity.next_at is None else moment(activity.next_at),
        "last": activity.last,
        "success_rate": activity.success_rate,
        "p50_ms": activity.p50_ms,
        "p95_ms": activity.p95_ms,
        "running": activity.running,
        "queued": activity.queued,
        "verbs": job_verbs(job, credential),
        "labels": job.spec.run_labels or {},
    }


def _idle_status(schedules: Sequence[ScheduleView]) -> str:
    """The status of a job without runs."""
    if any(each.state == "active" for each in schedules):
        return "scheduled"
    return "paused" if any(each.state == "paused" for each in schedules) else "active"


def _dependencies_of(spec: JobSpec) -> list[str]:
    if not isinstance(spec.target, GraphTarget):
        return []
    nodes = spec.target.graph.nodes
    own = spec.name + OWN
    return [each.job or each.graph or "" for each in nodes if (each.job or each.graph) != own]


def _http(target: HttpTarget, *, is_shown: bool) -> HttpBody:
    return HttpBody(
        url=shown_address(target.url),
        method=target.method,
        headers=dict(target.headers) if is_shown else {},
        body=target.body,
        expect=list(target.expect),
    )


def _without_args(schedule: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in schedule.items() if name != "args"}


def _seconds(ms: int | None) -> float | None:
    return None if ms is None else ms / 1000


def _percent(share: float | None) -> float | None:
    return None if share is None else round(share * PERCENT, 2)
