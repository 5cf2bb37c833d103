"""Buckets of time: the outcomes in each minute or hour of a window, and figures of the whole."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import msgspec

from rota.clock import moment, to_datetime
from rota.engine.insight.statistics import HOUR_MS, MINUTE_MS, Statistic, Statistics, read, total
from rota.engine.runs.find import now_ms
from rota.model.insight.statistics import DayCounts, JobStatistics, Quantiles, TimeBucket
from rota.rules.insight.histogram import quantile_ms
from rota.store.base import Tx

FINE_MS = 6 * HOUR_MS
"""Windows up to this length have buckets of a minute, longer ones of an hour."""


class Bucket(msgspec.Struct, frozen=True):
    """The outcomes in one span of a window."""

    at: int
    statistic: Statistic

    def view(self) -> TimeBucket:
        """Return the bucket as people see it."""
        counts = self.statistic
        return TimeBucket(
            at=moment(self.at),
            success=counts.success,
            failed=counts.failed,
            cancelled=counts.cancelled,
            skipped=counts.skipped,
            p50_ms=quantile_ms(counts.durations, 0.5),
            p95_ms=quantile_ms(counts.durations, 0.95),
        )


def buckets_of(
    tx: Tx,
    *,
    namespace: str,
    window_ms: int,
    job: str | None = None,
    queues: Sequence[str] | None = None,
) -> list[Bucket]:
    """Return every span of the window that ends now, even those in which nothing ended."""
    span_ms = span_of(window_ms)
    last = now_ms(tx) // span_ms * span_ms
    first = last - max(0, -(-window_ms // span_ms) - 1) * span_ms
    at = {"namespace": namespace, "span_ms": span_ms, "since": first}
    whole = job is None and queues is None
    by_time = _by_time(read(tx, job=job, queues=queues, whole=whole, **at))  # type: ignore[arg-type]
    return [
        Bucket(start, by_time.get(start, Statistic())) for start in range(first, last + 1, span_ms)
    ]


def job_statistics(
    tx: Tx, job: str, *, namespace: str, window_ms: int, queues: Sequence[str] | None = None
) -> JobStatistics:
    """Return the outcomes and durations of the runs of a job."""
    buckets = buckets_of(tx, namespace=namespace, window_ms=window_ms, job=job, queues=queues)
    whole = total(each.statistic for each in buckets)
    return JobStatistics(
        window_ms=window_ms,
        span_ms=span_of(window_ms),
        buckets=[each.view() for each in buckets],
        days=_days(buckets),
        success_rate=success_rate(whole),
        retry_rate=retry_rate(whole),
        durations=quantiles(whole.durations),
        waits=quantiles(whole.waits),
    )


def span_of(window_ms: int) -> int:
    """Return the length of the buckets of a window."""
    return MINUTE_MS if window_ms <= FINE_MS else HOUR_MS


def success_rate(statistic: Statistic) -> float | None:
    """Return the share of successes among successes and failures; None without either."""
    judged = statistic.success + statistic.failed
    return round(statistic.success / judged, 4) if judged else None


def retry_rate(statistic: Statistic) -> float | None:
    """Return the repeated attempts for each run; None if no run ended."""
    return round(statistic.retries / statistic.ended, 4) if statistic.ended else None


def quantiles(spread: dict[int, int]) -> Quantiles:
    """Return the quantiles of a spread of times."""
    return Quantiles(
        p50_ms=quantile_ms(spread, 0.5),
        p95_ms=quantile_ms(spread, 0.95),
        p99_ms=quantile_ms(spread, 0.99),
    )


def _by_time(statistics: Statistics) -> dict[int, Statistic]:
    """Return the statistics of all jobs and queues together, by time."""
    by_time: dict[int, list[Statistic]] = {}
    for place, each in statistics.items():
        by_time.setdefault(place.at, []).append(each)
    return {at: total(some) for at, some in by_time.items()}


def _days(buckets: Sequence[Bucket]) -> list[DayCounts]:
    days = groupby(buckets, key=lambda bucket: to_datetime(bucket.at).date().isoformat())
    sums = {day: total(bucket.statistic for bucket in of_day) for day, of_day in days}
    return [
        DayCounts(day=day, success=counts.success, failed=counts.failed)
        for day, counts in sums.items()
    ]
