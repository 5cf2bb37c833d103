"""Commit: a handler's writes and the end of its run happen together, or not at all."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from rota.engine.workers.heartbeat import HandlerProgress, HeldLease, heartbeat
from rota.errors import CommitUnknown, LeaseLost, NotAllowed, StoreUnavailable
from rota.model.states import State
from rota.runtime.attempts.transaction import Transaction
from rota.store.base import Store
from tests.contract.builders import (
    LEASE_MS,
    Clock,
    cancel_run,
    claim_one,
    finish_with,
    given_lease,
    given_worker,
    look,
    reap_some,
    run_sql,
    state_of,
)
from tests.contract.runs.effects_table import commit, deeds, desk_of, make_table, mark, writes
from tests.support.calls import eventually


@pytest.fixture(autouse=True)
def table(store: Store) -> None:
    make_table(store)


def test_the_writes_the_result_and_the_end_of_the_run_come_together(store: Store) -> None:
    lease = given_lease(store)

    commit(store, lease)

    view = look(store, lease.run_id)
    assert (view.state, view.result, view.fence) == (State.SUCCESS, '"written"', lease.fence)
    assert deeds(store) == [(lease.run_id, "done")]


def test_a_verdict_after_the_commit_is_neither_lost_nor_applied(store: Store) -> None:
    lease = given_lease(store)
    commit(store, lease)

    assert finish_with(store, lease, "succeed", result='"other"') == []
    assert look(store, lease.run_id).result == '"written"'


def test_a_function_that_raises_leaves_nothing(store: Store) -> None:
    lease = given_lease(store)

    def apply(tx: Transaction) -> str:
        writes(store, lease)(tx)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        commit(store, lease, apply)
    assert deeds(store) == []
    assert state_of(store, lease.run_id) is State.RUNNING
    commit(store, lease)
    assert len(deeds(store)) == 1


def test_a_zombie_cannot_commit(store: Store, clock: Clock) -> None:
    stale = given_lease(store)
    clock.advance(LEASE_MS + 1)
    assert reap_some(store) == 1
    fresh = claim_one(store, given_worker(store))

    with pytest.raises(LeaseLost, match="nothing was changed"):
        commit(store, stale)

    assert deeds(store) == []
    commit(store, fresh, writes(store, fresh, "second"))
    with pytest.raises(LeaseLost):
        commit(store, stale)
    assert deeds(store) == [(fresh.run_id, "second")]
    assert look(store, fresh.run_id).fence == fresh.fence


def test_after_an_acknowledged_cancel_no_effect_commits(store: Store) -> None:
    lease = given_lease(store)
    assert cancel_run(store, lease.run_id) is State.RUNNING

    with pytest.raises(LeaseLost):
        commit(store, lease)

    assert deeds(store) == []
    assert finish_with(store, lease, "retry", kind="error") == []
    assert state_of(store, lease.run_id) is State.CANCELLED


def test_a_run_commits_once(store: Store) -> None:
    lease = given_lease(store)
    commit(store, lease)

    with pytest.raises(LeaseLost):
        commit(store, lease)

    assert len(deeds(store)) == 1


def test_a_lease_of_another_namespace_does_not_count(store: Store) -> None:
    lease = given_lease(store)

    with pytest.raises(LeaseLost):
        desk_of(store, namespace="other").commit(lease, writes(store, lease), limit_s=5)

    assert deeds(store) == []


@pytest.mark.parametrize(
    "text", ["commit", "rollback", "savepoint a", "set x = 1", "select 1; end"]
)
def test_control_of_the_transaction_is_refused_and_nothing_is_applied(
    store: Store, text: str
) -> None:
    lease = given_lease(store)

    def apply(tx: Transaction) -> str:
        writes(store, lease)(tx)
        tx.execute(text)
        return "1"

    with pytest.raises(NotAllowed):
        commit(store, lease, apply)
    assert deeds(store) == []
    assert state_of(store, lease.run_id) is State.RUNNING


def test_a_transaction_ended_behind_our_back_is_noticed(postgres_store: Store) -> None:
    store = postgres_store
    make_table(store)
    lease = given_lease(store)

    def apply(tx: Transaction) -> str:
        tx._tx.raw("rollback")
        tx._tx.raw("begin")
        return "1"

    with pytest.raises(NotAllowed, match="was ended inside"):
        commit(store, lease, apply)
    assert state_of(store, lease.run_id) is State.RUNNING


def test_a_transaction_cannot_be_kept(store: Store) -> None:
    lease = given_lease(store)
    kept: list[Transaction] = []

    def apply(tx: Transaction) -> str:
        kept.append(tx)
        return "1"

    commit(store, lease, apply)

    with pytest.raises(NotAllowed, match="has ended"):
        kept[0].execute("select 1")


def test_a_transaction_that_takes_too_long_is_rolled_back(store: Store) -> None:
    lease = given_lease(store)

    def apply(tx: Transaction) -> str:
        writes(store, lease)(tx)
        time.sleep(0.06)
        return "1"

    with pytest.raises(NotAllowed, match=r"longer than 0\.05 s"):
        desk_of(store).commit(lease, apply, limit_s=0.05)
    assert deeds(store) == []


def test_a_statement_that_takes_too_long_is_cut(postgres_store: Store) -> None:
    store = postgres_store
    lease = given_lease(store)

    def apply(tx: Transaction) -> str:
        tx.execute("select pg_sleep(30)")
        return "1"

    began_s = time.monotonic()
    with pytest.raises(Exception, match="statement timeout"):
        desk_of(store).commit(lease, apply, limit_s=0.2)
    assert time.monotonic() - began_s < 10
    assert state_of(store, lease.run_id) is State.RUNNING


def test_rows_come_back_by_name(store: Store) -> None:
    lease = given_lease(store)
    seen: list[Any] = []

    def apply(tx: Transaction) -> str:
        seen.extend(tx.execute(f"select {mark(store)} as word, 2 as number", ("a",)))
        seen.append(tx.execute("select 1 as x where 1 = 0"))
        return "1"

    commit(store, lease, apply)

    assert seen == [{"word": "a", "number": 2}, []]


def test_a_commit_in_flight_is_not_robbed_and_holds_no_heartbeat_up(
    postgres_store: Store, clock: Clock
) -> None:
    store = postgres_store
    make_table(store)
    worker = given_worker(store)
    lease = given_lease(store, worker_id=worker)
    inside, go_on = threading.Event(), threading.Event()

    def apply(tx: Transaction) -> str:
        inside.set()
        assert go_on.wait(20)
        return writes(store, lease)(tx)

    thread = threading.Thread(target=commit, args=(store, lease, apply))
    thread.start()
    assert inside.wait(20)
    told = [HandlerProgress(lease.run_id, lease.fence, 0.5, "half")]
    held = [HeldLease(lease.run_id, lease.fence)]
    pulse = store.write(
        lambda tx: heartbeat(tx, worker, lease_ms=LEASE_MS, held=held, progress=told)
    )
    clock.advance(LEASE_MS + 1)
    reaped = reap_some(store)
    go_on.set()
    thread.join(20)

    assert (pulse.is_known, pulse.lost, reaped) == (True, (), 0)
    assert state_of(store, lease.run_id) is State.SUCCESS
    assert len(deeds(store)) == 1


def test_a_cancel_waits_for_a_commit_in_flight(store: Store) -> None:
    lease = given_lease(store)
    inside, go_on = threading.Event(), threading.Event()
    refused: list[Exception] = []

    def apply(tx: Transaction) -> str:
        inside.set()
        assert go_on.wait(20)
        return writes(store, lease)(tx)

    def cancel_it() -> None:
        try:
            cancel_run(store, lease.run_id)
        except NotAllowed as error:
            refused.append(error)

    threads = [threading.Thread(target=commit, args=(store, lease, apply))]
    threads[0].start()
    assert inside.wait(20)
    threads.append(threading.Thread(target=cancel_it))
    threads[1].start()
    go_on.set()
    for thread in threads:
        thread.join(20)

    assert len(refused) == 1
    assert state_of(store, lease.run_id) is State.SUCCESS
    assert len(deeds(store)) == 1


class Breaking:
    """A store whose commits answer that nobody knows, after or instead of doing them."""

    def __init__(self, store: Store, *, applies: bool) -> None:
        self._store = store
        self._applies = applies
        self.broken = 1
        self.works = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def write(self, work: Any, **options: Any) -> Any:
        self.works += 1
        if self.broken:
            self.broken -= 1
            if self._applies:
                self._store.write(work, **options)
            raise CommitUnknown
        return self._store.write(work, **options)


@pytest.mark.parametrize("applies", [True, False])
def test_an_unknown_commit_is_resolved_by_asking(store: Store, *, applies: bool) -> None:
    lease = given_lease(store)
    breaking = Breaking(store, applies=applies)

    commit(breaking, lease, writes(store, lease))

    assert breaking.works == 2
    assert deeds(store) == [(lease.run_id, "done")]
    assert state_of(store, lease.run_id) is State.SUCCESS


class Away:
    """A store that is away for the first so many writes."""

    def __init__(self, store: Store, *, writes: int) -> None:
        self._store = store
        self.left = writes

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def write(self, work: Any, **options: Any) -> Any:
        if self.left:
            self.left -= 1
            raise StoreUnavailable("away")
        return self._store.write(work, **options)


def test_a_commit_waits_for_a_store_that_is_away(store: Store) -> None:
    lease = given_lease(store)

    commit(Away(store, writes=3), lease, writes(store, lease))

    assert deeds(store) == [(lease.run_id, "done")]
    assert state_of(store, lease.run_id) is State.SUCCESS


def test_a_commit_that_may_not_wait_says_that_the_store_is_away(store: Store) -> None:
    lease = given_lease(store)
    away = Away(store, writes=2)

    with pytest.raises(StoreUnavailable, match="away"):
        desk_of(away).commit(lease, writes(store, lease), limit_s=5, gives_up=lambda: True)

    assert away.left == 1
    assert state_of(store, lease.run_id) is State.RUNNING


def test_another_store_that_is_away_is_not_waited_for(store: Store) -> None:
    lease = given_lease(store)

    def apply(tx: Transaction) -> str:
        raise StoreUnavailable("gone")

    with pytest.raises(StoreUnavailable, match="gone"):
        commit(store, lease, apply)
    assert state_of(store, lease.run_id) is State.RUNNING


@pytest.mark.postgres
def test_a_commit_whose_session_is_killed_in_the_middle_leaves_nothing_and_is_made_again(
    postgres_store: Store,
) -> None:
    store = postgres_store
    make_table(store)
    lease = given_lease(store)
    killed: list[int] = []

    def apply(tx: Transaction) -> str:
        assert deeds(store) == []
        writes(store, lease)(tx)
        pid = tx.execute("select pg_backend_pid() as pid")[0]["pid"]
        if killed:
            return "1"
        killed.append(pid)
        run_sql(store.url, f"select pg_terminate_backend({pid})")
        eventually(
            lambda: not run_sql(store.url, f"select 1 from pg_stat_activity where pid = {pid}")
        )
        return "1"

    commit(store, lease, apply)
    assert len(deeds(store)) == 1
    assert state_of(store, lease.run_id) is State.SUCCESS


def test_one_in_a_crowd_that_fails_does_not_hurt_the_others(store: Store) -> None:
    worker = given_worker(store)
    leases = [given_lease(store, worker_id=worker) for _ in range(20)]
    errors: list[Exception] = []

    def act(number: int) -> None:
        lease = leases[number]

        def apply(tx: Transaction) -> str:
            writes(store, lease)(tx)
            if number % 2:
                raise ValueError(str(number))
            return "1"

        try:
            commit(store, lease, apply)
        except ValueError as error:
            errors.append(error)

    threads = [threading.Thread(target=act, args=(n,)) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert sorted(int(str(error)) for error in errors) == list(range(1, 20, 2))
    done = {lease.run_id for lease in leases[::2]}
    assert {run for run, _ in deeds(store)} == done
    assert {run for run in done if state_of(store, run) is State.SUCCESS} == done
