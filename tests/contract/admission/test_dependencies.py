"""Runs that wait for runs of other jobs: of the same instant, or asked for before them."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from rota.engine.admission.clear_dependents import clear_waiting, is_anybody_waiting
from rota.engine.admission.dependencies import hold_back
from rota.engine.insight.why import why
from rota.engine.runs.cancel import cancel
from rota.engine.runs.lists import runs
from rota.engine.runs.rerun import rerun
from rota.engine.runs.submit import submit
from rota.engine.schedules import definitions as schedules
from rota.engine.schedules.backfills.fill import start_backfill
from rota.engine.schedules.backfills.span import BackfillRange
from rota.ids import new_id
from rota.model.runs.run import Lease, NewRun
from rota.model.states import State
from rota.store.base import Store, Tx
from tests.contract.builders import HOME, START_MS, Clock, claim_some, finish_with, look
from tests.contract.schedules.backfill_builders import fill_some
from tests.contract.schedules.builders import (
    DAY,
    MINUTE,
    TABLES,
    every,
    fire_some,
    given_job,
    instants,
    put,
    trigger_now,
)

ON = START_MS // DAY * DAY


@pytest.fixture
def clock() -> Clock:
    return Clock(ON)


@pytest.fixture
def jobs(store: Store) -> Store:
    """Job b depends on a; both fire every minute."""
    given_job(store, name="a")
    given_job(store, name="b", dependencies=("a",))
    return store


def schedule(store: Store, *names: str, every_: str = "1m") -> None:
    for name in names:
        put(store, every(every_), name=name, job=name)


def claim(store: Store, worker: str, *names: str) -> list[Lease]:
    """Claim as a worker does: what has to wait is held back."""
    leases = claim_some(store, worker, limit=100, jobs=names or ("a", "b"))
    dependent = [lease for lease in leases if lease.job == "b"]
    free = store.write(lambda tx: hold_back(tx, dependent, HOME))
    return [lease for lease in leases if lease.job != "b" or lease in free]


def clear(store: Store) -> None:
    def page(tx: Tx) -> str | None:
        return clear_waiting(tx, compiled=TABLES, limit=100, after=None)

    store.write(page)


def run_of(store: Store, job: str) -> str:
    """The newest run of a job."""
    return store.read(lambda tx: runs(tx, namespace=HOME, job=job, limit=1))[0].id


def names(leases: Sequence[Lease]) -> list[str]:
    return sorted(lease.job for lease in leases)


def reasons(store: Store, run_id: str) -> list[str]:
    return [each.says for each in store.read(lambda tx: why(tx, run_id, namespace=HOME))]


def test_b_starts_after_a_of_the_same_instant(jobs: Store, worker: str, clock: Clock) -> None:
    schedule(jobs, "a", "b")
    clock.advance(MINUTE)
    fire_some(jobs)

    (a,) = claim(jobs, worker)
    clear(jobs)
    assert a.job == "a"
    assert look(jobs, run_of(jobs, "b")).state is State.PENDING
    assert reasons(jobs, run_of(jobs, "b")) == [
        f"it waits for run {a.run_id} of job a, which is running"
    ]
    assert claim(jobs, worker) == []
    finish_with(jobs, a, "succeed")
    clear(jobs)

    assert names(claim(jobs, worker)) == ["b"]
    assert not jobs.read(is_anybody_waiting)


@pytest.mark.parametrize("verb", ["fail", "abort"])
def test_b_is_skipped_when_a_did_not_succeed(
    jobs: Store, worker: str, clock: Clock, verb: str
) -> None:
    schedule(jobs, "a", "b")
    clock.advance(MINUTE)
    fire_some(jobs)
    (a,) = claim(jobs, worker)
    finish_with(jobs, a, verb)  # type: ignore[arg-type]
    clear(jobs)

    b = look(jobs, run_of(jobs, "b"))
    assert b.state is State.SKIPPED
    assert b.reason == f"skipped: run {a.run_id} of job a ended as {look(jobs, a.run_id).state}"
    assert not jobs.read(is_anybody_waiting)


def test_the_later_of_two_starts_within_a_millisecond_counts(
    jobs: Store, worker: str, clock: Clock
) -> None:
    schedule(jobs, "a", "b")
    clock.advance(MINUTE)
    fire_some(jobs)
    (a,) = claim(jobs, worker)
    finish_with(jobs, a, "fail", kind="error", fired=True)
    once_more = BackfillRange(from_at=clock(), to_at=clock() + 1, reprocess="failed")
    jobs.write(
        lambda tx: start_backfill(
            tx, "a", once_more, namespace=HOME, backfill_id=new_id(), compiled=TABLES
        )
    )
    fill_some(jobs)

    (later,) = claim(jobs, worker)
    clear(jobs)

    assert (later.job, later.run_id != a.run_id) == ("a", True)
    assert reasons(jobs, run_of(jobs, "b")) == [
        f"it waits for run {later.run_id} of job a, which is running"
    ]


def test_a_that_has_not_fired_yet_is_waited_for(jobs: Store, worker: str, clock: Clock) -> None:
    schedule(jobs, "b", "a")
    clock.advance(MINUTE)
    fire_some(jobs, limit=1)
    assert instants(jobs, "a") == []

    assert claim(jobs, worker) == []
    clear(jobs)
    assert "its schedule a has not fired this time yet" in reasons(jobs, run_of(jobs, "b"))[0]
    fire_some(jobs)
    (a,) = claim(jobs, worker)
    finish_with(jobs, a, "succeed")
    clear(jobs)

    assert names(claim(jobs, worker)) == ["b"]


def test_b_does_not_wait_for_an_instant_that_a_lacks(
    jobs: Store, worker: str, clock: Clock
) -> None:
    schedule(jobs, "a", every_="1h")
    schedule(jobs, "b")
    clock.advance(MINUTE)
    fire_some(jobs)
    claim(jobs, worker)
    clear(jobs)

    assert names(claim(jobs, worker)) == ["b"]


def test_b_does_not_run_while_a_is_paused(jobs: Store, worker: str, clock: Clock) -> None:
    schedule(jobs, "a", "b")
    jobs.write(lambda tx: schedules.pause(tx, "a", namespace=HOME, who="ann"))
    clock.advance(MINUTE)
    fire_some(jobs)
    claim(jobs, worker)
    clear(jobs)

    b = look(jobs, run_of(jobs, "b"))
    assert b.state is State.SKIPPED
    assert "its schedule a is paused or missed it" in (b.reason or "")


def test_other_instants_do_not_matter(jobs: Store, worker: str, clock: Clock) -> None:
    schedule(jobs, "a", "b")
    clock.advance(MINUTE)
    fire_some(jobs)
    (first,) = claim(jobs, worker)
    early = run_of(jobs, "b")
    clock.advance(MINUTE)
    fire_some(jobs)
    (second,) = claim(jobs, worker)
    finish_with(jobs, second, "succeed")
    clear(jobs)

    (b,) = claim(jobs, worker)
    assert b.run_id != early
    assert look(jobs, early).state is State.PENDING
    finish_with(jobs, first, "succeed")
    clear(jobs)
    assert [lease.run_id for lease in claim(jobs, worker)] == [early]


def submit_one(store: Store, job: str, version: int = 1) -> str:
    run = NewRun(id=new_id(), job=job, version=version)
    store.write(lambda tx: submit(tx, [run], namespace=HOME))
    return run.id


def test_a_plain_submit_waits_for_what_was_asked_for_before_it(jobs: Store, worker: str) -> None:
    a = submit_one(jobs, "a")
    b = submit_one(jobs, "b")
    later = submit_one(jobs, "a")

    leases = {lease.run_id: lease for lease in claim(jobs, worker)}
    assert set(leases) == {a, later}
    clear(jobs)
    assert reasons(jobs, b) == [f"it waits for run {a} of job a, which is running"]
    finish_with(jobs, leases[a], "succeed")
    clear(jobs)

    assert [lease.run_id for lease in claim(jobs, worker)] == [b]


def test_a_plain_submit_with_nothing_before_it_runs(jobs: Store, worker: str) -> None:
    b = submit_one(jobs, "b")
    assert claim(jobs, worker) == []
    clear(jobs)

    assert [lease.run_id for lease in claim(jobs, worker)] == [b]


def test_a_rerun_and_a_start_by_hand_do_not_ask_for_the_instant(
    jobs: Store, worker: str, clock: Clock
) -> None:
    schedule(jobs, "a", "b")
    clock.advance(MINUTE)
    fire_some(jobs)
    (a,) = claim(jobs, worker)
    finish_with(jobs, a, "fail")
    clear(jobs)
    old = run_of(jobs, "b")
    again = new_id()
    jobs.write(lambda tx: rerun(tx, old, namespace=HOME, new_id=again, who="ann"))
    by_hand = trigger_now(jobs, name="b").run_id
    claim(jobs, worker)
    clear(jobs)

    assert {lease.run_id for lease in claim(jobs, worker)} == {again, by_hand}


def test_a_run_that_is_cancelled_waits_no_more(jobs: Store, worker: str) -> None:
    submit_one(jobs, "a")
    b = submit_one(jobs, "b")
    claim(jobs, worker)
    clear(jobs)
    jobs.write(lambda tx: cancel(tx, b, namespace=HOME))
    clear(jobs)

    assert look(jobs, b).state is State.CANCELLED
    assert not jobs.read(is_anybody_waiting)


def test_a_retry_has_waited_before(jobs: Store, worker: str) -> None:
    b = submit_one(jobs, "b")
    claim(jobs, worker)
    clear(jobs)
    (lease,) = claim(jobs, worker)
    finish_with(jobs, lease, "reap")

    assert [each.run_id for each in claim(jobs, worker)] == [b]


def test_a_cleared_run_that_was_held_just_then_is_let_go_by_the_next_look(
    jobs: Store, worker: str
) -> None:
    b = submit_one(jobs, "b")
    claim(jobs, worker)
    jobs.write(lambda tx: tx.execute("clear_awaited", ids=json.dumps([b])))
    assert look(jobs, b).state is State.PENDING

    clear(jobs)

    assert [lease.run_id for lease in claim(jobs, worker)] == [b]


def test_a_cleared_run_that_is_cancelled_leaves_nothing_behind(jobs: Store, worker: str) -> None:
    b = submit_one(jobs, "b")
    claim(jobs, worker)
    clear(jobs)
    jobs.write(lambda tx: cancel(tx, b, namespace=HOME))

    clear(jobs)

    assert jobs.read(lambda tx: tx.all("find_awaited", ids=json.dumps([b]))) == []
