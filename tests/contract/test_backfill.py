"""Backfill: past instants as runs, a few at a time, each once, and progress that can be read."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from rota.engine import schedules
from rota.engine.backfill import (
    cancel_backfill,
    fill,
    preview_backfill,
    start_backfill,
)
from rota.engine.backfill_range import Range
from rota.engine.backfill_views import backfills, show_backfill
from rota.errors import BadInput, NotAllowed, UnknownBackfill, UnknownSchedule
from rota.ids import new_id
from rota.model.schedule import Every, Schedule
from rota.model.states import State
from rota.store.base import Store, Tx
from tests.contract.backfill_builders import HOURS, ON, begin, fill_some, progress, work_off
from tests.contract.builders import HOME, Clock, run_sql
from tests.contract.schedule_builders import (
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


def test_a_preview_writes_nothing(store: Store, clock: Clock, worker: str) -> None:
    given_schedule(store, "1h")
    begin(store, hours=1)
    work_off(store, worker)
    wanted = Range(from_at=ON - 3 * HOUR, to_at=ON)

    found = store.read(
        lambda tx: preview_backfill(tx, "s", wanted, namespace=HOME, timetables=TABLES)
    )

    assert [(each.instant, each.starts, each.state) for each in found] == [
        (ON - 3 * HOUR, True, None),
        (ON - 2 * HOUR, True, None),
        (ON - HOUR, False, "success"),
    ]
    assert len(runs_of(store)) == 1


def test_what_is_due_now_is_left_to_the_scheduler(store: Store, clock: Clock) -> None:
    given_schedule(store, "1m")
    clock.advance(5 * MINUTE)
    wanted = Range(from_at=ON - 2 * MINUTE, to_at=ON + DAY, parallel=100)
    store.write(
        lambda tx: start_backfill(
            tx, "s", wanted, namespace=HOME, backfill_id=new_id(), timetables=TABLES
        )
    )

    fill_some(store)

    assert [each.instant for each in fired(store)] == [ON - 2 * MINUTE, ON - MINUTE, ON]


def test_what_was_backfilled_in_a_pause_is_not_caught_up_again(store: Store, clock: Clock) -> None:
    given_schedule(store, "1h")
    store.write(lambda tx: schedules.pause(tx, "s", namespace=HOME, who="anna"))
    clock.advance(3 * HOUR + MINUTE)
    wanted = Range(from_at=ON, to_at=clock.ms, parallel=100)
    store.write(
        lambda tx: start_backfill(
            tx, "s", wanted, namespace=HOME, backfill_id=new_id(), timetables=TABLES
        )
    )
    fill_some(store)

    store.write(lambda tx: schedules.resume(tx, "s", namespace=HOME, who="anna"))
    fire_some(store)

    made = [each.instant for each in fired(store) if each.run_id]
    assert made == [ON, ON + HOUR, ON + 2 * HOUR, ON + 3 * HOUR]


def test_a_cancelled_backfill_starts_no_more(store: Store, clock: Clock, worker: str) -> None:
    given_schedule(store, "1h")
    begun = begin(store)
    fill_some(store)

    store.write(lambda tx: cancel_backfill(tx, begun.id, namespace=HOME, note="enough"))
    end_one(store, worker)

    assert fill_some(store) == 0
    view = progress(store, begun.id)
    assert (view.state, view.note, view.succeeded) == ("cancelled", "enough", 1)
    with pytest.raises(NotAllowed, match="cancelled already"):
        store.write(lambda tx: cancel_backfill(tx, begun.id, namespace=HOME))


def test_a_removed_schedule_ends_its_backfills(store: Store, clock: Clock) -> None:
    given_schedule(store, "1h")
    begun = begin(store)

    store.write(lambda tx: schedules.remove(tx, "s", namespace=HOME))

    assert (fill_some(store), progress(store, begun.id).state) == (0, "cancelled")


def test_a_broken_schedule_ends_its_backfill_with_the_reason(store: Store, clock: Clock) -> None:
    given_schedule(store, "1h")
    begun = begin(store)
    run_sql(store.url, "update rota.schedule set spec = 'x'")

    fill_some(store)

    view = progress(store, begun.id)
    assert view.state == "error"
    assert "cannot be read" in (view.note or "")


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"hours": 20_000}, "about 20,000 firings"),
        ({"hours": 0}, "the range is empty"),
        ({"parallel": 0}, "parallel=0"),
        ({"most": 2_000_000}, "most=2000000"),
    ],
)
def test_what_makes_no_sense_is_refused(
    store: Store, clock: Clock, wish: dict[str, Any], said: str
) -> None:
    given_schedule(store, "1h")

    with pytest.raises(BadInput, match=said):
        begin(store, **wish)


def test_a_larger_number_may_be_confirmed(store: Store, clock: Clock) -> None:
    given_schedule(store, "1h")

    assert begin(store, hours=20_000, most=50_000).total == pytest.approx(20_000, rel=0.01)


def test_one_that_counts_from_the_end_has_no_past(store: Store, clock: Clock) -> None:
    given_job(store)
    put(store, Schedule(trigger=Every(every="1h", from_end=True)))

    with pytest.raises(BadInput, match="from_end"):
        begin(store)


def test_unknown_names_say_so(store: Store, clock: Clock) -> None:
    with pytest.raises(UnknownSchedule):
        begin(store)
    with pytest.raises(UnknownBackfill):
        progress(store, new_id())
    with pytest.raises(UnknownBackfill):
        progress(store, "nonsense")


def test_backfills_are_listed_newest_first(store: Store, clock: Clock) -> None:
    given_schedule(store, "1h")
    ids = [begin(store).id for _ in range(2)]

    found = store.read(lambda tx: backfills(tx, namespace=HOME, schedule="s"))

    assert [view.id for view in found] == ids[::-1]
    assert {view.schedule for view in found} == {"s"}


def test_a_failed_run_is_counted(store: Store, clock: Clock, worker: str) -> None:
    given_schedule(store, "1h")
    begun = begin(store)

    work_off(store, worker, "fail")

    view = progress(store, begun.id)
    assert (view.failed, view.succeeded) == (3, 0)
    assert show(store).failures == 0
    assert State.FAILED in [run.state for run in runs_of(store)]


def _fill(tx: Tx) -> int:
    return fill(tx, limit=10, timetables=TABLES, new_id=new_id)


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
    wanted = Range(from_at=ON, to_at=ON + 5 * HOUR, parallel=100)
    for _ in range(2 if rival == "backfill" else 1):
        store.write(
            lambda tx: start_backfill(
                tx, "s", wanted, namespace=HOME, backfill_id=new_id(), timetables=TABLES
            )
        )
    store.write(lambda tx: schedules.resume(tx, "s", namespace=HOME, who="ann"))
    has_filled, may_commit = threading.Event(), threading.Event()

    def first(tx: Tx) -> None:
        fill(tx, limit=1, timetables=TABLES, new_id=new_id)
        has_filled.set()
        assert may_commit.wait(20)

    with ThreadPoolExecutor(1) as threads:
        filling = threads.submit(store.write, first)
        assert has_filled.wait(20)
        store.write(_fill) if rival == "backfill" else fire_some(store)
        may_commit.set()
        filling.result()
    clock.advance(SECOND)
    store.write(_fill)
    fire_some(store)

    made = Counter(each.instant for each in fired(store) if each.run_id)
    assert made == {ON + n * HOUR: 1 for n in range(6)}


def test_one_without_its_schedule_ends(store: Store, clock: Clock) -> None:
    given_schedule(store, "1h")
    begun = begin(store)
    run_sql(store.url, "delete from rota.schedule")
    store.write(_fill)

    view = store.read(lambda tx: show_backfill(tx, begun.id, namespace=HOME))
    assert (view.state, view.note) == ("error", "its schedule was removed")


def test_a_preview_leaves_out_what_has_not_come(store: Store, clock: Clock) -> None:
    given_schedule(store, "1h")
    clock.advance(2 * HOUR)
    fire_some(store)
    wanted = Range(from_at=ON, to_at=ON + DAY, reprocess="all")
    planned = store.read(
        lambda tx: preview_backfill(tx, "s", wanted, namespace=HOME, timetables=TABLES)
    )
    assert [each.instant for each in planned] == [ON, ON + HOUR, ON + 2 * HOUR]


@pytest.mark.parametrize("span", [0, 365 * DAY])
def test_a_preview_refuses_what_the_backfill_would(store: Store, clock: Clock, span: int) -> None:
    given_schedule(store, "1m")
    wanted = Range(from_at=ON - span, to_at=ON)
    with pytest.raises(BadInput, match="backfill: the range"):
        store.read(lambda tx: preview_backfill(tx, "s", wanted, namespace=HOME, timetables=TABLES))
