"""Firing beside workers that end runs: nobody waits for ever, never too many at once."""

from __future__ import annotations

import contextlib
import random
import threading
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from rota.engine.schedules.fire import fire
from rota.errors import NotAllowed
from rota.ids import new_id
from rota.model.runs.run import Lease
from rota.model.states import State
from rota.store.base import Store, Tx
from tests.contract.builders import (
    START_MS,
    Clock,
    cancel_run,
    claim_some,
    finish_with,
    given_worker,
    run_sql,
)
from tests.contract.schedules.builders import (
    DAY,
    SECOND,
    TABLES,
    every,
    fire_some,
    fired,
    given_job,
    put,
    runs_of,
    show,
)
from tests.support.calls import eventually

ON = START_MS // DAY * DAY
NAMES = [f"s{n}" for n in range(6)]
ROUNDS = 40


@pytest.fixture
def clock() -> Clock:
    return Clock(ON)


class Crew:
    """Workers that hold runs for a moment and count how many of a schedule run at once."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.most: Counter[str] = Counter()
        self._now: Counter[str] = Counter()
        self._lock = threading.Lock()

    def work(self, worker: str, seed: int) -> int:
        chance = random.Random(seed)
        leases = claim_some(self.store, worker, limit=4)
        for lease in leases:
            self._count(lease, 1)
        for lease in leases:
            verb = "fail" if chance.random() < 0.2 else "succeed"
            kind = {"kind": "error"} if verb == "fail" else {}
            self._count(lease, -1)
            assert finish_with(self.store, lease, verb, fired=True, **kind) == []  # type: ignore[arg-type]
        return len(leases)

    def _count(self, lease: Lease, step: int) -> None:
        name = (lease.origin or "").split('"schedule":"')[1].split('"')[0]
        with self._lock:
            self._now[name] += step
            self.most[name] = max(self.most[name], self._now[name])


@pytest.mark.parametrize("overlap", ["queue_all", "newest", "cancel_old"])
def test_nothing_is_stuck_and_nothing_overlaps(store: Store, clock: Clock, overlap: str) -> None:
    given_job(store)
    for name in NAMES:
        put(store, every("1s", overlap=overlap, parallel=2, backlog=10_000), name=name)
    crew = Crew(store)
    workers = [given_worker(store, lease_ms=DAY) for _ in range(3)]
    with ThreadPoolExecutor(8) as threads:
        for round_ in range(ROUNDS):
            clock.advance(SECOND)
            jobs: list[Future[Any]] = [threads.submit(fire_some, store, limit=4) for _ in range(3)]
            jobs += [threads.submit(crew.work, worker, round_) for worker in workers]
            jobs += [threads.submit(_cancel_one, store, NAMES[round_ % len(NAMES)])]
            for job in jobs:
                job.result()
    # No chore wakes anybody here: each end of a run must have done so by itself.
    while fire_some(store).looked or crew.work(workers[0], 0):
        pass

    assert run_sql(store.url, "select count(*) from rota.run") == [(0,)]
    for name in NAMES:
        assert crew.most[name] <= 2
        found = [each.instant.ms for each in fired(store, name)]
        assert found == [ON + n * SECOND for n in range(1, ROUNDS + 1)]
        if overlap == "queue_all":
            assert len(runs_of(store, name)) == ROUNDS
            ended = {State.SUCCESS, State.FAILED, State.CANCELLED}
            assert {run.state for run in runs_of(store, name)} <= ended
        assert show(store, name).waiting == 0


@pytest.mark.postgres
def test_a_look_leaves_alone_what_another_one_holds(postgres_store: Store, clock: Clock) -> None:
    store = postgres_store
    given_job(store)
    put(store, every("1m"), name="s")
    clock.advance(60 * SECOND)
    has_looked, may_commit = threading.Event(), threading.Event()

    def look(tx: Tx) -> None:
        fire(tx, limit=10, compiled=TABLES, new_id=new_id)
        has_looked.set()
        assert may_commit.wait(20)

    with ThreadPoolExecutor(1) as threads:
        looking = threads.submit(store.write, look)
        assert has_looked.wait(20)
        taken = store.write(lambda tx: tx.all("take_schedules", limit=10, ahead_ms=0))
        may_commit.set()
        looking.result()

    assert taken == []


@pytest.mark.postgres
def test_an_end_during_a_look_is_not_slept_over(postgres_store: Store, clock: Clock) -> None:
    """The look makes a start wait for the very run that ends before the look is committed."""
    store = postgres_store
    given_job(store)
    put(store, every("1m", overlap="queue_all"), name="s")
    clock.advance(60 * SECOND)
    fire_some(store)
    (lease,) = claim_some(store, given_worker(store, lease_ms=DAY))
    clock.advance(60 * SECOND)
    has_looked, may_commit = threading.Event(), threading.Event()

    def look(tx: Tx) -> None:
        fire(tx, limit=10, compiled=TABLES, new_id=new_id)
        has_looked.set()
        assert may_commit.wait(20)

    with ThreadPoolExecutor(2) as threads:
        looking = threads.submit(store.write, look)
        assert has_looked.wait(20)
        ending = threads.submit(finish_with, store, lease, fired=True)
        waits = "select count(*) from pg_locks where not granted"
        eventually(lambda: run_sql(store.url, waits) == [(1,)])
        may_commit.set()
        looking.result()
        ending.result()

    assert fire_some(store).looked == 1
    assert [run.state for run in runs_of(store)] == [State.SUCCESS, State.QUEUED]


def _cancel_one(store: Store, name: str) -> None:
    waiting = [run for run in runs_of(store, name)[-3:] if run.state is State.PENDING]
    for run in waiting[:1]:
        with contextlib.suppress(NotAllowed):  # it may have ended a moment ago
            cancel_run(store, run.id)
