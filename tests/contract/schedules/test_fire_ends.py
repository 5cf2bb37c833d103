"""When a schedule fires no more: counts, limits, ends of runs, bad rows, removal."""

from __future__ import annotations

import pytest

from rota.engine.schedules import definitions as schedules
from rota.model.schedules.definitions import Every, Schedule
from rota.store.base import Store
from tests.contract.builders import HOME, Clock, claim_some, run_sql
from tests.contract.schedules.builders import (
    HOUR,
    MINUTE,
    SECOND,
    end_one,
    every,
    fire_some,
    given_job,
    given_schedule,
    instants,
    next_ms,
    put,
    runs_of,
    show,
    trigger_now,
)
from tests.contract.schedules.fire_builders import ON


@pytest.fixture
def clock() -> Clock:
    return Clock(ON)


def test_a_schedule_ends_after_its_count(store: Store, clock: Clock) -> None:
    given_schedule(store, "1m", count=2, grace="1h")
    clock.advance(5 * MINUTE)

    fire_some(store)

    view = show(store)
    assert (view.state, view.fired, next_ms(view), len(runs_of(store))) == ("ended", 2, None, 2)


def test_skipped_starts_do_not_count(store: Store, clock: Clock) -> None:
    given_schedule(store, "1m", count=2, overlap="skip")
    for _ in range(4):
        clock.advance(MINUTE)
        fire_some(store)

    view = show(store)
    assert (view.state, view.fired, view.skipped) == ("active", 1, 3)


def test_a_late_start_limit_becomes_the_expiry_of_the_run(
    store: Store, clock: Clock, worker: str
) -> None:
    given_schedule(store, "1m", start_within="5s")
    clock.advance(MINUTE + 2 * SECOND)
    fire_some(store)

    clock.advance(3 * SECOND)

    assert claim_some(store, worker) == []
    assert instants(store) == [ON + MINUTE]


def test_one_that_counts_from_the_end_waits_for_it(store: Store, clock: Clock, worker: str) -> None:
    given_job(store)
    put(store, Schedule(trigger=Every(every="1m", from_end=True)))
    clock.advance(MINUTE)
    fire_some(store)
    clock.advance(10 * MINUTE)
    assert fire_some(store).runs == 0
    end_one(store, worker)
    assert fire_some(store).runs == 0  # now it knows when the run ended

    clock.advance(MINUTE - 1)
    early = fire_some(store).runs
    clock.advance(1)

    assert (early, fire_some(store).runs) == (0, 1)
    assert instants(store) == [ON + MINUTE, ON + 12 * MINUTE]


def test_z5_bad_rows_go_to_error_and_the_others_fire(store: Store, clock: Clock) -> None:
    given_job(store)
    for n in range(6):
        put(store, every("1m"), name=f"s{n}")
    put(store, every("1m"), name="orphan", job="nobody")
    run_sql(store.url, "update rota.schedule set spec = '{\"trigger\"' where name = 's1'")
    broken = '{"trigger":{"type":"every","every":"never"}}'
    run_sql(store.url, f"update rota.schedule set spec = '{broken}' where name = 's2'")
    clock.advance(MINUTE)

    found = fire_some(store)

    bad = {"s1", "s2", "orphan"}
    assert {name for name, _ in found.broken} == bad
    assert found.runs == 4
    assert {name for name in [*bad, "s0"] if show(store, name).state == "error"} == bad
    assert "nobody" in (show(store, "orphan").note or "")
    assert fire_some(store).looked == 0


def test_a_bad_schedule_is_mended_by_a_new_definition(store: Store, clock: Clock) -> None:
    given_schedule(store, "1m")
    run_sql(store.url, "update rota.schedule set spec = 'x'")
    clock.advance(MINUTE)
    fire_some(store)

    put(store, every("1m"))
    clock.advance(MINUTE)

    assert (fire_some(store).runs, show(store).state) == (1, "active")


def test_a_removed_schedule_fires_no_more(store: Store, clock: Clock) -> None:
    given_schedule(store, "1m")
    store.write(lambda tx: schedules.remove(tx, "s", namespace=HOME))
    clock.advance(HOUR)

    assert fire_some(store).looked == 0


def test_starts_by_hand_use_up_the_count(store: Store, clock: Clock) -> None:
    given_schedule(store, "1m", count=2)
    trigger_now(store)
    trigger_now(store)
    clock.advance(MINUTE)
    fire_some(store)

    view = show(store)
    assert (view.fired, view.state) == (2, "ended")


def test_a_used_up_count_stays_so_with_other_arguments(store: Store, clock: Clock) -> None:
    given_schedule(store, "1m", count=1)
    for _ in range(2):
        clock.advance(MINUTE)
        fire_some(store)
    put(store, every("1m", count=1, args={"a": 1}))
    clock.advance(MINUTE)
    fire_some(store)

    view = show(store)
    assert (view.fired, view.state) == (1, "ended")
