"""The forecast: how many runs schedules will start in the hours to come, and how long they take."""

from __future__ import annotations

import msgspec

from rota.engine.inspect import now_ms
from rota.engine.statistics import DAY_MS, HOUR_MS, means
from rota.engine.timetables import Timetables
from rota.engine.upcoming import upcoming
from rota.store.base import Tx

MOST = 100_000
"""Firings that are reckoned with."""
PAST_MS = 7 * DAY_MS


class Ahead(msgspec.Struct, frozen=True):
    """An hour to come."""

    at: int
    runs: int
    busy_ms: int
    """If each run takes as long as those of its job did on average in the last week."""
    unknown: int
    """Runs of jobs that did not run then."""


class Forecast(msgspec.Struct, frozen=True):
    """Hour by hour; cut when there are too many firings to reckon with all."""

    hours: list[Ahead]
    is_cut: bool


def forecast(tx: Tx, *, namespace: str, hours: int, timetables: Timetables) -> Forecast:
    """From now on; a first part of an hour counts as one."""
    now = now_ms(tx)
    first = now // HOUR_MS * HOUR_MS
    end = first + hours * HOUR_MS - 1
    coming = upcoming(
        tx, namespace=namespace, start=now, end=end, limit=MOST, timetables=timetables
    )
    took = means(tx, namespace=namespace, span_ms=HOUR_MS, since=now - PAST_MS)
    runs = [0] * hours
    busy = [0] * hours
    unknown = [0] * hours
    for each in coming.firings:
        at = (each.at - first) // HOUR_MS
        runs[at] += 1
        busy[at] += took.get(each.job, 0)
        unknown[at] += each.job not in took
    ahead = [Ahead(first + at * HOUR_MS, runs[at], busy[at], unknown[at]) for at in range(hours)]
    return Forecast(ahead, coming.is_cut)
