"""Jobs as clients define and see them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import msgspec

from rota.api.documents import Body, Document, when
from rota.api.routes.run_documents import percent
from rota.engine.schedule_views import ScheduleView
from rota.model.run import RunView
from rota.model.spec import CommandTarget, GraphTarget, HttpTarget, JobSpec

Kind = Literal["command", "http", "python", "graph"]


class HttpBody(Body):
    """A request to be made."""

    url: str
    method: str = "POST"
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    body: str | None = None
    expect: list[int] = msgspec.field(default_factory=list)
    """Statuses that count as success; any 2xx if none."""


class JobBody(Body):
    """A definition: what to run, when, and under which policies."""

    name: str
    command: str | list[str] | None = None
    """One line, split into words as a shell would but given to none, or the words themselves."""
    http: HttpBody | None = None
    schedule: str | dict[str, Any] | None = None
    """A cron line such as `0 0 * * *`, or an object: `{"every": "10m"}`, with options."""
    timezone: str | None = None
    dependencies: list[str] = msgspec.field(default_factory=list)
    """Jobs that a run of this one runs first."""
    retries: int | None = None
    timeout: str | float | None = None
    """Seconds, or a text such as `1h`."""
    queue: str | None = None
    priority: int | Literal["high", "medium", "low"] | None = None
    expires: str | float | None = None
    env: dict[str, str] = msgspec.field(default_factory=dict)
    cwd: str | None = None
    arguments: dict[str, Any] = msgspec.field(default_factory=dict)
    """Of the runs that the schedule starts."""

    def options(self) -> dict[str, Any]:
        """As a job takes them."""
        names = ("retries", "timeout", "queue", "priority", "expires")
        given = {name: getattr(self, name) for name in names}
        return {name: value for name, value in given.items() if value is not None}


class JobMade(Document):
    """A definition on record."""

    job: str = msgspec.field(name="jobId")
    status: str
    """scheduled, or active when nothing but a trigger starts it."""
    version: int


class JobDocument(Document):
    """A job, and how its newest run does."""

    job: str = msgspec.field(name="jobId")
    status: str
    """Of its newest run; before the first one scheduled, paused or active."""
    started_at: datetime | None
    progress: float | None
    """Percent."""
    run_id: str | None = msgspec.field(name="executionId")
    """Its newest run."""
    version: int
    kind: Kind
    origin: str
    """code, api, or file: and a name."""
    queue: str
    priority: int
    retries: int
    timeout: float | None
    """Seconds."""
    command: list[str] | None
    url: str | None
    dependencies: list[str]
    parameters: dict[str, str]
    schedules: list[str]
    next_at: datetime | None


class JobSummary(Document):
    """A job in a list."""

    job: str = msgspec.field(name="jobId")
    version: int
    kind: Kind
    origin: str
    queue: str
    created_at: datetime | None
    breaker: Literal["closed", "open", "half_open"] | None
    spec: dict[str, Any] | None
    """All of its definition as the store keeps it, if asked for with `spec=true`."""


class TriggerBody(Body):
    """What to start a job with."""

    args: dict[str, Any] = msgspec.field(default_factory=dict)


class Triggered(Document):
    """The run that was started."""

    run_id: str = msgspec.field(name="executionId")
    status: Literal["queued"]


class Removed(Document):
    """A job that is off the record."""

    job: str = msgspec.field(name="jobId")
    status: Literal["deleted"]


def job_document(
    spec: JobSpec,
    version: int,
    origin: str,
    *,
    newest: RunView | None,
    schedules: list[ScheduleView],
) -> JobDocument:
    target = spec.target
    nexts = [each.next_at for each in schedules if each.next_at is not None]
    return JobDocument(
        job=spec.name,
        status=str(newest.state) if newest else idle_status(schedules),
        started_at=when(newest.started_at) if newest else None,
        progress=percent(newest.progress) if newest else None,
        run_id=newest.id if newest else None,
        version=version,
        kind=kind_of(spec),
        origin=origin,
        queue=spec.queue,
        priority=spec.priority,
        retries=spec.retry.limit,
        timeout=None if spec.timeout_ms is None else spec.timeout_ms / 1000,
        command=list(target.argv) if isinstance(target, CommandTarget) else None,
        url=target.url if isinstance(target, HttpTarget) else None,
        dependencies=_dependencies(spec),
        parameters=spec.parameters,
        schedules=[each.name for each in schedules],
        next_at=when(min(nexts)) if nexts else None,
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


def _dependencies(spec: JobSpec) -> list[str]:
    if not isinstance(spec.target, GraphTarget):
        return []
    nodes = spec.target.graph.nodes
    own = f"{spec.name}.command"
    return [each.job or each.graph or "" for each in nodes if (each.job or each.graph) != own]
