"""Jobs as people see them: in a list, in detail, and as they were defined."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from rota.clock import Moment
from rota.model.admission.breaker import BreakerBody, CircuitState
from rota.model.jobs.spec import Backoff, CommandTarget, GraphTarget, HttpTarget, JobSpec
from rota.model.runs.labels import Labels
from rota.model.states import State
from rota.model.view import Body, View

JobKind = Literal["command", "http", "python", "graph"]


def kind_of(spec: JobSpec) -> JobKind:
    """Return the kind of work that a job does."""
    match spec.target:
        case CommandTarget():
            return "command"
        case HttpTarget():
            return "http"
        case GraphTarget():
            return "graph"
    return "python"


class HttpBody(Body):
    """A request to be made."""

    url: str
    method: str = "POST"
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    body: str | None = None
    expect: list[int] = msgspec.field(default_factory=list)
    """Statuses that count as success; any 2xx if none."""


class RunOutcome(View, frozen=True):
    """A run that has ended, in brief."""

    run_id: str = msgspec.field(name="executionId")
    state: State
    started_at: Moment | None
    duration_ms: int | None


class JobItem(View, frozen=True, kw_only=True):
    """A job in a list: what it is, how it did lately, what it does now."""

    job: str = msgspec.field(name="jobId")
    name: str
    kind: JobKind
    queue: str
    version: int
    origin: str
    """code, api, or file: and a name."""
    created_at: Moment
    """The time at which this version was stored."""
    paused: bool
    """Its runs wait until a person lets them go."""
    note: str | None
    """Why it is paused, if somebody said."""
    breaker: CircuitState | None
    weights: dict[int, int]
    """From version to weight; empty: all runs get the current version."""
    schedules: int
    next_fire_at: Moment | None
    last: tuple[RunOutcome, ...]
    """Up to 30 runs that have ended, the newest first."""
    success_rate: float | None
    """The share of successes among these runs; cancelled and skipped ones do not count."""
    p50_ms: int | None = msgspec.field(name="p50Ms")
    """Half of those that succeeded took no longer."""
    p95_ms: int | None = msgspec.field(name="p95Ms")
    running: int
    queued: int
    """Among the next 5,000 of each queue."""
    verbs: tuple[str, ...]
    """The verbs that the caller may use on it now."""
    labels: Labels = msgspec.field(default_factory=dict)
    """Labels that its runs get."""


class JobEntry(JobItem, frozen=True):
    """A job in the list of all."""

    spec: JobSpec | None = None
    """All of its definition as the store keeps it, if asked for with `spec=true`."""


class DefinitionView(View, frozen=True):
    """A version of a job, in the words of what defines one; empty where it is of another kind."""

    name: str
    kind: JobKind
    command: tuple[str, ...] | None
    env: dict[str, str] | None
    """For those who may change it; others see none."""
    cwd: str | None
    http: HttpBody | None
    """With headers for those who may change it."""
    function: str | None
    """The import path of a job of code."""
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
    deadline: str | None = None
    """By when its runs have to have ended."""
    schedule: dict[str, Any] | None = None
    """The one that was defined with it."""
    arguments: dict[str, Any] = msgspec.field(default_factory=dict)
    labels: Labels = msgspec.field(default_factory=dict)


class JobDetail(JobItem, frozen=True):
    """A job, and how its newest run does."""

    status: str
    """The state of its newest run; before the first run `scheduled`, `paused` or `active`."""
    started_at: Moment | None
    progress: float | None
    """Percent."""
    run_id: str | None = msgspec.field(name="executionId")
    """Its newest run."""
    priority: int
    retries: int
    timeout: float | None
    """Seconds."""
    command: tuple[str, ...] | None
    url: str | None
    dependencies: list[str]
    parameters: dict[str, str]
    schedule_names: list[str]
    definition: DefinitionView


class JobMade(View, frozen=True):
    """A definition on record."""

    job: str = msgspec.field(name="jobId")
    status: str
    """scheduled, or active when nothing but a trigger starts it."""
    version: int


class JobPaused(View, frozen=True):
    """Whether the runs of a job wait."""

    job: str = msgspec.field(name="jobId")
    status: Literal["paused", "active"]
    note: str | None = None


class JobRemoved(View, frozen=True):
    """A job that is off the record."""

    job: str = msgspec.field(name="jobId")
    status: Literal["deleted"] = "deleted"


class Triggered(View, frozen=True):
    """The run that was started."""

    run_id: str = msgspec.field(name="executionId")
    status: Literal["queued"] = "queued"


class ParameterSchema(View, frozen=True):
    """The arguments of a job's runs, as JSON Schema."""

    schema: str = msgspec.field(name="$schema")
    title: str
    type: Literal["object"]
    properties: dict[str, dict[str, Any]]
    more: dict[str, Any] | bool = msgspec.field(name="additionalProperties")
    """The schema of arguments with other names; false if there can be none."""
    required: list[str] | msgspec.UnsetType = msgspec.UNSET
    """Left out of a function whose defaults are not on record."""
