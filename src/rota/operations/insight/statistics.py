"""Operations on statistics: past, present and forecast.

They are read from counts, not from runs.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from rota.engine.insight.overview import overview
from rota.engine.insight.statistics import DAY_MS, MINUTE_MS
from rota.engine.insight.time_buckets import job_statistics
from rota.engine.schedules.forecast import forecast
from rota.errors import BadInput, NotPermitted, UnknownJob
from rota.model.insight.statistics import Forecast, JobStatistics, Overview
from rota.operations.caller import Caller
from rota.operations.operation import reads
from rota.operations.schedules.compiled import compiled_schedules
from rota.rules.text.duration import parse_duration
from rota.store.base import Tx

LONGEST_MS = 30 * DAY_MS


@reads("/statistics/overview", may_be_old=True)
def show_overview(tx: Tx, caller: Caller, *, window: str = "1h") -> Overview:
    """Now, and in a window of up to 30 days; may be two seconds old."""
    return overview(
        tx,
        namespace=caller.namespace,
        window_ms=_window_ms(window),
        queues=caller.credential.queues,
        compiled=compiled_schedules(),
    )


@reads("/statistics/forecast", may_be_old=True)
def show_forecast(
    tx: Tx, caller: Caller, *, hours: Annotated[int, msgspec.Meta(ge=1, le=168)] = 24
) -> Forecast:
    """Runs that schedules will start, hour by hour, and how long they will take."""
    if not caller.sees_all_queues:
        raise NotPermitted("the forecast is for credentials that reach all queues")
    return forecast(tx, namespace=caller.namespace, hours=hours, compiled=compiled_schedules())


@reads("/jobs/{job_id}/statistics")
def show_job_statistics(
    tx: Tx, caller: Caller, job_id: str, *, window: str = "24h"
) -> JobStatistics:
    """How its runs ended and how long they took, in minutes up to 6 hours, else in hours."""
    window_ms = _window_ms(window)
    if not caller.visible_jobs(tx, {job_id}):
        raise UnknownJob(job_id)
    queues = caller.credential.queues
    return job_statistics(
        tx, job_id, namespace=caller.namespace, window_ms=window_ms, queues=queues
    )


def _window_ms(text: str) -> int:
    window_ms = parse_duration(text)
    if not MINUTE_MS <= window_ms <= LONGEST_MS:
        raise BadInput(f"window={text:.64} is not between 1m and 30d")
    return window_ms
