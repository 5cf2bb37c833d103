"""Chores: one asker per interval does the work for all."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from rota.engine.workers.chores import take_chore
from rota.store.base import Store
from tests.contract.builders import Clock


def take(store: Store, name: str = "prune") -> bool:
    return store.write(lambda tx: take_chore(tx, name, interval_ms=1_000))


def test_a_chore_is_taken_once_per_interval(store: Store, clock: Clock) -> None:
    at_once = [take(store), take(store)]
    clock.advance(999)
    early = take(store)
    clock.advance(1)
    on_time = [take(store), take(store)]

    assert (at_once, early, on_time) == ([True, False], False, [True, False])


def test_chores_do_not_hinder_each_other(store: Store) -> None:
    assert [take(store, "prune"), take(store, "rotate")] == [True, True]


def test_exactly_one_of_many_processes_gets_the_chores(store: Store, clock: Clock) -> None:
    for _ in range(5):
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: take(store), range(8)))
        clock.advance(1_000)

        assert answers.count(True) == 1
