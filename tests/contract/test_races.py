"""Races with real threads: nothing twice, nothing lost, exactly one wins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

import pytest

from rota.engine import inspect
from rota.engine.cancel import cancel
from rota.engine.expire import expire
from rota.engine.promote import promote
from rota.engine.reap import reap
from rota.engine.workers import retire
from rota.errors import NotAllowed
from rota.model.run import Lease, Submitted
from rota.model.states import FINAL, State
from rota.store.base import Store
from rota.store.open import open_store
from tests.contract.builders import (
    ERROR,
    HOME,
    LEASE_MS,
    Clock,
    claim_one,
    claim_some,
    finish_all,
    finish_with,
    given_lease,
    given_run,
    given_worker,
    look,
    new_run,
    submit_all,
    verdict,
)

T = TypeVar("T")
ROUNDS = 15


def at_once(*acts: Callable[[], T]) -> list[T]:
    """Run all on threads of their own, released by one barrier."""
    barrier = Barrier(len(acts))

    def start(act: Callable[[], T]) -> T:
        barrier.wait(30)
        return act()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(start, acts))


@pytest.fixture
def other(store: Store, clock: Clock) -> object:
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

    workers = [given_worker(store) for _ in range(6)]
    shares = at_once(
        *(lambda n=n, w=w: drain((store, other)[n % 2], w) for n, w in enumerate(workers))  # type: ignore[misc]  # bound on purpose
    )

    # One that saw every run locked may leave early; what is left is there for the next claim.
    rest = [lease.run_id for lease in claim_some(store, workers[0], limit=400)]
    handed = Counter(sum(shares, rest))
    assert handed == Counter(run.id for run in runs)


def test_eight_threads_submit_and_nothing_is_lost(store: Store, other: Store) -> None:
    batches = [[[new_run() for _ in range(3)] for _ in range(20)] for _ in range(8)]

    def send(mine: Store, share: Sequence[Sequence[object]]) -> None:
        for batch in share:
            submit_all(mine, batch)  # type: ignore[arg-type]  # runs, made above

    at_once(*(lambda n=n: send((store, other)[n % 2], batches[n]) for n in range(8)))  # type: ignore[misc]  # bound on purpose

    assert store.read(lambda tx: inspect.counts(tx, namespace=HOME)) == {State.QUEUED: 480}


def test_one_key_from_eight_threads_is_one_run(store: Store, other: Store) -> None:
    for n in range(ROUNDS):
        runs = [new_run(key=f"k{n}") for _ in range(8)]

        answers = at_once(
            *(
                lambda i=i, run=run: submit_all((store, other)[i % 2], [run])
                for i, run in enumerate(runs)
            )  # type: ignore[misc]  # noqa: E501  # bound on purpose
        )

        said: list[Submitted] = sum(answers, [])
        assert len({answer.id for answer in said}) == 1
        assert [answer.is_new for answer in said].count(True) == 1
    assert store.read(lambda tx: inspect.counts(tx, namespace=HOME)) == {State.QUEUED: ROUNDS}


def test_batches_that_share_keys_in_other_orders_do_not_lock_each_other_out(
    store: Store, other: Store
) -> None:
    keys = [f"k{n}" for n in range(20)]

    answers = at_once(
        lambda: submit_all(store, [new_run(key=key) for key in keys]),
        lambda: submit_all(other, [new_run(key=key) for key in reversed(keys)]),
    )

    assert {a.id for a in answers[0]} == {a.id for a in answers[1]}


def test_of_finish_and_reap_exactly_one_wins(store: Store, other: Store) -> None:
    for _ in range(ROUNDS):
        worker = given_worker(store)
        lease = given_lease(store, worker_id=worker, queue="default")
        store.write(lambda tx, w=worker: retire(tx, w))  # type: ignore[misc]  # bound on purpose

        lost, reaped = at_once(
            lambda: len(finish_with(store, lease, "fail", kind="error", error=ERROR)),
            lambda: other.write(lambda tx: reap(tx, limit=10)),
        )

        run = look(store, lease.run_id)
        attempts = store.read(lambda tx: inspect.attempts(tx, lease.run_id, namespace=HOME))
        assert lost == reaped
        assert run.state is (State.QUEUED if reaped else State.FAILED)
        assert [attempt.kind for attempt in attempts] == ["lost" if reaped else "error"]
        store.write(lambda tx, i=run.id: end_quietly(tx, i))  # type: ignore[misc]  # bound on purpose


def end_quietly(tx: object, run_id: str) -> None:
    try:
        cancel(tx, run_id, namespace=HOME)  # type: ignore[arg-type]  # any of our transactions
    except NotAllowed:
        return


def test_of_many_finishes_of_one_lease_exactly_one_counts(store: Store, other: Store) -> None:
    for _ in range(ROUNDS):
        lease = given_lease(store)

        lost = at_once(
            lambda: finish_with(store, lease, "succeed", result="1", reason="a"),
            lambda: finish_with(other, lease, "fail", kind="error", reason="b"),
            lambda: finish_with(store, lease, "abort", kind="cancelled", reason="c"),
            lambda: finish_with(other, lease, "retry", kind="error", delay_ms=10**9),
        )

        attempts = store.read(lambda tx: inspect.attempts(tx, lease.run_id, namespace=HOME))
        assert [bool(ids) for ids in lost].count(False) == 1
        assert len(attempts) <= 1


def test_after_an_acknowledged_cancel_no_attempt_starts(store: Store, other: Store) -> None:
    worker = given_worker(store)
    for _ in range(ROUNDS):
        run_id = given_run(store)

        def take() -> list[Lease]:
            return claim_some(other, worker)

        leases, answer = at_once(
            take,
            lambda run_id=run_id: store.write(lambda tx: cancel(tx, run_id, namespace=HOME)),  # type: ignore[misc]  # bound on purpose
        )

        assert isinstance(leases, list)
        if answer is State.CANCELLED:
            assert leases == []
        else:
            assert [lease.run_id for lease in leases] == [run_id]
            assert finish_with(store, leases[0], "retry", kind="error") == []
        assert look(store, run_id).state is State.CANCELLED


def test_of_release_and_cancel_the_run_ends_cancelled(store: Store, other: Store) -> None:
    for _ in range(ROUNDS):
        lease = given_lease(store)

        at_once(
            lambda: finish_with(other, lease, "release"),
            lambda: store.write(lambda tx: cancel(tx, lease.run_id, namespace=HOME)),  # type: ignore[arg-type,return-value]  # two kinds of answers
        )

        assert look(store, lease.run_id).state is State.CANCELLED


def test_of_claim_and_expire_exactly_one_gets_the_run(
    store: Store, other: Store, clock: Clock
) -> None:
    worker = given_worker(store)
    for _ in range(ROUNDS):
        given_run(store, expires_ms=100)
        clock.advance(100)

        taken, expired = at_once(
            lambda: len(claim_some(store, worker)),
            lambda: other.write(lambda tx: expire(tx, limit=10)),
        )

        assert (taken, expired) == (0, 1)


def test_two_promoters_and_two_reapers_do_each_run_once(
    store: Store, other: Store, clock: Clock
) -> None:
    submit_all(store, [new_run(delay_ms=5) for _ in range(100)])
    clock.advance(10)

    promoted = at_once(
        *(lambda s=s: s.write(lambda tx: promote(tx, limit=100)).count for s in (store, other))  # type: ignore[misc]  # bound on purpose
    )
    rest = store.write(lambda tx: promote(tx, limit=100)).count
    worker = given_worker(store, lease_ms=1)
    claim_some(store, worker)
    clock.advance(10)
    reaped = at_once(
        *(lambda s=s: s.write(lambda tx: reap(tx, limit=100)) for s in (store, other))  # type: ignore[misc]  # bound on purpose
    )
    reaped.append(store.write(lambda tx: reap(tx, limit=100)))

    assert sum(promoted) + rest == 100
    assert sum(reaped) == 100
    counts = store.read(lambda tx: inspect.counts(tx, namespace=HOME))
    assert counts == {State.QUEUED: 100}


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
            mine.write(lambda tx, w=worker: reap(tx, limit=10, worker_id=w))  # type: ignore[misc]  # bound on purpose

    def stop_some(mine: Store) -> None:
        for run in runs[::7]:
            mine.write(lambda tx, i=run.id: end_quietly(tx, i))  # type: ignore[misc]  # bound on purpose

    at_once(lambda: work(store), lambda: work(other), lambda: work(store), lambda: stop_some(other))
    # A reaper passes by what somebody has locked; time brings it back to it.
    clock.advance(LEASE_MS)
    store.write(lambda tx: reap(tx, limit=200))
    last = given_worker(store)
    while leases := claim_some(store, last):
        finish_all(store, [verdict(lease) for lease in leases])

    counts = store.read(lambda tx: inspect.counts(tx, namespace=HOME))
    assert set(counts) <= FINAL
    assert sum(counts.values()) == len(runs)
    with pytest.raises(ValueError, match="not enough values"):
        claim_one(store, last)
