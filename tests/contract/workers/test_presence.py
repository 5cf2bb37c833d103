"""Presence and amnesty: leases that end early, and leases that are kept although they ran out."""

from __future__ import annotations

import psycopg
import pytest

from rota.engine.workers import chores
from rota.engine.workers.chores import take_chore
from rota.engine.workers.heartbeat import heartbeat
from rota.engine.workers.presence import give_up, sightings
from rota.engine.workers.registry import NewWorker, register, workers
from rota.ids import new_id
from rota.model.states import State
from rota.rules.presence import GRACE_MS
from rota.runtime.chores import lifecycle as janitor
from rota.store.base import Store, Tx
from tests.contract.builders import (
    HOME,
    LEASE_MS,
    Clock,
    given_lease,
    reap_some,
    run_sql,
    state_of,
)

GAP_MS = LEASE_MS // 2
FREE_CHORES = "select 1 from rota.chore where name = 'reap' for update skip locked"


def given_present(store: Store, presence: str) -> str:
    """A worker whose process can be seen."""
    worker = NewWorker(
        id=new_id(), name="w", host="h", pid=1, queues=(), slots=1, version="0", presence=presence
    )
    store.write(lambda tx: register(tx, worker, namespace=HOME, lease_ms=LEASE_MS))
    return worker.id


def look(store: Store, *gone: str, is_certain: bool = False) -> tuple[str, ...]:
    return store.write(lambda tx: give_up(tx, gone, is_certain=is_certain)).dead


def beat(store: Store, worker_id: str, presence: str) -> None:
    store.write(lambda tx: heartbeat(tx, worker_id, lease_ms=LEASE_MS, held=[], presence=presence))


def take_reap(store: Store) -> bool:
    return store.write(lambda tx: take_chore(tx, "reap", interval_ms=700, gap_ms=GAP_MS))


def test_a_process_that_stays_away_for_the_grace_loses_its_runs_before_its_lease_ends(
    store: Store, clock: Clock
) -> None:
    worker = given_present(store, "1:1")
    lease = given_lease(store, worker_id=worker)
    first = look(store, "1:1")
    clock.advance(GRACE_MS - 1)
    early = look(store, "1:1")
    nothing = reap_some(store)
    clock.advance(1)
    late = look(store, "1:1")

    assert (first, early, nothing, late) == ((), (), 0, (worker,))
    assert reap_some(store) == 1
    assert state_of(store, lease.run_id) is State.QUEUED
    assert store.read(lambda tx: workers(tx, namespace=HOME)) == []


def test_a_worker_that_lost_its_connection_and_beats_keeps_its_runs(
    store: Store, clock: Clock
) -> None:
    worker = given_present(store, "1:1")
    given_lease(store, worker_id=worker)
    look(store, "1:1")
    clock.advance(GRACE_MS - 1)
    beat(store, worker, "2:2")
    clock.advance(GRACE_MS)

    assert look(store, "1:1") == ()
    assert reap_some(store) == 0


def test_a_worker_that_is_seen_again_starts_a_new_grace(store: Store, clock: Clock) -> None:
    worker = given_present(store, "1:1")
    look(store, "1:1")
    clock.advance(GRACE_MS)
    look(store)
    again = look(store, "1:1")
    clock.advance(GRACE_MS)

    assert again == ()
    assert look(store, "1:1") == (worker,)


def test_a_process_that_is_certainly_dead_is_given_up_at_once(store: Store) -> None:
    worker = given_present(store, "here/1/1")
    lease = given_lease(store, worker_id=worker)

    assert look(store, "here/1/1", is_certain=True) == (worker,)
    assert reap_some(store) == 1
    assert state_of(store, lease.run_id) is State.QUEUED


def test_workers_that_cannot_be_seen_are_left_to_their_leases(store: Store, worker: str) -> None:
    assert store.read(sightings) == []
    assert look(store, "1:1") == ()


