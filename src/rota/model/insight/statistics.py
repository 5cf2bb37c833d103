"""Figures about runs: the overview of a namespace, statistics of a job, forecasts of schedules."""

from __future__ import annotations

from typing import Literal

from rota.clock import Moment
from rota.model.view import View

ConcernKind = Literal["unserved", "paused", "held", "silent", "lost", "overdue"]


class TimeBucket(View, frozen=True):
    """The runs that ended in a minute or an hour."""

    at: Moment
    success: int
    failed: int
    cancelled: int
    skipped: int
    p50_ms: int | None
    p95_ms: int | None
    """The 95th percentile of their durations, within a tenth."""


class DayCounts(View, frozen=True):
    """The runs that ended in a day, UTC."""

    day: str
    success: int
    failed: int


class Quantiles(View, frozen=True):
    """The distribution of times, within a tenth."""

    p50_ms: int | None
    p95_ms: int | None
    p99_ms: int | None


class Lag(View, frozen=True):
    """The lateness of schedules at their start, in milliseconds."""

    p50: int | None
    p99: int | None


class FailureCause(View, frozen=True):
    """Dead letters of one cause."""

    fingerprint: str
    job: str
    error: str
    count: int
    first_at: Moment
    """In the window."""
    last_at: Moment
    versions: list[int]
    """The versions of the job that failed in this way."""


class Concern(View, frozen=True):
    """Something that needs a person now."""

    kind: ConcernKind
    subject: str
    """The name of the queue, the job or the worker; empty when it is more than one."""
    says: str
    advice: str
    runs: int = 0
    """Runs that wait for it, or were hit by it."""
    since: Moment | None = None
    note: str | None = None
    """The note of the person who did it."""


class WorkerCounts(View, frozen=True):
    """Workers on record."""

    alive: int
    silent: int


class Overview(View, frozen=True):
    """Figures of a namespace, or of those of its queues that the caller sees."""

    at: Moment
    window_ms: int
    span_ms: int
    """The length of each bucket."""
    throughput: list[TimeBucket]
    success_rate: float | None
    """The share of successes among runs that succeeded or failed; null if there are none."""
    retry_rate: float | None
    """Attempts that had to be made again, for each run."""
    queue_depth: int
    """Waiting runs, counted up to 50,000 in each queue; less far with more than four queues."""
    queue_depth_is_cut: bool
    """There are more than that."""
    oldest_wait_ms: int | None
    running: int
    slots: int
    utilisation: float | None
    """The part of the slots that was busy; null without any."""
    workers: WorkerCounts
    durations: Quantiles
    waits: Quantiles
    schedule_lag_ms: Lag
    failures: list[FailureCause]
    """Open failures of the window: nobody has redriven or discarded them."""
    attention: list[Concern]
    """The most urgent first."""
    due_next_hour: int


class JobStatistics(View, frozen=True):
    """Figures of a job."""

    window_ms: int
    span_ms: int
    buckets: list[TimeBucket]
    days: list[DayCounts]
    success_rate: float | None
    retry_rate: float | None
    durations: Quantiles
    waits: Quantiles


class ForecastHour(View, frozen=True):
    """An hour to come."""

    at: Moment
    runs: int
    busy_ms: int
    """If each run takes as long as those of its job did on average in the last week."""
    unknown: int
    """Runs of jobs of which it is not known how long they take."""


class Forecast(View, frozen=True):
    """The starts of schedules, hour by hour; cut when there are too many to count."""

    buckets: list[ForecastHour]
    is_cut: bool
