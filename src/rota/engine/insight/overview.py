"""The overview: how a namespace does now and did in a window of time, and what will come."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rota.engine.admission.queues import Depth, ready_of
from rota.engine.failures.dead_letters import groups
from rota.engine.insight.attention import Concern, attention
from rota.engine.insight.statistics import HOUR_MS, MINUTE_MS, Statistic, Statistics, read, total
from rota.engine.runs.claimed import shares
from rota.engine.runs.find import now_ms
from rota.engine.schedules.compiled import CompiledSchedules
from rota.engine.schedules.firing_counts import Spans, count_ahead
from rota.engine.workers.registry import workers
from rota.model.dead_letter import LetterGroup
from rota.store.base import Tx

FINE_MS = 6 * HOUR_MS
"""Windows up to here are told in minutes, longer ones in hours."""
CAUSES = 5


class Bucket(msgspec.Struct, frozen=True):
    """What ended in one span of a window."""

    at: int
    statistic: Statistic


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """A namespace, or what of it some queues hold."""

    now: int
    window_ms: int
    span_ms: int
    buckets: list[Bucket]
    whole: Statistic
    queued: int
    is_cut: bool
    """There are more than are counted."""
    oldest_ms: int | None
    running: int
    slots: int
    alive: int
    silent: int
    causes: list[LetterGroup]
    concerns: list[Concern]
    due_next_hour: int

    @property
    def utilisation(self) -> float | None:
        """Of the slots there are now, the part that was busy; None without any."""
        if not self.slots:
            return None
        return min(1.0, self.whole.busy_ms / (self.slots * self.window_ms))


def overview(
    tx: Tx,
    *,
    namespace: str,
    window_ms: int,
    compiled: CompiledSchedules,
    queues: Sequence[str] | None = None,
) -> Overview:
    """All of it at one moment; asked rarely, so that it may read a little."""
    now = now_ms(tx)
    depths = _depths(tx, namespace=namespace, queues=queues)
    waits = [each.oldest_ms for each in depths.values() if each.oldest_ms is not None]
    claimed = shares(tx, namespace=namespace, queues=queues)
    crew = [
        each
        for each in workers(tx, namespace=namespace)
        if queues is None or set(each.queues) & set(queues)
    ]
    buckets = timeline(tx, namespace=namespace, window_ms=window_ms, queues=queues)
    hour = Spans(first=now, span_ms=HOUR_MS + 1, count=1)
    coming = count_ahead(tx, namespace=namespace, start=now, spans=hour, compiled=compiled)
    return Overview(
        now=now,
        window_ms=window_ms,
        span_ms=span_of(window_ms),
        buckets=buckets,
        whole=total(each.statistic for each in buckets),
        queued=sum(each.queued for each in depths.values()) + sum(each.held for each in claimed),
        is_cut=any(each.is_cut for each in depths.values()),
        oldest_ms=max(waits, default=None),
        running=sum(each.running for each in claimed),
        slots=sum(each.slots for each in crew if each.is_alive),
        alive=sum(each.is_alive for each in crew),
        silent=sum(not each.is_alive for each in crew),
        causes=groups(tx, namespace=namespace, queues=queues, since=now - window_ms, limit=CAUSES),
        concerns=attention(tx, namespace=namespace, depths=depths, crew=crew, queues=queues),
        due_next_hour=coming.firings,
    )


def _depths(tx: Tx, *, namespace: str, queues: Sequence[str] | None) -> dict[str, Depth]:
    names = {row["name"] for row in tx.all("queue_names", namespace=namespace)}
    reached = names if queues is None else names & set(queues)
    return ready_of(tx, reached, namespace=namespace)


def timeline(
    tx: Tx,
    *,
    namespace: str,
    window_ms: int,
    job: str | None = None,
    queues: Sequence[str] | None = None,
) -> list[Bucket]:
    """Every span of the window that ends now, also those in which nothing ended."""
    span_ms = span_of(window_ms)
    last = now_ms(tx) // span_ms * span_ms
    first = last - max(0, -(-window_ms // span_ms) - 1) * span_ms
    at = {"namespace": namespace, "span_ms": span_ms, "since": first}
    whole = job is None and queues is None
    found = by_time(read(tx, job=job, queues=queues, whole=whole, **at))  # type: ignore[arg-type]
    return [
        Bucket(moment, found.get(moment, Statistic())) for moment in range(first, last + 1, span_ms)
    ]


def by_time(statistics: Statistics) -> dict[int, Statistic]:
    """Of all jobs and queues together."""
    found: dict[int, list[Statistic]] = {}
    for place, each in statistics.items():
        found.setdefault(place.at, []).append(each)
    return {at: total(some) for at, some in found.items()}


def span_of(window_ms: int) -> int:
    return MINUTE_MS if window_ms <= FINE_MS else HOUR_MS
