"""A claim that does not take everything takes the best: order is the database's, not ours."""

from __future__ import annotations

from rota.store.base import Store
from tests.contract.builders import claim_one, given_run


def test_a_claim_of_one_takes_the_best_rank(store: Store, worker: str) -> None:
    low, mid, high = (given_run(store, priority=level) for level in (-10, 0, 10))

    taken = [claim_one(store, worker).run_id for _ in range(3)]

    assert taken == [high, mid, low]
