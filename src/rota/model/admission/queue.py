"""Queues as people see them: their depths, their limits, their recent outcomes."""

from __future__ import annotations

from typing import Literal

import msgspec

from rota.model.insight.statistics import Quantiles, TimeBucket
from rota.model.view import View

LimitKind = Literal["paused", "window", "slots", "quota", "breaker"]


class QueueView(View, frozen=True, kw_only=True):
    """A queue in which runs wait or run, that a worker serves, or that was paused once."""

    name: str
    queued: int
    scheduled: int
    """Both up to 50,000, and less far where there are more than four queues."""
    is_cut: bool = False
    """There are more than that."""
    running: int
    held: int = 0
    """Queued runs that a breaker holds back, of the next 5,000."""
    oldest_ms: int | None = msgspec.field(name="oldestWaitMs")
    """The waiting time of the first of the next 1,000 runs."""
    rate_per_min: float = 0.0
    """Runs that ended, in the last ten minutes."""
    workers: int = 0
    """Workers that are alive and serve the queue."""
    slots: int = 0
    """Slots of these workers together: the most of its runs that go on at once."""
    is_paused: bool = msgspec.field(name="paused")
    note: str | None
    verbs: tuple[str, ...] = ()
    """The verbs that the caller may use on it now."""


class QueueLimit(View, frozen=True):
    """Something that keeps a queue from starting more than so many runs."""

    kind: LimitKind
    says: str
    used: int | None = None
    most: int | None = None
    """Null where it is not about a number."""
    stops: bool = False
    """Because of it some or all of its runs do not start now."""


class QueueDetail(QueueView, frozen=True, kw_only=True):
    """A queue, what bounds it, and how it did in the last hour."""

    limits: list[QueueLimit]
    """A queue has no limit of its own: workers, quotas, breakers, windows and pauses bound it."""
    window_ms: int
    buckets: list[TimeBucket]
    """The runs that ended in each minute."""
    success_rate: float | None
    durations: Quantiles
    waits: Quantiles
    """From being ready to the start."""


class QueueState(View, frozen=True):
    """Whether runs of a queue are started."""

    name: str
    paused: bool
    note: str | None = None
