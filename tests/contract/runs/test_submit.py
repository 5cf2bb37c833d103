"""Submit: what is accepted is recorded, once, with what it asked for."""

from __future__ import annotations

from typing import Any

import pytest

from rota.clock import moment
from rota.engine.runs.submit import submit
from rota.engine.wakeup_keys import DUE, queue_key
from rota.ids import new_id
from rota.model.runs.run import Submitted
from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import (
    HOME,
    START_MS,
    Clock,
    claim_one,
    claim_some,
    finish_with,
    given_run,
    given_worker,
    look,
    new_run,
    submit_all,
)


def test_a_run_is_recorded_with_all_it_asked_for(store: Store) -> None:
    parent = given_run(store)
    asked = new_run(
        job="mail", version=7, queue="slow", priority=-3, args='{"a":"ü\\u0000\'"}',
        at_most_once=True, policy='{"timeout_ms":5}', key="k", rerun_of=parent,
    )  # fmt: skip

    submit_all(store, [asked])

    run = look(store, asked.id)
    assert (run.job, run.version, run.queue, run.priority) == ("mail", 7, "slow", -3)
    assert (run.args, run.policy, run.key) == (asked.args, asked.policy, "k")
    assert (run.at_most_once, run.rerun_of, run.namespace) == (True, parent, HOME)
    assert (run.state, run.attempt, run.failures, run.crashes, run.fence) == ("queued", 0, 0, 0, 0)
    assert run.created_at == run.due_at == run.ready_at == moment(START_MS)


@pytest.mark.parametrize(
    ("asks", "state", "due_ms"),
    [
        ({}, State.QUEUED, 0),
        ({"delay_ms": 0}, State.QUEUED, 0),
        ({"delay_ms": 1}, State.SCHEDULED, 1),
        ({"due_at": START_MS + 500}, State.SCHEDULED, 500),
        ({"due_at": START_MS}, State.QUEUED, 0),
        ({"due_at": START_MS - 500}, State.QUEUED, 0),
    ],
)
def test_a_run_waits_for_its_time_and_never_for_the_past(
    store: Store, asks: dict[str, Any], state: State, due_ms: int
) -> None:
    run = look(store, given_run(store, **asks))

    due_at = moment(START_MS + due_ms)
    assert (run.state, run.due_at, run.ready_at) == (state, due_at, due_at)


def test_the_answers_are_in_the_order_of_the_runs(store: Store) -> None:
    runs = [new_run(key=None if n % 2 else f"k{n}") for n in reversed(range(50))]

    answers = submit_all(store, runs)

    assert answers == [Submitted(id=run.id) for run in runs]


def test_an_id_that_is_submitted_again_is_the_same_run(store: Store, worker: str) -> None:
    run = new_run(args='{"a":1}')

    submit_all(store, [run, run])
    submit_all(store, [run])

    assert len(claim_some(store, worker)) == 1


def test_an_id_that_is_submitted_again_while_it_runs_changes_nothing(store: Store) -> None:
    run = new_run()
    submit_all(store, [run])
    lease = claim_one(store, given_worker(store))

    submit_all(store, [run])

    assert look(store, run.id).state is State.RUNNING
    assert finish_with(store, lease) == []


def test_a_submit_that_is_repeated_after_the_end_of_its_run_does_not_run_it_again(
    store: Store, worker: str, clock: Clock
) -> None:
    run = new_run()
    submit_all(store, [run])
    finish_with(store, claim_one(store, worker))
    clock.advance(60_000)

    again = [run, new_run()]
    answers = store.write(lambda tx: submit(tx, again, namespace=HOME, is_repeat=True))

    assert answers == [Submitted(id=each.id) for each in again]
    assert look(store, run.id).state is State.SUCCESS
    assert [lease.run_id == run.id for lease in claim_some(store, worker)] == [False]


def test_a_batch_that_fails_in_the_middle_leaves_nothing(store: Store) -> None:
    good, bad = new_run(), new_run(version=None)

    with pytest.raises(Exception, match=r"(?i)null"):
        submit_all(store, [good, bad])

    assert submit_all(store, [good]) == [Submitted(id=good.id)]


def test_ten_thousand_runs_go_in_with_one_call(store: Store, worker: str) -> None:
    submit_all(store, [new_run() for _ in range(10_000)])

    assert len(claim_some(store, worker, limit=20_000)) == 10_000


def test_a_submit_wakes_workers_by_queue_or_by_time(store: Store) -> None:
    woken: set[str] = set()
    watch = store.watch(woken.add)

    submit_all(store, [new_run(id=new_id(), queue="fast"), new_run(queue="slow", delay_ms=5)])

    watch.close()
    assert woken >= {queue_key(HOME, "fast"), DUE}
    assert queue_key(HOME, "slow") not in woken
