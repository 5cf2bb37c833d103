"""Jobs as clients define and start them, and the short answers to that."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import msgspec

from rota.api.server.documents import Document
from rota.model.spec import Breaker
from rota.model.view import Body


class HttpBody(Body):
    """A request to be made."""

    url: str
    method: str = "POST"
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    body: str | None = None
    expect: list[int] = msgspec.field(default_factory=list)
    """Statuses that count as success; any 2xx if none."""


class BreakerBody(Body):
    """When runs are held back: this share of at least so many attempts in a window ended badly."""

    share: float
    least: int
    window: str | float = "1m"
    cool: str | float = "30s"
    cool_cap: str | float = "10m"
    pauses: bool = False

    @classmethod
    def of(cls, rule: Breaker) -> BreakerBody:
        return cls(**msgspec.structs.asdict(rule))


class JobBody(Body):
    """A definition: what to run, when, and under which policies."""

    name: str
    command: str | list[str] | msgspec.UnsetType | None = msgspec.UNSET
    """One line, split into words as a shell would but given to none, or the words themselves."""
    http: HttpBody | msgspec.UnsetType | None = msgspec.UNSET
    schedule: str | dict[str, Any] | None = None
    """A cron line such as `0 0 * * *`, or an object: `{"every": "10m"}`, with options."""
    timezone: str | None = None
    dependencies: list[str] = msgspec.field(default_factory=list)
    """Jobs that a run of this one runs first."""
    retries: int | None = None
    backoff: Literal["exponential", "fixed", "none"] | None = None
    retry_delay: str | float | None = None
    retry_cap: str | float | None = None
    retry_within: str | float | None = None
    jitter: float | None = None
    breaker: str | BreakerBody | None = None
    """`50% of 20 in 1m`, or the numbers of it."""
    timeout: str | float | None = None
    """Seconds, or a text such as `1h`."""
    queue: str | None = None
    priority: int | Literal["high", "medium", "low"] | None = None
    expires: str | float | None = None
    env: dict[str, str] = msgspec.field(default_factory=dict)
    cwd: str | None = None
    arguments: dict[str, Any] = msgspec.field(default_factory=dict)
    """Of the runs that the schedule starts."""
    on_failure: str | None = None
    """The job that is told when a run has failed for good."""

    def options(self) -> dict[str, Any]:
        """As a job takes them."""
        given = {name: getattr(self, name) for name in _OPTIONS}
        if isinstance(self.breaker, BreakerBody):
            given["breaker"] = Breaker(**msgspec.structs.asdict(self.breaker))
        return {name: value for name, value in given.items() if value is not None}


_OPTIONS = (
    *("retries", "backoff", "retry_delay", "retry_cap", "retry_within", "jitter", "breaker"),
    *("timeout", "queue", "priority", "expires", "on_failure"),
)


class JobMade(Document):
    """A definition on record."""

    job: str = msgspec.field(name="jobId")
    status: str
    """scheduled, or active when nothing but a trigger starts it."""
    version: int


class TriggerBody(Body):
    """What to start a job with."""

    args: dict[str, Any] = msgspec.field(default_factory=dict)
    scheduled_for: datetime | None = None
    """The time that the run is for, of a job with a schedule; now, if left out."""


class Triggered(Document):
    """The run that was started."""

    run_id: str = msgspec.field(name="executionId")
    status: Literal["queued"]


class Removed(Document):
    """A job that is off the record."""

    job: str = msgspec.field(name="jobId")
    status: Literal["deleted"]
