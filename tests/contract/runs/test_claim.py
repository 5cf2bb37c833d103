"""Claim: who gets what, and what nobody gets."""

from __future__ import annotations

import pytest

from rota.clock import moment
from rota.engine.admission import queues
from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import (
    HOME,
    START_MS,
    Clock,
    claim_one,
    claim_some,
    given_run,
    given_state,
    given_worker,
    look,
    new_run,
    state_of,
    submit_all,
)


def test_a_lease_carries_what_the_worker_needs(store: Store, worker: str, clock: Clock) -> None:
    run = new_run(version=3, args='{"a":1}', policy='{"timeout_ms":5}', at_most_once=True)
    submit_all(store, [run])
    clock.advance(70)

    lease = claim_one(store, worker)

    assert (lease.run_id, lease.job, lease.version, lease.queue) == (run.id, "noop", 3, "default")
    assert (lease.args, lease.policy, lease.at_most_once) == (run.args, run.policy, True)
    assert (lease.fence, lease.attempt, lease.failures, lease.crashes) == (1, 1, 0, 0)
    assert (lease.due_at, lease.claimed_at) == (START_MS, START_MS + 70)


def test_a_claimed_run_is_running_with_its_worker(store: Store, worker: str) -> None:
    run_id = given_run(store)

    claim_one(store, worker)

    run = look(store, run_id)
    assert (run.state, run.worker_id, run.started_at) == (State.RUNNING, worker, moment(START_MS))


def test_no_run_is_handed_out_twice(store: Store, worker: str) -> None:
    given_run(store)

    first, second = claim_some(store, worker), claim_some(store, given_worker(store))

    assert (len(first), len(second)) == (1, 0)


def test_a_claim_takes_no_more_than_its_limit(store: Store, worker: str) -> None:
    submit_all(store, [new_run() for _ in range(10)])

    sizes = [len(claim_some(store, worker, limit=limit)) for limit in (4, 0, 4, 4)]

    assert sizes == [4, 0, 4, 2]


def test_a_job_that_the_worker_does_not_know_stays_for_others(store: Store, worker: str) -> None:
    strange, known = given_run(store, job="strange"), given_run(store)

    first = claim_some(store, worker, jobs=["noop", "other"])
    second = claim_some(store, worker, jobs=["strange"])

    assert [lease.run_id for lease in first] == [known]
    assert [lease.run_id for lease in second] == [strange]


def test_a_worker_that_knows_no_job_gets_nothing(store: Store, worker: str) -> None:
    given_run(store)

    assert claim_some(store, worker, jobs=[]) == []


def test_only_the_queues_asked_for_are_served_in_the_order_asked_for(
    store: Store, worker: str
) -> None:
    slow, fast, _ = (given_run(store, queue=queue) for queue in ("slow", "fast", "other"))

    leases = claim_some(store, worker, queues=["fast", "slow"])

    assert [lease.run_id for lease in leases] == [fast, slow]


def test_a_full_first_queue_leaves_nothing_for_the_second(store: Store, worker: str) -> None:
    submit_all(store, [new_run(queue=queue) for queue in ("b", "b", "a", "a", "a")])

    leases = claim_some(store, worker, queues=["a", "b"], limit=4)

    assert [lease.queue for lease in leases] == ["a", "a", "a", "b"]


def test_nothing_of_a_paused_queue_is_claimed_until_it_is_resumed(
    store: Store, worker: str
) -> None:
    first, _ = given_run(store), given_run(store, queue="slow")
    store.write(lambda tx: queues.pause(tx, "default", namespace=HOME))

    while_paused = claim_some(store, worker, queues=["default", "slow"])
    store.write(lambda tx: queues.resume(tx, "default", namespace=HOME))
    afterwards = claim_some(store, worker, queues=["default", "slow"])

    assert [lease.queue for lease in while_paused] == ["slow"]
    assert [lease.run_id for lease in afterwards] == [first]


@pytest.mark.parametrize("state", sorted(set(State) - {State.QUEUED}))
def test_a_run_in_another_state_is_not_claimed(store: Store, worker: str, state: State) -> None:
    run_id = given_state(store, state)

    assert claim_some(store, worker) == []
    assert state_of(store, run_id) is state


def test_an_expired_run_is_not_claimed(store: Store, worker: str, clock: Clock) -> None:
    given_run(store, expires_ms=100)
    last = given_run(store, expires_ms=101)

    clock.advance(100)
    leases = claim_some(store, worker)

    assert [lease.run_id for lease in leases] == [last]
