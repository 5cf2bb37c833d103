"""Fire: a schedule's time has come, and its runs are made as its job says."""

from __future__ import annotations

import pytest

from rota.engine.schedules.fire import fire, next_look
from rota.ids import new_id
from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import Clock, claim_some
from tests.contract.schedules.builders import (
    HOUR,
    MINUTE,
    SECOND,
    TABLES,
    every,
    fire_some,
    fired,
    given_job,
    given_schedule,
    instants,
    next_ms,
    origin_of,
    put,
    runs_of,
    show,
    states_of,
)
from tests.contract.schedules.fire_builders import ON, wait_of


@pytest.fixture
def clock() -> Clock:
    return Clock(ON)


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
        lambda tx: fire(tx, limit=10, compiled=TABLES, new_id=new_id, ahead_ms=5)
    )

    assert (fired_early.runs, fired_early.early_ms) == (1, 5)
    assert (instants(store), next_ms(show(store))) == ([ON + MINUTE], ON + 2 * MINUTE)


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