def test_after_a_gap_in_reaping_the_living_have_one_lease_to_come_back(
    store: Store, worker: str, clock: Clock
) -> None:
    lease = given_lease(store, worker_id=worker)
    take_reap(store)
    clock.advance(3 * LEASE_MS)
    take_reap(store)
    at_once = reap_some(store)
    for step_ms in (GAP_MS, GAP_MS - 1):
        clock.advance(step_ms)
        take_reap(store)
    early = reap_some(store)
    clock.advance(1)

    assert (at_once, early) == (0, 0)
    assert state_of(store, lease.run_id) is State.RUNNING
    assert reap_some(store) == 1


def test_a_worker_that_beats_within_the_amnesty_keeps_its_runs(
    store: Store, worker: str, clock: Clock
) -> None:
    take_reap(store)
    clock.advance(3 * LEASE_MS)
    take_reap(store)
    reap_some(store)
    clock.advance(LEASE_MS - 1)
    pulse = store.write(lambda tx: heartbeat(tx, worker, lease_ms=LEASE_MS, held=[]))

    assert pulse.is_known


@pytest.mark.parametrize(("gap_ms", "is_spared"), [(GAP_MS, False), (GAP_MS + 1, True)])
def test_a_gap_is_longer_than_half_a_lease(
    store: Store, worker: str, clock: Clock, gap_ms: int, *, is_spared: bool
) -> None:
    given_lease(store, worker_id=worker)
    clock.advance(LEASE_MS)
    take_reap(store)
    clock.advance(gap_ms)
    take_reap(store)

    assert reap_some(store) == (0 if is_spared else 1)


def test_in_an_amnesty_only_certain_deaths_count(store: Store, clock: Clock) -> None:
    worker = given_present(store, "1:1")
    given_lease(store, worker_id=worker)
    take_reap(store)
    clock.advance(3 * LEASE_MS)
    take_reap(store)
    look(store, "1:1")
    clock.advance(GRACE_MS)
    by_session = look(store, "1:1")
    spared = reap_some(store)

    assert (by_session, spared) == ((), 0)
    assert look(store, "1:1", is_certain=True) == (worker,)
    assert reap_some(store) == 1


def test_runs_of_a_worker_that_left_no_row_are_not_spared(store: Store, clock: Clock) -> None:
    given_lease(store, worker_id=new_id())
    take_reap(store)
    clock.advance(3 * LEASE_MS)
    take_reap(store)

    assert reap_some(store) == 1


@pytest.mark.postgres
def test_a_reaper_that_freezes_does_not_keep_the_others_from_reaping(
    postgres_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row that it held would stay locked for seconds, and that is a gap with an amnesty."""
    seen: list[int] = []

    def take_and_freeze(tx: Tx, name: str, **options: int) -> bool:
        is_taken = chores.take_chore(tx, name, **options)
        seen.append(len(run_sql(postgres_store.url, FREE_CHORES)))
        return is_taken

    take_reap(postgres_store)
    monkeypatch.setattr(janitor, "take_chore", take_and_freeze)
    janitor.Reaper(postgres_store, lease_ms=LEASE_MS).tick()

    assert seen == [1]


@pytest.mark.postgres
def test_a_judge_that_freezes_does_not_keep_the_others_from_giving_up(
    postgres_store: Store, clock: Clock
) -> None:
    store = postgres_store
    held, dead = given_present(store, "1:1"), given_present(store, "2:2")
    leases = [given_lease(store, worker_id=each) for each in (held, dead)]
    look(store, "1:1", "2:2")
    clock.advance(GRACE_MS)
    with psycopg.connect(store.url) as frozen:
        frozen.execute("select 1 from rota.worker where id = %s for update", (held,))
        look(store, "1:1", "2:2")
        reap_some(store)

    states = [state_of(store, lease.run_id) for lease in leases]
    assert states == [State.RUNNING, State.QUEUED]
    look(store, "1:1")
    assert reap_some(store) == 1
