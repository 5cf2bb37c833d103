"""Breakers under real threads: opened once, told once, one probe, nothing lost."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from rota.engine.failures.breakers.control import close_breaker
from rota.model.states import State
from rota.store.base import Store
from rota.store.open import open_store
from tests.contract.builders import (
    HOME,
    Clock,
    claim_some,
    counts,
    given_worker,
    new_run,
    run_sql,
    submit_all,
)
from tests.contract.failures.breaker_builders import (
    COOL_MS,
    alerts,
    end,
    given_job,
    given_open,
    given_probe,
    tend_all,
    told,
    view,
)
from tests.support.races import at_once


@pytest.fixture
def other(store: Store, clock: Clock) -> Iterator[Store]:
    """A second store on the same database, as another process would have it."""
    opened = open_store(store.url, clock=clock)
    yield opened
    opened.close()


repeated = pytest.mark.parametrize("turn", range(6))


@repeated
def test_many_workers_that_fail_at_once_open_it_once_and_tell_it_once(
    store: Store, other: Store, turn: int
) -> None:
    given_job(store)
    submit_all(store, [new_run() for _ in range(48)])
    shares = [claim_some(store, given_worker(store), limit=8) for _ in range(6)]

    def fail(mine: Store, number: int) -> None:
        for lease in shares[number]:
            end(mine, [lease], bad=1)

    at_once(*(partial(fail, (store, other)[n % 2], n) for n in range(6)))
    tend_all(store)

    assert (view(store).state, len(told(store))) == ("open", 1)


def test_each_attempt_of_many_workers_is_counted_once(store: Store, other: Store) -> None:
    given_job(store)
    submit_all(store, [new_run() for _ in range(120)])
    shares = [claim_some(store, given_worker(store), limit=20) for _ in range(6)]

    def work(mine: Store, number: int) -> None:
        for at in range(0, 20, 4):
            end(mine, shares[number][at : at + 4], bad=1)

    at_once(*(partial(work, (store, other)[n % 2], n) for n in range(6)))

    assert (view(store).good, view(store).bad) == (90, 30)


def test_two_jobs_in_batches_of_other_orders_do_not_lock_each_other_out(
    store: Store, other: Store
) -> None:
    for name in ("noop", "mail"):
        given_job(store, name=name)
    submit_all(store, [new_run(job=job) for _ in range(60) for job in ("noop", "mail")])
    workers = [given_worker(store) for _ in range(4)]
    # The same last digit: all of them meet on the same rows.
    for n, worker in enumerate(workers):
        twin = f"{worker[:-2]}{n}0"
        run_sql(store.url, f"update rota.worker set id = '{twin}' where id = '{worker}'")
        workers[n] = twin
    shares = [claim_some(store, w, limit=30, jobs=["noop", "mail"]) for w in workers]

    def work(mine: Store, number: int) -> list[str]:
        leases = shares[number][:: 1 if number % 2 else -1]
        return [lost for at in range(0, 30, 6) for lost in end(mine, leases[at : at + 6])]

    lost = at_once(*(partial(work, (store, other)[n % 2], n) for n in range(4)))

    assert lost == [[]] * 4
    assert counts(store) == {State.SUCCESS: 120}


@repeated
def test_many_keepers_and_claimers_let_one_probe_go(
    store: Store, other: Store, clock: Clock, turn: int
) -> None:
    worker = given_worker(store)
    given_open(store, worker)
    submit_all(store, [new_run() for _ in range(20)])
    clock.advance(COOL_MS)

    def look(mine: Store) -> list[str]:
        tend_all(mine)
        return [lease.run_id for lease in claim_some(mine, worker, limit=5)]

    taken = at_once(*(partial(look, mine) for mine in (store, other) * 3))
    rest = look(store)

    assert [run_id for share in (*taken, rest) for run_id in share] == [view(store).probe_id]


@repeated
def test_a_breaker_closed_by_a_probe_and_a_person_reports_once(
    store: Store, other: Store, clock: Clock, turn: int
) -> None:
    worker = given_worker(store)
    probe = given_probe(store, clock, worker)

    at_once(
        lambda: end(store, [probe]),
        lambda: other.write(lambda tx: close_breaker(tx, "noop", namespace=HOME)),
    )

    assert view(store).state == "closed"
    assert [alert.kind for alert in alerts(store)] == ["breaker.opened", "breaker.closed"]
    assert len(claim_some(store, worker)) == 3


def test_held_runs_survive_the_process_that_holds_them(store: Store, clock: Clock) -> None:
    worker = given_worker(store)
    given_open(store, worker)
    runs = [run.id for run in submit_all(store, [new_run() for _ in range(50)])]

    again = open_store(store.url, clock=clock)
    again.write(lambda tx: close_breaker(tx, "noop", namespace=HOME))
    leases = claim_some(again, worker)
    again.close()

    assert [lease.run_id for lease in leases] == runs
