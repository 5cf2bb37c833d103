"""The overview as a document, and what documents of statistics share."""

from __future__ import annotations

from rota.api.server.documents import Document, Moment, then
from rota.engine.insight.attention import Kind
from rota.engine.insight.overview import Bucket, Overview
from rota.engine.insight.statistics import Statistic
from rota.rules.insight.histogram import quantile_ms


class BucketDocument(Document):
    """What ended in a minute or an hour."""

    at: Moment
    success: int
    failed: int
    cancelled: int
    skipped: int
    p50_ms: int | None
    p95_ms: int | None
    """Of their durations, within a tenth."""


class Quantiles(Document):
    """How times are spread, within a tenth."""

    p50_ms: int | None
    p95_ms: int | None
    p99_ms: int | None


class Lag(Document):
    """How late schedules started, in milliseconds."""

    p50: int | None
    p99: int | None


class CauseDocument(Document):
    """Dead letters of one cause."""

    fingerprint: str
    job: str
    error: str
    count: int
    first_at: Moment
    """In the window."""
    last_at: Moment
    versions: list[int]
    """Of the job, that failed so."""


class ConcernDocument(Document):
    """What needs a person now."""

    kind: Kind
    subject: str
    """The name of the queue, the job or the worker; empty when it is more than one."""
    says: str
    advice: str
    runs: int
    """How many wait for it, or were hit by it."""
    since: Moment | None
    note: str | None


class Crew(Document):
    """Workers on record."""

    alive: int
    silent: int


class OverviewDocument(Document):
    """How a namespace does."""

    at: Moment
    window_ms: int
    span_ms: int
    """The length of each bucket."""
    throughput: list[BucketDocument]
    success_rate: float | None
    """Of those that succeeded or failed; null if none did."""
    retry_rate: float | None
    """Attempts that had to be made again, for each run."""
    queue_depth: int
    """Of each queue up to 50,000, and less far where there are more than four."""
    queue_depth_is_cut: bool
    """There are more than that."""
    oldest_wait_ms: int | None
    running: int
    slots: int
    utilisation: float | None
    workers: Crew
    durations: Quantiles
    waits: Quantiles
    schedule_lag_ms: Lag
    failures: list[CauseDocument]
    """Of the window, and open: nobody has redriven or discarded them."""
    attention: list[ConcernDocument]
    """What hurts most first."""
    due_next_hour: int


def overview_document(found: Overview) -> OverviewDocument:
    return OverviewDocument(
        at=then(found.now),
        window_ms=found.window_ms,
        span_ms=found.span_ms,
        throughput=[bucket_document(each) for each in found.buckets],
        success_rate=success_rate(found.whole),
        retry_rate=retry_rate(found.whole),
        queue_depth=found.queued,
        queue_depth_is_cut=found.is_cut,
        oldest_wait_ms=found.oldest_ms,
        running=found.running,
        slots=found.slots,
        utilisation=None if found.utilisation is None else round(found.utilisation, 4),
        workers=Crew(alive=found.alive, silent=found.silent),
        durations=quantiles(found.whole.durations),
        waits=quantiles(found.whole.waits),
        schedule_lag_ms=Lag(
            p50=quantile_ms(found.whole.lags, 0.5), p99=quantile_ms(found.whole.lags, 0.99)
        ),
        failures=[
            CauseDocument(
                fingerprint=each.fingerprint,
                job=each.job,
                error=f"{each.error_type}: {each.message}" if each.error_type else each.message,
                count=each.open,
                first_at=then(each.first_at.ms),
                last_at=then(each.last_at.ms),
                versions=list(each.versions),
            )
            for each in found.causes
        ],
        attention=[
            ConcernDocument(
                kind=each.kind,
                subject=each.subject,
                says=each.says,
                advice=each.advice,
                runs=each.runs,
                since=None if each.since is None else then(each.since),
                note=each.note,
            )
            for each in found.concerns
        ],
        due_next_hour=found.due_next_hour,
    )


def bucket_document(bucket: Bucket) -> BucketDocument:
    each = bucket.statistic
    return BucketDocument(
        at=then(bucket.at),
        success=each.success,
        failed=each.failed,
        cancelled=each.cancelled,
        skipped=each.skipped,
        p50_ms=quantile_ms(each.durations, 0.5),
        p95_ms=quantile_ms(each.durations, 0.95),
    )


def success_rate(statistic: Statistic) -> float | None:
    judged = statistic.success + statistic.failed
    return round(statistic.success / judged, 4) if judged else None


def retry_rate(statistic: Statistic) -> float | None:
    return round(statistic.retries / statistic.ended, 4) if statistic.ended else None


def quantiles(spread: dict[int, int]) -> Quantiles:
    return Quantiles(
        p50_ms=quantile_ms(spread, 0.5),
        p95_ms=quantile_ms(spread, 0.95),
        p99_ms=quantile_ms(spread, 0.99),
    )
