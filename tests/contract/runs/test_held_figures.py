"""Figures of runs that a worker held ready: their time runs from the begin of the handler."""

from __future__ import annotations

import pytest

from rota.api.routes.insight.metrics import _times
from rota.engine.insight.metrics import metrics
from rota.engine.insight.statistics import HOUR_MS, SETTLED_MS
from rota.engine.jobs.views import activity
from rota.engine.schedules.forecast import forecast
from rota.rules.insight.exposition import render
from rota.rules.insight.histogram import quantile_ms
from rota.store.base import Store
from tests.contract.builders import HOME, Clock, finish_all, verdict
from tests.contract.insight.test_statistics import count_all, kept
from tests.contract.runs.test_held import given_held, tell_begun
from tests.contract.schedules.builders import TABLES, given_schedule

HELD_MS, WORK_MS, RUNS = 9_000, 50, 20


@pytest.fixture(params=["told before the end", "told with the end"])
def figures(store: Store, worker: str, clock: Clock, request: pytest.FixtureRequest) -> Store:
    """Runs that waited in the hands of their worker and then took hardly any time."""
    count_all(store)
    given_schedule(store, "1h")
    leases = given_held(store, worker, count=RUNS)
    clock.advance(HELD_MS)
    if request.param == "told before the end":
        for lease in leases:
            tell_begun(store, lease, HELD_MS)
    clock.advance(WORK_MS)
    assert finish_all(store, [verdict(lease, held_ms=HELD_MS) for lease in leases]) == []
    return store


@pytest.mark.parametrize("is_counted", [False, True], ids=["fresh", "counted"])
def test_durations_and_waits_of_held_runs_meet_where_the_handler_began(
    figures: Store, clock: Clock, *, is_counted: bool
) -> None:
    if is_counted:
        clock.advance(SETTLED_MS + 1)
        count_all(figures)

    for span_ms in (60_000, HOUR_MS):
        found = kept(figures, span_ms)
        assert (found.ended, found.busy_ms) == (RUNS, RUNS * WORK_MS)
        assert _is_near(quantile_ms(found.durations, 0.95), WORK_MS)
        assert _is_near(quantile_ms(found.waits, 0.05), HELD_MS)
    lines = _scraped(figures)
    assert 'rota_run_duration_seconds_bucket{queue="default",le="0.025"} 0' in lines
    assert f'rota_run_duration_seconds_bucket{{queue="default",le="0.1"}} {RUNS}' in lines
    assert 'rota_run_duration_seconds_sum{queue="default"} 1' in lines
    assert 'rota_run_wait_seconds_bucket{queue="default",le="5"} 0' in lines
    assert f'rota_run_wait_seconds_bucket{{queue="default",le="10"}} {RUNS}' in lines


def test_the_95_of_100_of_a_job_and_its_forecast_leave_out_what_was_held(figures: Store) -> None:
    job = figures.read(lambda tx: activity(tx, ["noop"], namespace=HOME))["noop"]
    ahead = figures.read(lambda tx: forecast(tx, namespace=HOME, hours=3, compiled=TABLES))

    assert (job.p50_ms, job.p95_ms) == (WORK_MS, WORK_MS)
    assert {each.busy_ms for each in ahead.buckets if each.runs} == {WORK_MS}


def _is_near(found: int | None, wanted_ms: int) -> bool:
    """Steps grow by 22 %."""
    return found is not None and 0.8 * wanted_ms <= found <= 1.25 * wanted_ms


def _scraped(store: Store) -> list[str]:
    found = store.read(lambda tx: metrics(tx, namespace=HOME))
    return render(_times(found, {})).splitlines()
