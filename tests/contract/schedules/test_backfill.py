"""Backfill: past instants as runs, a few at a time, each once, and progress that can be read."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from rota.engine.runs.rerun import rerun
from rota.engine.schedules import definitions as schedules
from rota.engine.schedules.backfills.fill import fill, start_backfill
from rota.engine.schedules.backfills.span import BackfillRange
from rota.ids import new_id
from rota.store.base import Store, Tx
from tests.contract.builders import HOME, Clock, run_sql
from tests.contract.failures.dead_letter_builders import redrive_all
from tests.contract.schedules.backfill_builders import (
    HOURS,
    ON,
    begin,
    fill_some,
    progress,
    work_off,
)
from tests.contract.schedules.builders import (
    DAY,
    HOUR,
    MINUTE,
    SECOND,
    TABLES,
    end_one,
    every,
    fire_some,
    fired,
    given_job,
    given_schedule,
    origin_of,
    put,
    runs_of,
    show,
)


@pytest.fixture
def clock() -> Clock:
    return Clock(ON)


def test_a_range_becomes_runs_from_its_start_to_before_its_end(
    store: Store, clock: Clock, worker: str
) -> None:
    given_schedule(store, "1h", args={"n": 1})
    begun = begin(store)

    order = work_off(store, worker)

    done = progress(store, begun.id)
    assert order == HOURS
    assert (begun.total, begun.state, done.state) == (3, "active", "done")
    assert (done.seen, done.started, done.succeeded, done.failed, done.live) == (3, 3, 3, 0, 0)
    run = runs_of(store)[0]
    origin = origin_of(run)
    assert (origin.kind, origin.interval_start, run.args) == ("backfill", ON - 4 * HOUR, '{"n":1}')


def test_the_newest_may_go_first(store: Store, clock: Clock, worker: str) -> None:
    given_schedule(store, "1h")
    begin(store, newest_first=True)

    assert work_off(store, worker) == HOURS[::-1]


def test_only_so_many_run_at_once_and_the_schedule_itself_is_not_held_up(
    store: Store, clock: Clock, worker: str
) -> None:
    given_schedule(store, "1h", overlap="skip")
    begin(store, hours=10, parallel=2)
    fill_some(store)
    assert fill_some(store) == 0
    assert run_sql(store.url, "select count(*) from rota.run") == [(2,)]

    clock.advance(HOUR)
    assert fire_some(store).runs == 1
    end_one(store, worker)
    fill_some(store)

    assert run_sql(store.url, "select count(*) from rota.run") == [(3,)]
    assert show(store).skipped == 0


def test_a_long_range_goes_in_chunks_and_skips_what_is_there(
    store: Store, clock: Clock, worker: str
) -> None:
    given_schedule(store, "1h")
    begin(store, hours=250, parallel=1_000)
    order = work_off(store, worker)
    assert len(order) == 250

    again = begin(store, hours=251)

    assert work_off(store, worker)[250:] == []
    assert len(runs_of(store)) == 251
    assert progress(store, again.id).started == 1


@pytest.mark.parametrize(
    ("reprocess", "ended_as", "count"),
    [
        ("missing", "succeed", 0),
        ("missing", "fail", 0),
        ("failed", "succeed", 0),
        ("failed", "fail", 3),
        ("all", "succeed", 3),
        ("all", "fail", 3),
    ],
)
def test_the_rule_says_which_instants_run_again(
    store: Store, clock: Clock, worker: str, reprocess: str, ended_as: str, count: int
) -> None:
    given_schedule(store, "1h")
    begin(store)
    work_off(store, worker, ended_as)

    again = begin(store, reprocess=reprocess)
    work_off(store, worker)

    assert progress(store, again.id).started == count


def run_again(store: Store, run_id: str) -> str:
    fresh = new_id()
    store.write(lambda tx: rerun(tx, run_id, namespace=HOME, new_id=fresh, who="ann"))
    return fresh


@pytest.mark.parametrize(("ended_as", "started"), [("succeed", 2), ("fail", 3)])
def test_an_instant_that_a_rerun_has_mended_is_not_run_again(
    store: Store, clock: Clock, worker: str, ended_as: str, started: int
) -> None:
    given_schedule(store, "1h")
    begin(store)
    work_off(store, worker, "fail")
    (first, *_) = fired(store)
    once = run_again(store, first.run_id or "")
    assert end_one(store, worker, "fail") == once
    twice = run_again(store, once)
    assert (fired(store)[0].run_id, fired(store)[0].state) == (twice, "queued")
    assert end_one(store, worker, ended_as) == twice

    shown = {each.instant.ms: (each.run_id, each.state) for each in fired(store)}
    mends = ended_as == "succeed"
    assert shown[first.instant.ms] == ((twice, "success") if mends else (first.run_id, "failed"))
    again = begin(store, reprocess="failed")
    work_off(store, worker)
    assert progress(store, again.id).started == started


def test_an_instant_whose_rerun_has_not_ended_is_left_to_it(
    store: Store, clock: Clock, worker: str
) -> None:
    given_schedule(store, "1h")
    begin(store)
    work_off(store, worker, "fail")
    redrive_all(store, [each.run_id or "" for each in fired(store)])

    again = begin(store, reprocess="failed")
    fill_some(store)

    assert progress(store, again.id).started == 0


@pytest.mark.parametrize("reprocess", ["missing", "failed", "all"])
def test_ad_07_no_second_run_while_one_has_not_ended(
    store: Store, clock: Clock, reprocess: str
) -> None:
    given_schedule(store, "1h")
    begin(store, parallel=10)
    fill_some(store)

    again = begin(store, reprocess=reprocess, parallel=10)
    fill_some(store)

    assert progress(store, again.id).state == "done"
    assert run_sql(store.url, "select count(*) from rota.run") == [(3,)]


def test_the_same_request_twice_is_one_backfill(store: Store, clock: Clock, worker: str) -> None:
    given_schedule(store, "1h")
    backfill_id = new_id()

    first = begin(store, backfill_id=backfill_id)
    work_off(store, worker)
    again = begin(store, backfill_id=backfill_id)

    assert (first.id, again.state) == (again.id, "done")
    assert len(runs_of(store)) == 3


def test_a_backfill_leaves_due_instants_to_the_scheduler(store: Store, clock: Clock) -> None:
    given_schedule(store, "1m")
    clock.advance(5 * MINUTE)
    wanted = BackfillRange(from_at=ON - 2 * MINUTE, to_at=ON + DAY, parallel=100)
    store.write(
        lambda tx: start_backfill(
            tx, "s", wanted, namespace=HOME, backfill_id=new_id(), compiled=TABLES
        )
    )

    fill_some(store)

    assert [each.instant.ms for each in fired(store)] == [ON - 2 * MINUTE, ON - MINUTE, ON]


def test_instants_backfilled_in_a_pause_are_not_caught_up_again(store: Store, clock: Clock) -> None:
    given_schedule(store, "1h")
    store.write(lambda tx: schedules.pause(tx, "s", namespace=HOME, who="anna"))
    clock.advance(3 * HOUR + MINUTE)
    wanted = BackfillRange(from_at=ON, to_at=clock.ms, parallel=100)
    store.write(
        lambda tx: start_backfill(
            tx, "s", wanted, namespace=HOME, backfill_id=new_id(), compiled=TABLES
        )
    )
    fill_some(store)

    store.write(lambda tx: schedules.resume(tx, "s", namespace=HOME, who="anna"))
    fire_some(store)

    made = [each.instant.ms for each in fired(store) if each.run_id]
    assert made == [ON, ON + HOUR, ON + 2 * HOUR, ON + 3 * HOUR]


@pytest.mark.postgres
@pytest.mark.parametrize("rival", ["backfill", "time"])
def test_one_that_is_being_filled_keeps_others_from_its_instants(
    postgres_store: Store, clock: Clock, rival: str
) -> None:
    """Another backfill of the same range; or the firings missed while it was paused."""
    store = postgres_store
    given_job(store)
    put(store, every("1h", catchup="all", catchup_window="30d", is_paused=True))
    clock.advance(5 * HOUR)
    wanted = BackfillRange(from_at=ON, to_at=ON + 5 * HOUR, parallel=100)
    for _ in range(2 if rival == "backfill" else 1):
        store.write(
            lambda tx: start_backfill(
                tx, "s", wanted, namespace=HOME, backfill_id=new_id(), compiled=TABLES
            )
        )
    store.write(lambda tx: schedules.resume(tx, "s", namespace=HOME, who="ann"))
    has_filled, may_commit = threading.Event(), threading.Event()

    def first(tx: Tx) -> None:
        fill(tx, limit=1, compiled=TABLES, new_id=new_id)
        has_filled.set()
        assert may_commit.wait(20)

    with ThreadPoolExecutor(1) as threads:
        filling = threads.submit(store.write, first)
        assert has_filled.wait(20)
        fill_some(store) if rival == "backfill" else fire_some(store)
        may_commit.set()
        filling.result()
    clock.advance(SECOND)
    fill_some(store)
    fire_some(store)

    made = Counter(each.instant.ms for each in fired(store) if each.run_id)
    assert made == {ON + n * HOUR: 1 for n in range(6)}
