"""Races with real threads: nothing twice, nothing lost, exactly one wins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import Any

import pytest

from rota.engine.runs.expire import expire
from rota.engine.runs.promote import promote
from rota.engine.workers.registry import retire
from rota.errors import NotAllowed
from rota.model.runs.run import NewRun
from rota.model.states import FINAL, State
from rota.store.base import Store
from rota.store.open import open_store
from tests.contract.builders import (
    ERROR,
    LEASE_MS,
    Clock,
    attempts_of,
    cancel_run,
    claim_some,
    counts,
    finish_all,
    finish_with,
    given_lease,
    given_run,
    given_worker,
    look,
    new_run,
    reap_some,
    state_of,
    submit_all,
    verdict,
)
from tests.support.races import at_once

repeated = pytest.mark.parametrize("turn", range(8))


@pytest.fixture
def other(store: Store, clock: Clock) -> Iterator[Store]:
    """A second store on the same database, as another process would have it."""
    opened = open_store(store.url, clock=clock)
    yield opened
    opened.close()


def test_claimers_at_once_share_the_runs_without_a_remainder(store: Store, other: Store) -> None:
    runs = [new_run() for _ in range(400)]
    submit_all(store, runs)

    def drain(mine: Store, worker: str) -> list[str]:
        taken: list[str] = []
        while leases := claim_some(mine, worker, limit=7):
            assert finish_all(mine, [verdict(lease) for lease in leases[::2]]) == []
            taken += [lease.run_id for lease in leases]
        return taken

    workers = [given_worker(store) for _ in range(3)]
    shares = at_once(*(partial(drain, mine, w) for mine in (store, other) for w in workers))

    # One that saw every run locked may leave early; what is left is there for the next claim.
    rest = [lease.run_id for lease in claim_some(store, workers[0], limit=400)]
    assert Counter(chain(*shares, rest)) == Counter(run.id for run in runs)


def test_eight_threads_submit_and_nothing_is_lost(store: Store, other: Store) -> None:
    def send(mine: Store) -> None:
        for _ in range(20):
            submit_all(mine, [new_run() for _ in range(3)])

    at_once(*(partial(send, mine) for mine in (store, other) * 4))

    assert counts(store) == {State.QUEUED: 8 * 20 * 3}


@repeated
def test_one_key_from_eight_threads_is_one_run(store: Store, other: Store, turn: int) -> None:
    def send(mine: Store, run: NewRun) -> Any:
        return submit_all(mine, [run])[0]

    answers = at_once(*(partial(send, mine, new_run(key="k")) for mine in (store, other) * 4))

    assert len({answer.id for answer in answers}) == 1
    assert [answer.is_new for answer in answers].count(True) == 1
    assert counts(store) == {State.QUEUED: 1}


def test_batches_that_share_keys_in_other_orders_do_not_lock_each_other_out(
    store: Store, other: Store
) -> None:
    keys = [f"k{n}" for n in range(20)]

    answers = at_once(
        lambda: submit_all(store, [new_run(key=key) for key in keys]),
        lambda: submit_all(other, [new_run(key=key) for key in reversed(keys)]),
    )

    assert {answer.id for answer in answers[0]} == {answer.id for answer in answers[1]}


@repeated
def test_exactly_one_of_finish_and_reap_wins(
    store: Store, other: Store, worker: str, turn: int
) -> None:
    lease = given_lease(store, worker_id=worker)
    store.write(lambda tx: retire(tx, worker))

    lost, reaped = at_once(
        lambda: finish_with(store, lease, "fail", kind="error", error=ERROR),
        lambda: reap_some(other),
    )

    assert len(lost) == reaped
    assert state_of(store, lease.run_id) is (State.QUEUED if reaped else State.FAILED)
    kinds = [attempt.kind for attempt in attempts_of(store, lease.run_id)]
    assert kinds == ["lost" if reaped else "error"]


@repeated
def test_exactly_one_of_many_finishes_of_a_lease_counts(
    store: Store, other: Store, turn: int
) -> None:
    lease = given_lease(store)

    lost = at_once(
        lambda: finish_with(store, lease, "succeed", result="1", reason="a"),
        lambda: finish_with(other, lease, "fail", kind="error", reason="b"),
        lambda: finish_with(store, lease, "release"),
        lambda: finish_with(other, lease, "retry", kind="error", delay_ms=5),
    )

    assert lost.count([]) == 1
    assert len(attempts_of(store, lease.run_id)) == [0, 1, 0, 1][lost.index([])]


@repeated
def test_after_an_acknowledged_cancel_no_attempt_starts(
    store: Store, other: Store, worker: str, turn: int
) -> None:
    run_id = given_run(store)

    leases, answer = at_once(lambda: claim_some(other, worker), lambda: cancel_run(store, run_id))
    if answer is State.RUNNING:
        assert finish_with(store, leases[0], "retry", kind="error") == []

    assert (answer is State.RUNNING) == bool(leases)
    assert state_of(store, run_id) is State.CANCELLED


@repeated
def test_a_run_that_is_released_and_cancelled_at_once_ends_cancelled(
    store: Store, other: Store, turn: int
) -> None:
    lease = given_lease(store)

    at_once(lambda: finish_with(other, lease, "release"), lambda: cancel_run(store, lease.run_id))

    assert state_of(store, lease.run_id) is State.CANCELLED


@repeated
def test_only_expire_gets_a_late_run(
    store: Store, other: Store, worker: str, clock: Clock, turn: int
) -> None:
    given_run(store, expires_ms=100)
    clock.advance(100)

    leases, expired = at_once(
        lambda: claim_some(store, worker), lambda: other.write(lambda tx: expire(tx, limit=10))
    )

    assert (leases, expired) == ([], 1)


def test_two_promoters_and_two_reapers_do_each_run_once(
    store: Store, other: Store, clock: Clock
) -> None:
    submit_all(store, [new_run(delay_ms=5) for _ in range(100)])
    clock.advance(10)

    def promote_all(mine: Store) -> int:
        return mine.write(lambda tx: promote(tx, limit=100)).count

    promoted = at_once(partial(promote_all, store), partial(promote_all, other))
    promoted.append(promote_all(store))
    claim_some(store, given_worker(store, lease_ms=1))
    clock.advance(10)
    reaped = at_once(partial(reap_some, store), partial(reap_some, other))
    reaped.append(reap_some(store))

    assert (sum(promoted), sum(reaped)) == (100, 100)
    assert counts(store) == {State.QUEUED: 100}


def test_a_crowd_of_workers_reapers_and_cancellers_ends_every_run_once(
    store: Store, other: Store, clock: Clock
) -> None:
    runs = [new_run() for _ in range(120)]
    submit_all(store, runs)

    def work(mine: Store) -> None:
        for _ in range(30):
            worker = given_worker(mine)
            for n, lease in enumerate(claim_some(mine, worker, limit=3)):
                if n:
                    finish_with(mine, lease, "succeed" if n == 1 else "release")
            reap_some(mine, worker_id=worker)

    def stop_some(mine: Store) -> None:
        for run in runs[::7]:
            with suppress(NotAllowed):
                cancel_run(mine, run.id)

    at_once(partial(work, store), partial(work, other), partial(stop_some, other))
    # A reaper passes by what somebody has locked; time brings it back to it.
    clock.advance(LEASE_MS)
    reap_some(store, limit=200)
    last = given_worker(store)
    while leases := claim_some(store, last):
        finish_all(store, [verdict(lease) for lease in leases])

    ended = counts(store)
    assert set(ended) <= FINAL
    assert sum(ended.values()) == len(runs)
    for run in runs:
        numbers = [attempt.number for attempt in attempts_of(store, run.id)]
        assert numbers == list(range(1, len(numbers) + 1))
        assert look(store, run.id).attempt - len(numbers) in (0, 1)
