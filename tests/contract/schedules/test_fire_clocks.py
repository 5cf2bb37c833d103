"""Fire, whatever the clock does: each instant once, missed ones by the rule, by changed rules."""

from __future__ import annotations

import json
import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from rota.engine.schedules.compiled import CompiledSchedules
from rota.store.base import Store
from tests.contract.builders import Clock, run_sql
from tests.contract.schedules.builders import (
    DAY,
    HOUR,
    MINUTE,
    SECOND,
    every,
    fire_some,
    given_job,
    given_schedule,
    instants,
    put,
    runs_of,
    show,
)
from tests.contract.schedules.fire_builders import ON, wait_of


@pytest.fixture
def clock() -> Clock:
    return Clock(ON)


def test_a_look_twice_at_the_same_moment_fires_once(store: Store, clock: Clock) -> None:
    given_schedule(store, "1m")
    clock.advance(MINUTE)

    counts = [fire_some(store).runs for _ in range(3)]

    assert counts == [1, 0, 0]


def test_an_instant_that_is_on_record_is_not_fired_again(store: Store, clock: Clock) -> None:
    """The unique key stands behind the cursor: for instance after a restore of half a table."""
    schedule_id = given_schedule(store, "1m")
    clock.advance(MINUTE)
    fire_some(store)
    run_sql(
        store.url,
        f"update rota.schedule set cursor_at = {ON}, next_at = {ON + MINUTE},"
        f" look_at = {ON + MINUTE} where id = '{schedule_id}'",
    )

    again = fire_some(store)

    assert (again.looked, again.runs, len(runs_of(store))) == (1, 0, 1)


def test_a_cursor_never_goes_back(store: Store, clock: Clock) -> None:
    """As when somebody writes who has looked long ago."""
    schedule_id = given_schedule(store, "1m")
    clock.advance(5 * MINUTE)
    fire_some(store)
    old = {
        "id": schedule_id, "state": "active", "note": None, "rules_version": "test",
        "cursor_at": ON, "last_at": ON, "next_at": ON + MINUTE, "look_at": ON + MINUTE,
        "fired": 0, "missed": 0, "skipped": 0,
    }  # fmt: skip

    store.write(lambda tx: tx.execute("move_schedules", batch=json.dumps([old])))

    assert run_sql(store.url, "select cursor_at from rota.schedule") == [(ON + 5 * MINUTE,)]


def test_a_clock_that_jumps_back_doubles_nothing(store: Store, clock: Clock) -> None:
    given_schedule(store, "1m")
    clock.advance(HOUR)
    fire_some(store)
    clock.advance(-HOUR)
    for _ in range(70):
        clock.advance(MINUTE)
        fire_some(store)

    found = instants(store)
    assert found == sorted(set(found))
    assert found[-10:] == [ON + HOUR + n * MINUTE for n in range(1, 11)]


def test_a_clock_that_jumps_forward_is_no_flood(store: Store, clock: Clock) -> None:
    given_schedule(store, "1s", catchup="last", grace="10s")
    clock.advance(DAY)

    once = fire_some(store)

    assert once.runs == 10
    assert show(store).missed == pytest.approx(86_390, rel=0.01)


def test_catching_up_all_makes_each_run_once_in_order(store: Store, clock: Clock) -> None:
    given_schedule(store, "1m", catchup="all", catchup_limit=1_000)
    clock.advance(100 * MINUTE)

    fire_some(store)

    assert instants(store) == [ON + n * MINUTE for n in range(1, 101)]
    assert show(store).missed == 0


def test_more_than_one_look_may_start_comes_in_the_next(store: Store, clock: Clock) -> None:
    given_schedule(store, "1s", grace="1h")
    clock.advance(1_500 * SECOND)

    first = fire_some(store)
    assert wait_of(store) == 0
    second = fire_some(store)

    assert (first.runs, second.runs) == (1_000, 500)


def test_k6_other_rules_of_time_never_fire_the_old_instant(store: Store, clock: Clock) -> None:
    given_schedule(store, "1m")
    # As if older rules had put the next instant half a minute too early.
    early = ON + 30 * SECOND
    run_sql(
        store.url,
        f"update rota.schedule set rules_version = 'old', next_at = {early}, look_at = {early}",
    )
    clock.advance(30 * SECOND)
    looked = fire_some(store)
    clock.advance(30 * SECOND)
    fire_some(store)

    assert (looked.looked, looked.runs) == (1, 0)
    assert instants(store) == [ON + MINUTE]


def test_a_process_with_newer_rules_writes_their_version(store: Store, clock: Clock) -> None:
    given_schedule(store, "1m")
    clock.advance(MINUTE)

    fire_some(store, tables=CompiledSchedules("newer", lambda: 0.5))

    assert run_sql(store.url, "select rules_version from rota.schedule") == [("newer",)]


def test_four_schedulers_at_once_fire_each_instant_once(store: Store, clock: Clock) -> None:
    """With a clock that jumps both ways: none doubled, none missing."""
    chance = random.Random(7)
    given_job(store)
    spans = {f"s{n}": (n % 7 + 1) * SECOND for n in range(60)}
    for name, span in spans.items():
        put(store, every(f"{span}ms", catchup="all", catchup_limit=10_000, grace="1h"), name=name)
    newest = ON
    with ThreadPoolExecutor(4) as threads:
        for _ in range(60):
            clock.advance(chance.choice((-30, 5, 10, 20)) * SECOND + chance.randrange(1_000))
            newest = max(newest, clock.ms)
            for done in [threads.submit(fire_some, store, limit=9) for _ in range(16)]:
                done.result()
        clock.ms = newest
        while any(
            done.result().looked for done in [threads.submit(fire_some, store) for _ in range(4)]
        ):
            pass

    for name, span in spans.items():
        wanted = list(range((ON // span + 1) * span, newest + 1, span))
        assert instants(store, name) == wanted, name
    total = run_sql(store.url, "select count(*), count(distinct run_id) from rota.firing")[0]
    assert total[0] == total[1] == sum(len(instants(store, name)) for name in spans)
    assert run_sql(store.url, "select count(*) from rota.run") == [(total[0],)]
