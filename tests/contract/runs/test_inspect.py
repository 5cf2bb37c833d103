"""Inspect: runs are found wherever they are, newest first, in pages."""

from __future__ import annotations

from itertools import chain

import pytest

from rota.engine.runs import find as inspect
from rota.engine.runs import lists as run_lists
from rota.errors import UnknownRun
from rota.ids import new_id
from rota.model.runs.run import Ended, ErrorDetail
from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import (
    ERROR,
    HOME,
    Clock,
    claim_some,
    finish_all,
    finish_with,
    given_lease,
    given_run,
    given_state,
    look,
    new_run,
    submit_all,
    verdict,
)


@pytest.mark.parametrize(
    "run_id", ["0190a0b0-0000-7000-8000-000000000000", "", "nonsense", "' or 1=1 --"]
)
def test_an_unknown_run_is_unknown(store: Store, run_id: str) -> None:
    with pytest.raises(UnknownRun):
        look(store, run_id)


def list_page(store: Store, *, before: str | None) -> list[str]:
    page = store.read(lambda tx: run_lists.runs(tx, namespace=HOME, before=before, limit=4))
    return [run.id for run in page]


def test_runs_live_and_ended_are_listed_newest_first_in_pages(store: Store, worker: str) -> None:
    runs = [new_run() for _ in range(9)]
    submit_all(store, runs)
    finish_all(store, [verdict(lease) for lease in claim_some(store, worker, limit=4)])

    pages = [list_page(store, before=None)]
    while page := list_page(store, before=pages[-1][-1]):
        pages.append(page)

    assert [len(page) for page in pages] == [4, 4, 1]
    assert list(chain(*pages)) == [run.id for run in reversed(runs)]


@pytest.mark.parametrize("state", sorted(State))
def test_runs_are_listed_by_state(store: Store, state: State) -> None:
    wanted = {given_state(store, state)}
    for other in sorted(set(State) - {State.QUEUED, state}):
        if state is not State.QUEUED:
            run_id = given_state(store, other)
            if (state, other) == (State.RUNNING, State.SUSPENDED):
                wanted.add(run_id)  # its nodes run

    found = store.read(lambda tx: run_lists.runs(tx, namespace=HOME, state=state))

    assert {run.id for run in found} == wanted
    assert len(found) == len(wanted)


def test_runs_are_listed_by_job_and_by_queue(store: Store) -> None:
    mail, slow = given_run(store, job="mail"), given_run(store, queue="slow")

    by_job = store.read(lambda tx: run_lists.runs(tx, namespace=HOME, job="mail"))
    by_queue = store.read(lambda tx: run_lists.runs(tx, namespace=HOME, queue="slow"))
    by_both = store.read(lambda tx: run_lists.runs(tx, namespace=HOME, job="mail", queue="slow"))

    assert [[run.id for run in found] for found in (by_job, by_queue, by_both)] == [
        [mail],
        [slow],
        [],
    ]


def test_endings_are_told_for_those_that_have_ended(store: Store) -> None:
    good, bad = given_lease(store), given_lease(store)
    finish_with(store, good, result="7")
    finish_with(store, bad, "fail", kind="error", error=ERROR, reason="gave up")
    ids = [good.run_id, bad.run_id, given_run(store), new_id()]

    endings = store.read(lambda tx: inspect.endings(tx, ids, namespace=HOME))

    error = ErrorDetail(type="ValueError", message="broken")
    assert endings == {
        good.run_id: Ended(state=State.SUCCESS, result="7", error=None, reason=None),
        bad.run_id: Ended(state=State.FAILED, result=None, error=error, reason="gave up"),
    }


def test_counts_are_by_state_with_ended_ones_since_a_moment(store: Store, clock: Clock) -> None:
    finish_with(store, given_lease(store))
    clock.advance(1_000)
    moment = clock.ms
    finish_with(store, given_lease(store))
    finish_with(store, given_lease(store), "fail")
    submit_all(store, [new_run(), new_run(), new_run(delay_ms=9)])

    all_time = store.read(lambda tx: inspect.counts(tx, namespace=HOME))
    recent = store.read(lambda tx: inspect.counts(tx, namespace=HOME, since=moment))

    live = {State.QUEUED: 2, State.SCHEDULED: 1}
    assert all_time == live | {State.SUCCESS: 2, State.FAILED: 1}
    assert recent == live | {State.SUCCESS: 1, State.FAILED: 1}


def test_the_clock_of_the_store_is_told(store: Store, clock: Clock) -> None:
    assert store.read(inspect.now_ms) == clock.ms


def test_many_runs_are_found_at_once_live_or_ended(store: Store, worker: str) -> None:
    ended = given_lease(store, worker_id=worker)
    finish_with(store, ended)
    waiting = given_run(store)
    theirs = given_run(store, namespace="other")
    ids = [ended.run_id, waiting, theirs, new_id(), "x"]

    found = store.read(lambda tx: inspect.find_all(tx, ids, namespace=HOME))

    assert found == {each: look(store, each) for each in (ended.run_id, waiting)}
    assert store.read(lambda tx: inspect.find_all(tx, [], namespace=HOME)) == {}
