"""Jobs as clients see them."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from rota.api.identity.redaction import may_see
from rota.api.routes.jobs.bodies import BreakerBody, HttpBody
from rota.api.routes.jobs.specs import whole_spec
from rota.api.routes.runs.documents import Status, percent, status_of
from rota.api.server.documents import Document, Moment, text_or_none, then, when
from rota.engine.jobs.definitions import JobView
from rota.engine.jobs.views import Activity, RunOutcome
from rota.engine.schedules.views import ScheduleView
from rota.model.identity import Credential
from rota.model.run import RunView
from rota.model.spec import Backoff, CommandTarget, GraphTarget, HttpTarget, JobSpec, PythonTarget
from rota.rules.failures.on_failure import told_by
from rota.rules.security.rights import power_of
from rota.rules.security.web_address import shown_address

Kind = Literal["command", "http", "python", "graph"]
API = "api"


class OutcomeDocument(Document):
    """A run that has ended, in brief."""

    run_id: str = msgspec.field(name="executionId")
    state: Status
    started_at: Moment | None
    duration_ms: int | None


class JobItem(Document):
    """A job in a list: what it is, how it did lately, what it does now."""

    job: str = msgspec.field(name="jobId")
    name: str
    kind: Kind
    queue: str
    version: int
    origin: str
    """code, api, or file: and a name."""
    created_at: Moment | None
    """Of this version."""
    paused: bool
    note: str | None
    """Why it is paused, if somebody said."""
    breaker: Literal["closed", "open", "half_open"] | None
    weights: dict[str, int]
    """From version to weight; empty: all runs get the current version."""
    schedules: int
    next_fire_at: Moment | None
    last: list[OutcomeDocument]
    """Up to 30 runs that have ended, the newest first."""
    success_rate: float | None
    """Of those; cancelled and skipped ones do not count."""
    p50_ms: int | None = msgspec.field(name="p50Ms")
    """Half of those that succeeded took no longer."""
    p95_ms: int | None = msgspec.field(name="p95Ms")
    running: int
    queued: int
    """Among the next 5,000 of each queue."""
    verbs: list[str]


class DefinitionDocument(Document):
    """A version of a job, in the words of what defines one; empty where it is of another kind."""

    name: str
    kind: Kind
    command: list[str] | None
    env: dict[str, str] | None
    """For those who may change it; others see none."""
    cwd: str | None
    http: HttpBody | None
    """With headers for those who may change it."""
    function: str | None
    """Of a job of code, where it is imported from."""
    dependencies: list[str]
    queue: str
    priority: int
    retries: int
    backoff: Backoff
    retry_delay: float
    retry_cap: float
    retry_within: float | None
    jitter: float
    breaker: BreakerBody | None
    timeout: float | None
    """Seconds, as all durations here."""
    expires: float | None
    on_failure: str | None
    """The job that is told when a run has failed for good."""
    schedule: dict[str, Any] | None = None
    """The one that was defined with it."""
    arguments: dict[str, Any] = msgspec.field(default_factory=dict)


class JobDocument(JobItem):
    """A job, and how its newest run does."""

    status: str
    """Of its newest run; before the first one scheduled, paused or active."""
    started_at: Moment | None
    progress: float | None
    """Percent."""
    run_id: str | None = msgspec.field(name="executionId")
    """Its newest run."""
    priority: int
    retries: int
    timeout: float | None
    """Seconds."""
    command: list[str] | None
    url: str | None
    dependencies: list[str]
    parameters: dict[str, str]
    schedule_names: list[str]
    definition: DefinitionDocument


class JobEntry(JobItem):
    """A job in the list of all."""

    spec: dict[str, Any] | None
    """All of its definition as the store keeps it, if asked for with `spec=true`."""


def job_entry(
    view: JobView, activity: Activity, credential: Credential, *, with_spec: bool
) -> JobEntry:
    spec = whole_spec(view.spec, credential) if with_spec else None
    return JobEntry(**job_facts(view, activity, credential), spec=spec)


def job_document(
    view: JobView,
    activity: Activity,
    credential: Credential,
    *,
    newest: RunView | None,
    schedules: list[ScheduleView],
    own: JobSpec | None,
) -> JobDocument:
    """`own` is the job of its command, if that is one beside it."""
    spec = view.spec
    told = definition_document(spec, credential, own=own, schedules=schedules)
    return JobDocument(
        **job_facts(view, activity, credential),
        status=str(newest.state) if newest else idle_status(schedules),
        started_at=text_or_none(newest.started_at) if newest else None,
        progress=percent(newest.progress) if newest else None,
        run_id=newest.id if newest else None,
        priority=spec.priority,
        retries=spec.retry.limit,
        timeout=_seconds(spec.timeout_ms),
        command=told.command if own is None else None,
        url=shown_address(spec.target.url) if isinstance(spec.target, HttpTarget) else None,
        dependencies=told.dependencies,
        parameters=spec.parameters,
        schedule_names=[each.name for each in schedules],
        definition=told,
    )


def definition_document(
    spec: JobSpec,
    credential: Credential,
    *,
    own: JobSpec | None = None,
    schedules: list[ScheduleView] | None = None,
) -> DefinitionDocument:
    """What is secret by habit, variables and headers, only to those who may write it."""
    work = own or spec
    is_told = may_see(work, credential)
    command = work.target if isinstance(work.target, CommandTarget) else None
    http = work.target if isinstance(work.target, HttpTarget) else None
    made = [each for each in schedules or () if each.origin == API and each.name == spec.name]
    timed = made[0].schedule if made else None
    return DefinitionDocument(
        name=spec.name,
        kind=kind_of(spec),
        command=list(command.argv) if command else None,
        env=dict(command.env) if command and is_told else None,
        cwd=command.cwd if command else None,
        http=_http(http, is_told=is_told) if http else None,
        function=spec.target.ref if isinstance(spec.target, PythonTarget) else None,
        dependencies=dependencies_of(spec),
        queue=work.queue,
        priority=work.priority,
        retries=work.retry.limit,
        backoff=work.retry.backoff,
        retry_delay=work.retry.delay_ms / 1000,
        retry_cap=work.retry.cap_ms / 1000,
        retry_within=_seconds(work.retry.within_ms),
        jitter=work.retry.jitter,
        breaker=BreakerBody.of(work.breaker) if work.breaker else None,
        timeout=_seconds(work.timeout_ms),
        expires=_seconds(work.expires_ms),
        on_failure=told_by(spec),
        schedule=_without_args(msgspec.to_builtins(timed)) if timed else None,
        arguments=dict(timed.args) if timed else {},
    )


def outcome_document(outcome: RunOutcome) -> OutcomeDocument:
    return OutcomeDocument(
        run_id=outcome.run_id,
        state=status_of(outcome.state),
        started_at=when(outcome.started_at),
        duration_ms=outcome.took_ms,
    )


def idle_status(schedules: list[ScheduleView]) -> str:
    """Of a job without runs."""
    if any(each.state == "active" for each in schedules):
        return "scheduled"
    return "paused" if any(each.state == "paused" for each in schedules) else "active"


def kind_of(spec: JobSpec) -> Kind:
    match spec.target:
        case CommandTarget():
            return "command"
        case HttpTarget():
            return "http"
        case GraphTarget():
            return "graph"
    return "python"


def job_verbs(view: JobView, credential: Credential) -> list[str]:
    """What this credential may do to it now."""
    verbs: list[str] = []
    if credential.has("operator"):
        verbs += ["trigger", "resume" if view.is_held else "pause"]
    if credential.has("author"):
        verbs += ["weights"]
        may_define = power_of(view.spec) is None or credential.has("exec")
        if view.origin == API and may_define:
            verbs += ["edit", "rollback"]
        if view.origin == API:
            verbs += ["delete"]
    return verbs


def dependencies_of(spec: JobSpec) -> list[str]:
    if not isinstance(spec.target, GraphTarget):
        return []
    nodes = spec.target.graph.nodes
    own = f"{spec.name}.command"
    return [each.job or each.graph or "" for each in nodes if (each.job or each.graph) != own]


def job_facts(view: JobView, activity: Activity, credential: Credential) -> dict[str, Any]:
    """The fields of JobItem, for what has more of them."""
    return {
        "job": view.name,
        "name": view.name,
        "kind": kind_of(view.spec),
        "queue": view.spec.queue,
        "version": view.version,
        "origin": view.origin,
        "created_at": then(view.created_at),
        "paused": view.is_held,
        "note": view.note,
        "breaker": view.breaker,
        "weights": {str(version): weight for version, weight in view.weights.items()},
        "schedules": activity.schedules,
        "next_fire_at": when(activity.next_at),
        "last": [outcome_document(each) for each in activity.last],
        "success_rate": activity.success_rate,
        "p50_ms": activity.p50_ms,
        "p95_ms": activity.p95_ms,
        "running": activity.running,
        "queued": activity.queued,
        "verbs": job_verbs(view, credential),
    }


def _http(target: HttpTarget, *, is_told: bool) -> HttpBody:
    return HttpBody(
        url=shown_address(target.url),
        method=target.method,
        headers=dict(target.headers) if is_told else {},
        body=target.body,
        expect=list(target.expect),
    )


def _without_args(schedule: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in schedule.items() if name != "args"}


def _seconds(ms: int | None) -> float | None:
    return None if ms is None else ms / 1000
