"""The forecast: how many runs schedules start in the coming hours, and how long they take."""

from __future__ import annotations

from rota.clock import moment
from rota.engine.insight.statistics import DAY_MS, HOUR_MS, means
from rota.engine.runs.find import now_ms
from rota.engine.schedules.compiled import CompiledSchedules
from rota.engine.schedules.firing_counts import TimeBuckets, count_ahead
from rota.model.insight.statistics import Forecast, ForecastHour
from rota.store.base import Tx

PAST_MS = 7 * DAY_MS


def forecast(tx: Tx, *, namespace: str, hours: int, compiled: CompiledSchedules) -> Forecast:
    """Forecast `hours` hours from now; the rest of the current hour counts as one."""
    now = now_ms(tx)
    first = now // HOUR_MS * HOUR_MS
    spans = TimeBuckets(first=first, span_ms=HOUR_MS, count=hours)
    coming = count_ahead(tx, namespace=namespace, start=now, spans=spans, compiled=compiled)
    took = means(tx, namespace=namespace, span_ms=HOUR_MS, since=now - PAST_MS)
    runs = [0] * hours
    busy = [0] * hours
    unknown = [0] * hours
    for each in coming.groups:
        all_take = sum(took.get(job, 0) for job in each.jobs)
        not_known = sum(job not in took for job in each.jobs)
        for at, count in each.counts.items():
            runs[at] += count * len(each.jobs)
            busy[at] += count * all_take
            unknown[at] += count * not_known
    buckets = [
        ForecastHour(
            at=moment(first + at * HOUR_MS), runs=runs[at], busy_ms=busy[at], unknown=unknown[at]
        )
        for at in range(hours)
    ]
    return Forecast(buckets=buckets, is_cut=coming.is_cut)
