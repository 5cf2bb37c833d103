"""Fire: each instant once, by whomever, whatever the clock does; a bad row hurts only itself."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from rota.engine import schedules
from rota.engine.fire import fire, next_look
from rota.engine.timetables import Timetables
from rota.ids import new_id
from rota.model.schedule import Every, Schedule
from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import HOME, START_MS, Clock, claim_some, run_sql
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
    instants,
    origin_of,
    put,
    runs_of,
    show,
    states_of,
)

ON = START_MS // DAY * DAY
"""An instant at which every round interval fires."""


@pytest.fixture
def clock() -> Clock:
    return Clock(ON)


def wait_of(store: Store) -> int | None:
    found = store.read(next_look)
    return None if found is None else found.wait_ms


def test_a_schedule_fires_at_its_time_and_not_before(store: Store, clock: Clock) -> None:
    given_schedule(store, "1m")

    clock.advance(MINUTE - 1)
    early = fire_some(store)
    clock.advance(1)
    on_time = fire_some(store)

    assert (early.looked, on_time.runs) == (0, 1)
    assert states_of(store) == [State.QUEUED]
    assert wait_of(store) == MINUTE


def test_the_next_look_knows_how_many_are_due_then(store: Store, clock: Clock) -> None:
    for name, text in (("a", "1m"), ("b", "1m"), ("c", "1h"), ("d", "2h")):
        given_schedule(store, text, name=name)

    found = [store.read(lambda tx, ms=ms: next_look(tx, within_ms=ms)) for ms in (0, HOUR)]  # type: ignore[misc]

    assert [each and (each.wait_ms, each.crowd) for each in found] == [(MINUTE, 2), (MINUTE, 3)]


def test_a_look_ahead_fires_as_if_the_time_had_come(store: Store, clock: Clock) -> None:
    given_schedule(store, "1m")
    clock.advance(MINUTE - 5)

    fired_early = store.write(
        lambda tx: fire(tx, limit=10, timetables=TABLES, new_id=new_id, ahead_ms=5)
    )

    assert (fired_early.runs, fired_early.early_ms) == (1, 5)
    assert (instants(store), show(store).next_at) == ([ON + MINUTE], ON + 2 * MINUTE)


def test_nothing_due_means_no_wait_is_known(store: Store) -> None:
    assert wait_of(store) is None


def test_a_run_knows_its_instant_its_interval_and_its_schedule(
    store: Store, clock: Clock, worker: str
) -> None:
    given_schedule(store, "1m", args={"n": 1})
    for _ in range(2):
        clock.advance(MINUTE)
        fire_some(store)

    leases = claim_some(store, worker)

    origins = [origin_of(run) for run in runs_of(store)]
    assert [each.scheduled_for for each in origins] == [ON + MINUTE, ON + 2 * MINUTE]
    assert [each.interval_start for each in origins] == [ON, ON + MINUTE]
    assert {(each.schedule, each.kind) for each in origins} == {("s", "time")}
    assert [lease.args for lease in leases] == ['{"n":1}'] * 2
    assert all(lease.origin for lease in leases)


def test_the_first_interval_begins_where_the_rule_would_have_fired_before(
    store: Store, clock: Clock
) -> None:
    clock.advance(10 * SECOND)
    given_schedule(store, "1m")
    clock.advance(50 * SECOND)

    fire_some(store)

    assert origin_of(runs_of(store)[0]).interval_start == ON


def test_runs_go_by_the_newest_definition_of_their_job(store: Store, clock: Clock) -> None:
    given_schedule(store, "1m")
    given_job(store, queue="slow", priority=5, expires_ms=9_000, delivery="at_most_once")
    clock.advance(MINUTE)

    fire_some(store)

    (run,) = runs_of(store)
    assert (run.version, run.queue, run.priority, run.at_most_once) == (2, "slow", 5, True)


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


def test_a_schedule_ends_after_its_count(store: Store, clock: Clock) -> None:
    given_schedule(store, "1m", count=2, grace="1h")
    clock.advance(5 * MINUTE)

    fire_some(store)

    view = show(store)
    assert (view.state, view.fired, view.next_at, len(runs_of(store))) == ("ended", 2, None, 2)


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

    fire_some(store, tables=Timetables("newer", lambda: 0.5))

    assert run_sql(store.url, "select rules_version from rota.schedule") == [("newer",)]


def test_all_namespaces_fire_in_one_look(store: Store, clock: Clock) -> None:
    for namespace in ("a", "b"):
        given_job(store, namespace=namespace)
        put(store, every("1m"), namespace=namespace)
    clock.advance(MINUTE)

    assert fire_some(store).runs == 2


def test_the_longest_due_are_looked_at_first(store: Store, clock: Clock) -> None:
    for name, text in (("slow", "3m"), ("quick", "1m"), ("middle", "2m")):
        given_schedule(store, text, name=name)
    clock.advance(3 * MINUTE)

    fire_some(store, limit=2)

    assert [name for name in ("quick", "middle", "slow") if fired(store, name)] == [
        "quick",
        "middle",
    ]


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


def test_a_removed_schedule_fires_no_more(store: Store, clock: Clock) -> None:
    given_schedule(store, "1m")
    store.write(lambda tx: schedules.remove(tx, "s", namespace=HOME))
    clock.advance(HOUR)

    assert fire_some(store).looked == 0
