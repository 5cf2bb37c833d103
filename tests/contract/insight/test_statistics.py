"""Statistics: every run is counted once, in minutes and in hours, also while it is not yet."""

from __future__ import annotations

from typing import Any

from rota.engine.insight.statistics import (
    DAY_MS,
    HOUR_MS,
    MINUTE_MS,
    SETTLED_MS,
    CountedPart,
    Statistic,
    add,
    next_part,
    prune_statistics,
    read,
    total,
)
from rota.rules.insight.histogram import quantile_ms
from rota.store.base import Store
from tests.contract.builders import (
    ERROR,
    HOME,
    START_MS,
    Clock,
    claim_one,
    finish_with,
    given_run,
    given_worker,
    run_sql,
)


def count_all(store: Store) -> int:
    """Until nothing is left; how many parts were added."""
    parts = 0
    while (part := store.read(next_part)) is not None:
        assert store.write(lambda tx, each=part: add(tx, each))  # type: ignore[misc]
        parts += 1
    return parts


def kept(store: Store, span_ms: int = MINUTE_MS, **filters: Any) -> Statistic:
    at: dict[str, Any] = {"namespace": HOME, "span_ms": span_ms, "since": 0, **filters}
    return total(store.read(lambda tx: read(tx, **at)).values())


def ended(store: Store, worker: str, clock: Clock, took_ms: int, **fields: Any) -> None:
    verb = fields.pop("verb", "succeed")
    given_run(store, **fields)
    lease = claim_one(store, worker)
    clock.advance(took_ms)
    more = {"kind": "error", "error": ERROR} if verb == "fail" else {}
    finish_with(store, lease, verb, **more)


def test_runs_are_counted_once_however_often_it_is_done(store: Store, clock: Clock) -> None:
    worker = given_worker(store, lease_ms=DAY_MS)
    count_all(store)
    for took_ms in (100, 200, 300):
        ended(store, worker, clock, took_ms)
    ended(store, worker, clock, 5000, verb="fail")

    fresh = kept(store)
    clock.advance(SETTLED_MS + 1)
    parts = [count_all(store), count_all(store)]
    minutes, hours = kept(store), kept(store, HOUR_MS)

    assert parts == [1, 0]
    assert fresh == minutes == hours
    assert (minutes.success, minutes.failed, minutes.ended) == (3, 1, 4)
    assert minutes.busy_ms == 5600
    assert sum(minutes.durations.values()) == sum(minutes.waits.values()) == 4
    assert minutes.lags == {}
    assert 180 <= (quantile_ms(minutes.durations, 0.5) or 0) <= 225


def test_a_part_that_two_processes_count_is_added_once(store: Store, clock: Clock) -> None:
    worker = given_worker(store, lease_ms=DAY_MS)
    count_all(store)
    ended(store, worker, clock, 10)
    clock.advance(SETTLED_MS + 1)
    first, second = (store.read(next_part) for _ in range(2))
    assert isinstance(first, CountedPart)
    assert isinstance(second, CountedPart)

    added = [store.write(lambda tx, part=each: add(tx, part)) for each in (first, second)]  # type: ignore[misc]

    assert added == [True, False]
    assert kept(store).success == 1


def test_spans_add_up_over_many_counts(store: Store, clock: Clock) -> None:
    worker = given_worker(store, lease_ms=10 * DAY_MS)
    count_all(store)
    for _ in range(3):
        ended(store, worker, clock, 1000)
        clock.advance(40 * MINUTE_MS)
        count_all(store)
    by_hour = store.read(lambda tx: read(tx, namespace=HOME, span_ms=HOUR_MS, since=0))
    by_minute = store.read(lambda tx: read(tx, namespace=HOME, span_ms=MINUTE_MS, since=0))

    assert sorted(each.success for each in by_hour.values()) in ([1, 2], [1, 1, 1])
    assert [each.success for each in by_minute.values()] == [1, 1, 1]
    since = START_MS + HOUR_MS
    assert kept(store, since=since).success < 3


def test_jobs_queues_and_namespaces_are_told_apart(store: Store, clock: Clock) -> None:
    worker = given_worker(store, lease_ms=DAY_MS)
    count_all(store)
    ended(store, worker, clock, 10)
    clock.advance(SETTLED_MS + 1)
    count_all(store)
    ended(store, worker, clock, 10)

    assert kept(store, job="noop").success == 2
    assert kept(store, job="other").success == 0
    assert kept(store, queues=["default"]).success == 2
    assert kept(store, queues=["mail"]).success == 0
    assert kept(store, namespace="other").success == 0


def test_minutes_go_after_two_days_and_hours_after_thirty(store: Store, clock: Clock) -> None:
    worker = given_worker(store, lease_ms=40 * DAY_MS)
    count_all(store)
    ended(store, worker, clock, 10)
    clock.advance(SETTLED_MS + 1)
    count_all(store)

    for days, minutes, hours in ((1, 1, 1), (2, 0, 1), (28, 0, 0)):
        clock.advance(days * DAY_MS)
        store.write(lambda tx: prune_statistics(tx, limit=100))
        assert (kept(store).success, kept(store, HOUR_MS).success) == (minutes, hours)


def test_counts_from_before_the_totals_are_added_to_them(
    store: Store, worker: str, clock: Clock
) -> None:
    """A version that knew of none counted first; a window may begin in its time."""
    count_all(store)
    for _ in range(2):
        ended(store, worker, clock, 100)
        clock.advance(2 * HOUR_MS)
        assert count_all(store)
        run_sql(store.url, "delete from rota.statistic where job = ''")
        run_sql(store.url, "delete from rota.counted where name like 'totals%'")
    for _ in range(3):
        ended(store, worker, clock, 100)
        clock.advance(2 * HOUR_MS)
        assert count_all(store)

    for span_ms in (MINUTE_MS, HOUR_MS):
        for since in (0, START_MS + 5 * HOUR_MS, START_MS + 8 * HOUR_MS):
            at = {"span_ms": span_ms, "since": since}
            assert kept(store, whole=True, **at) == kept(store, **at), at
    assert kept(store, whole=True).ended == 5
