"""The overview: the state of a namespace, its runs in a window of time, and those to come."""

from __future__ import annotations

from collections.abc import Sequence

from rota.clock import moment
from rota.engine.admission.queues import Depth, ready_of
from rota.engine.failures.dead_letters import groups
from rota.engine.insight.attention import attention
from rota.engine.insight.statistics import HOUR_MS, Statistic, total
from rota.engine.insight.time_buckets import (
    buckets_of,
    quantiles,
    retry_rate,
    span_of,
    success_rate,
)
from rota.engine.runs.claimed import shares
from rota.engine.runs.find import now_ms
from rota.engine.schedules.compiled import CompiledSchedules
from rota.engine.schedules.firing_counts import TimeBuckets, count_ahead
from rota.engine.workers.registry import workers
from rota.model.failures.dead_letter import LetterGroup
from rota.model.insight.statistics import FailureCause, Lag, Overview, WorkerCounts
from rota.rules.insight.histogram import quantile_ms
from rota.store.base import Tx

CAUSES = 5


def overview(
    tx: Tx,
    *,
    namespace: str,
    window_ms: int,
    compiled: CompiledSchedules,
    queues: Sequence[str] | None = None,
) -> Overview:
    """Return the overview at one moment; it is read rarely, so that it may read a little."""
    now = now_ms(tx)
    depths = depths_of(tx, namespace=namespace, queues=queues)
    waits = [each.oldest_ms for each in depths.values() if each.oldest_ms is not None]
    claimed = shares(tx, namespace=namespace, queues=queues)
    crew = [
        each
        for each in workers(tx, namespace=namespace)
        if queues is None or set(each.queues) & set(queues)
    ]
    slots = sum(each.slots for each in crew if each.is_alive)
    buckets = buckets_of(tx, namespace=namespace, window_ms=window_ms, queues=queues)
    whole = total(each.statistic for each in buckets)
    causes = groups(tx, namespace=namespace, queues=queues, since=now - window_ms, limit=CAUSES)
    hour = TimeBuckets(first=now, span_ms=HOUR_MS + 1, count=1)
    coming = count_ahead(tx, namespace=namespace, start=now, spans=hour, compiled=compiled)
    return Overview(
        at=moment(now),
        window_ms=window_ms,
        span_ms=span_of(window_ms),
        throughput=[each.view() for each in buckets],
        success_rate=success_rate(whole),
        retry_rate=retry_rate(whole),
        queue_depth=sum(each.queued for each in depths.values())
        + sum(each.held for each in claimed),
        queue_depth_is_cut=any(each.is_cut for each in depths.values()),
        oldest_wait_ms=max(waits, default=None),
        running=sum(each.running for each in claimed),
        slots=slots,
        utilisation=_utilisation(whole, slots, window_ms),
        workers=WorkerCounts(
            alive=sum(each.is_alive for each in crew),
            silent=sum(not each.is_alive for each in crew),
        ),
        durations=quantiles(whole.durations),
        waits=quantiles(whole.waits),
        schedule_lag_ms=Lag(p50=quantile_ms(whole.lags, 0.5), p99=quantile_ms(whole.lags, 0.99)),
        failures=[_cause(each) for each in causes],
        attention=attention(tx, namespace=namespace, depths=depths, crew=crew, queues=queues),
        due_next_hour=coming.firings,
    )


def depths_of(tx: Tx, *, namespace: str, queues: Sequence[str] | None = None) -> dict[str, Depth]:
    """Return what waits in each queue, or in these queues."""
    names = {row["name"] for row in tx.all("queue_names", namespace=namespace)}
    reached = names if queues is None else names & set(queues)
    return ready_of(tx, reached, namespace=namespace)


def _utilisation(statistic: Statistic, slots: int, window_ms: int) -> float | None:
    """Return the busy part of the slots that there are now; None without any."""
    if not slots:
        return None
    return round(min(1.0, statistic.busy_ms / (slots * window_ms)), 4)


def _cause(group: LetterGroup) -> FailureCause:
    error = f"{group.error_type}: {group.message}" if group.error_type else group.message
    return FailureCause(
        fingerprint=group.fingerprint,
        job=group.job,
        error=error,
        count=group.open,
        first_at=group.first_at,
        last_at=group.last_at,
        versions=list(group.versions),
    )
