"""Statistics: how things went, how they are, what will come. Asked of counts, not of runs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from litestar import get
from litestar.params import FromPath, FromQuery, QueryParameter

from rota.api.identity.authorization import needs
from rota.api.routes.insight.overview_documents import (
    BucketDocument,
    OverviewDocument,
    Quantiles,
    bucket_document,
    overview_document,
    quantiles,
    retry_rate,
    success_rate,
)
from rota.api.server.documents import Document, Moment, then
from rota.api.server.edge import named
from rota.api.server.request import ApiRequest
from rota.engine.insight.overview import Bucket, overview, timeline
from rota.engine.insight.statistics import DAY_MS, Statistic, total
from rota.engine.jobs.definitions import current_specs
from rota.engine.schedules.forecast import forecast
from rota.errors import BadInput, NotPermitted, UnknownJob
from rota.operations.schedules.compiled import compiled_schedules
from rota.rules.text.duration import parse_duration
from rota.store.base import Tx

LONGEST_MS = 30 * DAY_MS
LEAST_MS = 60_000


class DayDocument(Document):
    """What ended in a day, UTC."""

    day: str
    success: int
    failed: int


class JobStatistics(Document):
    """How a job did."""

    window_ms: int
    span_ms: int
    buckets: list[BucketDocument]
    days: list[DayDocument]
    success_rate: float | None
    retry_rate: float | None
    durations: Quantiles
    waits: Quantiles


class AheadDocument(Document):
    """An hour to come."""

    at: Moment
    runs: int
    busy_ms: int
    unknown: int
    """Runs of jobs of which it is not known how long they take."""


class ForecastDocument(Document):
    """What schedules will start."""

    buckets: list[AheadDocument]
    is_cut: bool


@get("/statistics/overview", **needs("viewer"))
async def show_overview(request: ApiRequest, window: FromQuery[str] = "1h") -> OverviewDocument:
    """Now, and in a window of up to 30 days; may be two seconds old."""
    window_ms = _window(window)
    credential = request.credential
    found = await request.server_state.recent.read(
        ("overview", request.namespace, credential.queues, window_ms),
        lambda tx: overview(
            tx,
            namespace=request.namespace,
            window_ms=window_ms,
            queues=credential.queues,
            compiled=compiled_schedules(),
        ),
        only=request.only,
    )
    return overview_document(found)


@get("/statistics/forecast", **needs("viewer"))
async def show_forecast(
    request: ApiRequest, hours: Annotated[int, QueryParameter(ge=1, le=168)] = 24
) -> ForecastDocument:
    """Runs that schedules will start, hour by hour, and how long they will take."""
    if request.credential.queues is not None:
        raise NotPermitted("the forecast is for credentials that reach all queues")
    found = await request.server_state.recent.read(
        ("forecast", request.namespace, hours),
        lambda tx: forecast(
            tx,
            namespace=request.namespace,
            hours=hours,
            compiled=compiled_schedules(),
        ),
        only=request.only,
    )
    buckets = [
        AheadDocument(at=then(each.at), runs=each.runs, busy_ms=each.busy_ms, unknown=each.unknown)
        for each in found.hours
    ]
    return ForecastDocument(buckets=buckets, is_cut=found.is_cut)


@get("/jobs/{job_id:str}/statistics", **needs("viewer"))
async def show_job_statistics(
    request: ApiRequest, job_id: FromPath[str], window: FromQuery[str] = "24h"
) -> JobStatistics:
    """How its runs ended and how long they took, in minutes up to 6 hours, else in hours."""
    name, window_ms = named(job_id), _window(window)
    queues = request.credential.queues

    def look(tx: Tx) -> list[Bucket]:
        specs = current_specs(tx, {name}, namespace=request.namespace)
        if name not in specs or not request.credential.reaches(specs[name][1].queue):
            raise UnknownJob(name)
        at = {"namespace": request.namespace, "job": name}
        return timeline(tx, window_ms=window_ms, queues=queues, **at)

    found = await request.read(look)
    whole = total(each.statistic for each in found)
    return JobStatistics(
        window_ms=window_ms,
        span_ms=found[1].at - found[0].at if len(found) > 1 else LEAST_MS,
        buckets=[bucket_document(each) for each in found],
        days=_days(found),
        success_rate=success_rate(whole),
        retry_rate=retry_rate(whole),
        durations=quantiles(whole.durations),
        waits=quantiles(whole.waits),
    )


def _window(text: str) -> int:
    window_ms = parse_duration(text)
    if not LEAST_MS <= window_ms <= LONGEST_MS:
        raise BadInput(f"window={text:.64} is not between 1m and 30d")
    return window_ms


def _days(buckets: list[Bucket]) -> list[DayDocument]:
    by_day: dict[str, list[Statistic]] = {}
    for each in buckets:
        day = datetime.fromtimestamp(each.at / 1000, UTC).date().isoformat()
        by_day.setdefault(day, []).append(each.statistic)
    sums = {day: total(some) for day, some in by_day.items()}
    return [
        DayDocument(day=day, success=each.success, failed=each.failed) for day, each in sums.items()
    ]


ROUTES = (show_overview, show_forecast, show_job_statistics)
