"""Metrics for a monitoring system, at one moment: counters that only grow, and gauges."""

from __future__ import annotations

import json
from collections.abc import Sequence

import msgspec

from rota.engine.admission.queues import queues as all_queues
from rota.engine.insight.statistics import Statistics, ever
from rota.engine.workers.registry import WorkerRecord, workers
from rota.model.admission.queue import QueueView
from rota.store.base import Tx

MOST = 1_000
"""The limit on jobs, queues and pairs of them: each name is another series."""
MOST_LETTERS = 50_000


class Metrics(msgspec.Struct, frozen=True, kw_only=True):
    """The metrics of a namespace, or of some of its queues."""

    ended: Statistics
    """Counts by job and queue and, without a job, by queue."""
    is_cut: bool
    """Whether there are more jobs or queues than are listed."""
    queues: list[QueueView]
    workers: list[WorkerRecord]
    letters: dict[str, int]
    """The open letters of each job, up to 50,000 of them."""
    overdue_ms: int
    """How long the schedule that is most behind waits for a scheduler; 0 if none is late.

    It covers all queues together, and is not read for only some of them.
    """


def metrics(tx: Tx, *, namespace: str, queues: Sequence[str] | None = None) -> Metrics:
    """Read the metrics from counts and indexes; the number of runs does not make it read more."""
    scope = {"namespace": namespace, "queues": None if queues is None else json.dumps(list(queues))}
    ended, is_cut = ever(tx, namespace=namespace, limit=MOST, queues=queues)
    depths = [
        each
        for each in all_queues(tx, namespace=namespace)
        if queues is None or each.name in queues
    ]
    overdue = tx.one("overdue_schedule", namespace=namespace) if queues is None else None
    letters = tx.all("open_letters_by_job", most=MOST_LETTERS, limit=MOST + 1, **scope)
    return Metrics(
        ended=ended,
        is_cut=is_cut or max(len(depths), len(letters)) > MOST,
        queues=depths[:MOST],
        workers=[
            each
            for each in workers(tx, namespace=namespace)
            if queues is None or set(each.queues) & set(queues)
        ],
        letters={row["job"]: row["letters"] for row in letters[:MOST]},
        overdue_ms=overdue["overdue_ms"] if overdue else 0,
    )
