"""Two claims at the same moment on PostgreSQL: neither waits, and no run is given to both."""

from __future__ import annotations

import pytest

from rota.engine.runs.claim import claim
from rota.model.runs.run import Lease
from rota.rules.admission.lanes import lane_of
from rota.store.base import Store, Tx
from tests.contract.admission.test_lanes import move
from tests.contract.builders import (
    HOME,
    claim_some,
    given_run,
    given_worker,
    look,
    new_run,
    submit_all,
)
from tests.contract.store.interleaved import held_open, is_held_up, start
from tests.contract.store.test_interleaving import take

pytestmark = pytest.mark.postgres


def test_a_claim_does_not_wait_for_another(postgres_store: Store) -> None:
    submit_all(postgres_store, [new_run() for _ in range(3)])
    first, second = given_worker(postgres_store), given_worker(postgres_store)

    with held_open(postgres_store, take(first, 2)):
        answer = start(lambda: claim_some(postgres_store, second, limit=3))
        waits = is_held_up(postgres_store.url, answer)

    leases = answer.result(20)
    assert not waits
    assert isinstance(leases, list)
    assert len(leases) == 1


def test_two_claims_at_once_never_share_a_run(postgres_store: Store) -> None:
    run_id = given_run(postgres_store)
    first, second = given_worker(postgres_store), given_worker(postgres_store)

    with held_open(postgres_store, take(first, 1)):
        answer = start(lambda: claim_some(postgres_store, second, limit=1))
        is_held_up(postgres_store.url, answer)

    run = look(postgres_store, run_id)
    assert answer.result(20) == []
    assert (run.worker_id, run.fence, run.attempt) == (first, 1, 1)


def test_a_claim_from_a_lane_does_not_wait_for_another(postgres_store: Store) -> None:
    submit_all(postgres_store, [new_run(job="a") for _ in range(3)])
    move(postgres_store)
    first, second = given_worker(postgres_store), given_worker(postgres_store)

    with held_open(postgres_store, lambda tx: claim_in(tx, first, 2)):
        answer = start(lambda: postgres_store.write(lambda tx: claim_in(tx, second, 3)))
        waits = is_held_up(postgres_store.url, answer)

    leases = answer.result(20)
    assert not waits
    assert isinstance(leases, list)
    assert len(leases) == 1


def claim_in(tx: Tx, worker_id: str, limit: int) -> list[Lease]:
    """Claim from the lane of job `a`."""
    lanes = {"default": {lane_of("a"): ["a"]}}
    return claim(
        tx,
        namespace=HOME,
        queues=["default"],
        jobs='["a"]',
        worker_id=worker_id,
        limit=limit,
        lanes=lanes,
    )
