"""Metrics in the text form of Prometheus, for a monitoring system that reads them periodically.

They cover the caller's namespace and the queues that the credential reaches. A viewer may read
them: they hold nothing that a viewer does not see elsewhere, and the token in the settings of a
monitoring system should allow as little as possible.
"""

from __future__ import annotations

from collections.abc import Iterator

from litestar import Response, get

from rota.api.identity.authorization import needs
from rota.api.identity.security_events import Kind
from rota.api.server.request import ApiRequest
from rota.engine.insight.metrics import Metrics, metrics
from rota.engine.insight.statistics import ALL, Statistic, StatisticKey
from rota.rules.insight.exposition import MEDIA_TYPE, Family, Labels, Sample, histogram, render
from rota.version import version

OUTCOMES = ("success", "failed", "cancelled", "skipped")


@get("/metrics", **needs("viewer"), media_type=MEDIA_TYPE)
async def show_metrics(request: ApiRequest) -> Response[str]:
    """Counters and gauges of the namespace for Prometheus; may be two seconds old."""
    queues = request.credential.queues
    values = await request.server_state.recent.read(
        ("metrics", request.namespace, queues),
        lambda tx: metrics(tx, namespace=request.namespace, queues=queues),
        only=request.only,
    )
    about = {"version": version(), "database": request.server_state.store.dialect}
    families = [Family("rota_build_info", "gauge", "What serves here.", [Sample(about, 1)])]
    families += _families(values, {"namespace": request.namespace})
    if queues is None:
        refused = request.server_state.refusals.counts(request.namespace)
        families += _of_namespace(values, refused, {"namespace": request.namespace})
    return Response(render(families), media_type=MEDIA_TYPE)


def _families(metrics: Metrics, at: Labels) -> Iterator[Family]:
    yield from _ended(metrics, at)
    yield from _times(metrics, at)
    yield from _depths(metrics, at)
    yield from _crew(metrics, at)
    yield Family(
        "rota_dead_letters",
        "gauge",
        "Failed runs that nobody has redriven or discarded; counted up to 50,000.",
        [Sample({**at, "job": job}, count) for job, count in metrics.letters.items()],
    )
    yield Family(
        "rota_metrics_are_cut",
        "gauge",
        "1 if there are more than 1,000 jobs or queues: those behind, by name, are left out.",
        [Sample(at, metrics.is_cut)],
    )


def _ended(metrics: Metrics, at: Labels) -> Iterator[Family]:
    jobs = [
        ({**at, "job": place.job, "queue": place.queue}, each)
        for place, each in metrics.ended.items()
        if place.job != ALL
    ]
    yield Family(
        "rota_runs_ended_total",
        "counter",
        "Runs that ended.",
        [
            Sample({**labels, "outcome": outcome}, getattr(each, outcome))
            for labels, each in jobs
            for outcome in OUTCOMES
        ],
    )
    for name, about, field, scale in (
        ("rota_retries_total", "Attempts that were made again.", "retries", 1),
        ("rota_run_busy_seconds_total", "Time that runs took together.", "busy_ms", 1000),
        (
            "rota_runs_refused_total",
            "Runs that failed as their worker reaches no such address or starts no such program.",
            "refused",
            1,
        ),
    ):
        samples = [Sample(labels, getattr(each, field) / scale) for labels, each in jobs]
        yield Family(name, "counter", about, samples)


def _times(metrics: Metrics, at: Labels) -> Iterator[Family]:
    queues: list[tuple[StatisticKey, Statistic]] = [
        (place, each) for place, each in metrics.ended.items() if place.job == ALL
    ]
    for name, about, field in (
        ("rota_run_duration_seconds", "From the start to the end of runs.", "durations"),
        ("rota_run_wait_seconds", "From being ready to the start.", "waits"),
        ("rota_schedule_lag_seconds", "From the instant of a schedule to the start.", "lags"),
    ):
        samples: list[Sample] = []
        for place, each in queues:
            sum_ms = each.busy_ms if field == "durations" else None
            labels = {**at, "queue": place.queue}
            samples += histogram(labels, getattr(each, field), sum_ms)
        yield Family(name, "histogram", about, samples)


def _depths(metrics: Metrics, at: Labels) -> Iterator[Family]:
    queues = [({**at, "queue": each.name}, each) for each in metrics.queues]
    depths = [
        Sample({**labels, "state": state}, getattr(each, state))
        for labels, each in queues
        for state in ("queued", "scheduled", "running", "held")
    ]
    about = "Runs that have not ended; waiting ones are counted up to 50,000."
    yield Family("rota_queue_runs", "gauge", about, depths)
    waits = [Sample(labels, (each.oldest_ms or 0) / 1000) for labels, each in queues]
    about = "How long the oldest of the next 1,000 queued runs waits; 0 if none does."
    yield Family("rota_queue_oldest_wait_seconds", "gauge", about, waits)
    paused = [Sample(labels, each.is_paused) for labels, each in queues]
    yield Family("rota_queue_paused", "gauge", "1 if nothing of it is started.", paused)
    slots = [Sample(labels, each.slots) for labels, each in queues]
    about = "Runs that the living workers of a queue can carry out at once."
    yield Family("rota_queue_slots", "gauge", about, slots)


def _crew(metrics: Metrics, at: Labels) -> Iterator[Family]:
    alive = [each for each in metrics.workers if each.is_alive]
    draining = sum(each.is_draining or each.drain_asked for each in alive)
    states = {
        "working": len(alive) - draining,
        "draining": draining,
        "silent": len(metrics.workers) - len(alive),
    }
    samples = [Sample({**at, "state": state}, count) for state, count in states.items()]
    yield Family("rota_workers", "gauge", "Workers on record.", samples)
    slots = [Sample(at, sum(each.slots for each in alive))]
    yield Family("rota_worker_slots", "gauge", "Of the living workers.", slots)
    busy = [Sample(at, sum(each.running for each in alive))]
    yield Family("rota_worker_slots_busy", "gauge", "Of these, the busy ones.", busy)


def _of_namespace(metrics: Metrics, refused: dict[Kind, int], at: Labels) -> Iterator[Family]:
    """Yield the metrics of a whole namespace, which cannot be split by queue."""
    yield Family(
        "rota_schedule_overdue_seconds",
        "gauge",
        "How long the schedule that is most behind waits for a scheduler; 0 if none is.",
        [Sample(at, metrics.overdue_ms / 1000)],
    )
    yield Family(
        "rota_security_events_total",
        "counter",
        "Requests that this server refused, since it started.",
        [Sample({**at, "kind": kind}, count) for kind, count in refused.items()],
    )


ROUTES = (show_metrics,)
