"""Ahead: counts of what is to come agree with the firings themselves."""

from __future__ import annotations

from collections import Counter

import pytest

from rota.engine.schedules import firing_counts as ahead
from rota.engine.schedules.firing_counts import FiringCounts, TimeBuckets, count_ahead
from rota.engine.schedules.upcoming import upcoming
from rota.model.schedules.definitions import AnyOf, Cron, Every, Schedule
from rota.store.base import Store
from tests.contract.builders import HOME, START_MS
from tests.contract.schedules.builders import HOUR, TABLES, every, given_job, put

DAY = TimeBuckets(first=START_MS // HOUR * HOUR, span_ms=HOUR, count=24)
SCHEDULES = {
    "minutes": every("1m"),
    "minutes too": every("1m"),
    "odd": every("37m"),
    "thrice": every("2h", count=3),
    "night": Schedule(trigger=Cron("*/10 1-4 * * *"), zone="Europe/Berlin"),
    "often": Schedule(trigger=AnyOf((Cron("5,45 * * * *"), Every("10m")))),
    "after its run": Schedule(trigger=Every(every="10m", from_end=True)),
}


def count(store: Store, spans: TimeBuckets = DAY) -> FiringCounts:
    return store.read(
        lambda tx: count_ahead(tx, namespace=HOME, start=START_MS, spans=spans, compiled=TABLES)
    )


def by_span(found: FiringCounts) -> Counter[tuple[int, str]]:
    """How often each job is started in each span."""
    return Counter(
        {
            (number, job): times * each.jobs.count(job)
            for each in found.groups
            for number, times in each.counts.items()
            for job in set(each.jobs)
        }
    )


def test_counts_are_those_of_the_firings(store: Store) -> None:
    for name, schedule in SCHEDULES.items():
        given_job(store, name=name.replace(" ", "-"))
        put(store, schedule, name=name, job=name.replace(" ", "-"))
    end = DAY.last(DAY.count - 1)
    walked = store.read(
        lambda tx: upcoming(
            tx, namespace=HOME, start=START_MS, end=end, limit=100_000, compiled=TABLES
        )
    )

    found = count(store)

    assert by_span(found) == Counter((DAY.number(each.at.ms), each.job) for each in walked.firings)
    assert found.firings == len(walked.firings)
    assert not found.is_cut


def test_schedules_that_say_the_same_are_counted_once(store: Store) -> None:
    given_job(store)
    for number in range(5):
        put(store, every("1m"), name=f"s{number}")

    found = count(store)

    assert [each.jobs for each in found.groups] == [["noop"] * 5]


def test_a_forecast_that_takes_too_long_is_cut(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    given_job(store)
    put(store, every("1m"))
    put(store, SCHEDULES["often"], name="walked")
    monkeypatch.setattr(ahead, "MOST", 10)

    found = count(store)

    assert found.is_cut
    assert all(number < 10 for each in found.groups for number in each.counts)


def test_one_long_walk_is_cut_and_says_so(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    given_job(store)
    put(store, SCHEDULES["often"])
    monkeypatch.setattr(ahead, "MOST", 5)
    hour = TimeBuckets(first=DAY.first, span_ms=2 * HOUR, count=1)

    assert count(store, hour).is_cut
