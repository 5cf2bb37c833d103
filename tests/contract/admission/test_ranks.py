"""The order of claims: priority counts, waiting counts, and ties go to the older id."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from rota.engine.runs.promote import promote
from rota.rules.admission.order import CREDIT_MS, rank_ms
from rota.store.base import Store
from rota.store.open import open_store
from tests.contract.builders import (
    Clock,
    claim_one,
    claim_some,
    finish_with,
    given_run,
    given_worker,
    new_run,
    submit_all,
)


def claimed(store: Store, worker: str, *, limit: int = 100) -> list[str]:
    return [lease.run_id for lease in claim_some(store, worker, limit=limit)]


def test_runs_of_one_priority_go_first_in_first_out(
    store: Store, worker: str, clock: Clock
) -> None:
    runs = []
    for _ in range(5):
        runs.append(given_run(store))
        clock.advance(1)

    assert claimed(store, worker) == runs


def test_runs_of_one_moment_go_in_the_order_of_their_ids(store: Store, worker: str) -> None:
    runs = [new_run() for _ in range(50)]
    mixed = random.Random(1).sample(runs, len(runs))

    submit_all(store, mixed)

    assert claimed(store, worker, limit=20) == [run.id for run in runs[:20]]
    assert claimed(store, worker) == [run.id for run in runs[20:]]


def test_a_higher_priority_goes_first(store: Store, worker: str) -> None:
    low, mid, high = (given_run(store, priority=level) for level in (-10, 0, 10))

    assert claimed(store, worker) == [high, mid, low]


def test_a_run_that_waited_its_credit_is_not_overtaken_any_more(
    store: Store, worker: str, clock: Clock
) -> None:
    old = given_run(store, priority=0)
    clock.advance(10 * CREDIT_MS - 1)
    quick = given_run(store, priority=10)
    clock.advance(2)
    late = given_run(store, priority=10)

    assert claimed(store, worker) == [quick, old, late]


def test_a_scheduled_run_ranks_by_the_time_it_was_due_not_by_its_promotion(
    store: Store, worker: str, clock: Clock
) -> None:
    due_first = given_run(store, delay_ms=10)
    clock.advance(20)
    submitted_later = given_run(store)
    clock.advance(30)

    store.write(lambda tx: promote(tx, limit=10))

    assert claimed(store, worker) == [due_first, submitted_later]


def test_a_released_run_has_its_old_place(store: Store, worker: str, clock: Clock) -> None:
    first = given_run(store)
    clock.advance(5)
    second = given_run(store)
    finish_with(store, claim_one(store, worker), "release")

    assert claimed(store, worker) == [first, second]


@settings(max_examples=25)
@given(
    asks=st.lists(st.tuples(st.integers(-100, 100), st.integers(0, 3 * CREDIT_MS)), max_size=12),
    limit=st.integers(1, 5),
)
def test_every_claim_takes_the_best_ranks_there_are(
    tmp_path_factory: object, asks: list[tuple[int, int]], limit: int
) -> None:
    folder = tmp_path_factory.mktemp("ranks")  # type: ignore[attr-defined]  # pytest's factory
    clock = Clock()
    store = open_store(f"sqlite:///{folder}/rota.db", clock=clock)
    expected = []
    for level, pause in asks:
        clock.advance(pause)
        run_id = given_run(store, priority=level)
        expected.append((rank_ms(ready_at_ms=clock.ms, priority=level), run_id))

    taken: list[str] = []
    worker = given_worker(store)
    for _ in asks:
        taken += claimed(store, worker, limit=limit)
    store.close()

    assert taken == [run_id for _, run_id in sorted(expected)]
