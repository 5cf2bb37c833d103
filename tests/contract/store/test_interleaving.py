"""PostgreSQL transactions interleaved by hand: what is locked is skipped, late writes are fenced.

One side is left open in the middle of its transaction, the other runs against it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from rota.engine.runs.cancel import cancel
from rota.engine.runs.claim import claim
from rota.engine.runs.expire import expire
from rota.engine.runs.finish import finish
from rota.engine.runs.promote import promote
from rota.engine.runs.submit import submit
from rota.engine.values.result_cache import keep_memos
from rota.engine.workers.reap import reap
from rota.model.runs.run import Lease, Submitted
from rota.model.states import State
from rota.store.base import Store, Tx
from tests.contract.builders import (
    ERROR,
    HOME,
    Clock,
    attempts_of,
    claim_some,
    given_lease,
    given_run,
    given_worker,
    look,
    new_run,
    submit_all,
    verdict,
)
from tests.contract.store.interleaved import await_lock_wait, held_open, start

pytestmark = pytest.mark.postgres


def take(worker: str, limit: int) -> Callable[[Tx], list[Lease]]:
    return lambda tx: claim(
        tx, namespace=HOME, queues=["default"], jobs='["noop"]', worker_id=worker, limit=limit
    )


def test_a_claim_skips_what_another_is_claiming(postgres_store: Store) -> None:
    runs = [new_run() for _ in range(5)]
    submit_all(postgres_store, runs)
    first, second = given_worker(postgres_store), given_worker(postgres_store)

    with held_open(postgres_store, take(first, 3)):
        leases = claim_some(postgres_store, second, limit=3)

    assert [lease.run_id for lease in leases] == [run.id for run in runs[3:]]
    assert look(postgres_store, runs[0].id).worker_id == first


def test_promote_expire_and_reap_skip_what_another_has_locked(
    postgres_store: Store, clock: Clock
) -> None:
    given_lease(postgres_store, worker_id=given_worker(postgres_store, lease_ms=5))
    given_run(postgres_store, delay_ms=5)
    given_run(postgres_store, expires_ms=5)
    clock.advance(10)
    verbs: list[Callable[[Tx], object]] = [
        lambda tx: promote(tx, limit=9).count,
        lambda tx: expire(tx, limit=9),
        lambda tx: reap(tx, limit=9),
    ]

    for verb in verbs:
        with held_open(postgres_store, verb):
            assert postgres_store.write(verb) == 0


def test_a_late_finish_waits_for_the_reaper_and_is_lost_with_its_record(
    postgres_store: Store,
) -> None:
    worker = given_worker(postgres_store)
    lease = given_lease(postgres_store, worker_id=worker)
    late = verdict(lease, "retry", kind="error", error=ERROR)

    with held_open(postgres_store, lambda tx: reap(tx, limit=9, worker_id=worker)):
        answers = start(lambda: postgres_store.write(lambda tx: finish(tx, [late], namespace=HOME)))
        await_lock_wait(postgres_store.url)

    attempts = attempts_of(postgres_store, lease.run_id)
    assert answers.result(20) == [lease.run_id]
    assert [attempt.kind for attempt in attempts] == ["lost"]
    assert look(postgres_store, lease.run_id).state is State.QUEUED


def test_a_reaper_leaves_alone_what_is_being_finished(postgres_store: Store) -> None:
    worker = given_worker(postgres_store)
    lease = given_lease(postgres_store, worker_id=worker)

    with held_open(postgres_store, lambda tx: finish(tx, [verdict(lease)], namespace=HOME)):
        reaped = postgres_store.write(lambda tx: reap(tx, limit=9, worker_id=worker))

    assert reaped == 0
    assert look(postgres_store, lease.run_id).state is State.SUCCESS


def test_a_repeated_submit_that_meets_the_end_of_its_run_does_not_run_it_again(
    postgres_store: Store,
) -> None:
    lease = given_lease(postgres_store)
    again = new_run(id=lease.run_id)
    with held_open(postgres_store, lambda tx: finish(tx, [verdict(lease)], namespace=HOME)):
        repeat = start(
            lambda: postgres_store.write(
                lambda tx: submit(tx, [again], namespace=HOME, is_repeat=True)
            )
        )
        await_lock_wait(postgres_store.url)

    assert repeat.result(30) == [Submitted(id=lease.run_id)]
    assert look(postgres_store, lease.run_id).state is State.SUCCESS
    assert claim_some(postgres_store, given_worker(postgres_store)) == []


def test_a_key_that_is_taken_anew_while_old_ones_are_pruned_stays(
    postgres_store: Store, clock: Clock
) -> None:
    submit_all(postgres_store, [new_run(key="k", key_window_ms=5)])
    clock.advance(10)
    second = new_run(key="k")
    with held_open(postgres_store, lambda tx: submit(tx, [second], namespace=HOME)):
        pruned = start(lambda: postgres_store.write(lambda tx: tx.execute("prune_keys", limit=9)))
        await_lock_wait(postgres_store.url)

    assert pruned.result(30) == 0
    assert submit_all(postgres_store, [new_run(key="k")]) == [Submitted(id=second.id, is_new=False)]


def test_a_memo_that_is_kept_anew_while_old_ones_are_pruned_stays(
    postgres_store: Store, clock: Clock
) -> None:
    kept = verdict(given_lease(postgres_store), result="1", memo_key="m", memo_ms=5)
    postgres_store.write(lambda tx: keep_memos(tx, [kept], namespace=HOME))
    clock.advance(4_000_000)
    with held_open(postgres_store, lambda tx: keep_memos(tx, [kept], namespace=HOME)):
        pruned = start(lambda: postgres_store.write(lambda tx: tx.execute("prune_memos", limit=9)))
        await_lock_wait(postgres_store.url)

    assert pruned.result(30) == 0


def test_a_cancel_waits_for_a_claim_and_then_asks_its_worker(postgres_store: Store) -> None:
    run_id, worker = given_run(postgres_store), given_worker(postgres_store)

    with held_open(postgres_store, take(worker, 1)):
        answers = start(lambda: postgres_store.write(lambda tx: cancel(tx, run_id, namespace=HOME)))
        await_lock_wait(postgres_store.url)

    assert answers.result(20) is State.RUNNING
    assert look(postgres_store, run_id).cancel_requested


def test_a_retry_that_meets_a_cancel_ends_the_run(postgres_store: Store) -> None:
    lease = given_lease(postgres_store)
    late = verdict(lease, "retry", kind="error", error=ERROR)

    with held_open(postgres_store, lambda tx: cancel(tx, lease.run_id, namespace=HOME)):
        answers = start(lambda: postgres_store.write(lambda tx: finish(tx, [late], namespace=HOME)))
        await_lock_wait(postgres_store.url)

    assert answers.result(20) == []
    assert look(postgres_store, lease.run_id).state is State.CANCELLED


def test_a_work_that_meets_a_deadlock_is_run_again(postgres_store: Store) -> None:
    first, second = given_run(postgres_store), given_run(postgres_store)
    barrier = threading.Barrier(2)
    tries: list[str] = []

    def lock_both(tx: Tx, one: str, two: str) -> str:
        tries.append(one)
        tx.one("lock_run", id=one, namespace=HOME)
        if len(tries) <= 2:
            barrier.wait(20)
        tx.one("lock_run", id=two, namespace=HOME)
        return one

    answers = start(lambda: postgres_store.write(lambda tx: lock_both(tx, first, second)))
    mine = postgres_store.write(lambda tx: lock_both(tx, second, first))

    assert (mine, answers.result(20)) == (second, first)
    assert len(tries) >= 3  # on a busy machine the loser may lose again
