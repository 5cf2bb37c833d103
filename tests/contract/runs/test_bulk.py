"""Many runs at once: stopped or repeated, each as if alone."""

from __future__ import annotations

from typing import Any

from rota.engine.failures.dead_letters import letters
from rota.engine.failures.redrive import RedrivePair
from rota.engine.runs.bulk import RunFilter, cancel_all, matching, rerun_all
from rota.ids import new_id
from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import (
    HOME,
    Clock,
    claim_one,
    finish_with,
    given_lease,
    given_run,
    given_worker,
    look,
    state_of,
)
from tests.contract.graphs.builders import Flow, graph, node
from tests.contract.schedules.builders import MINUTE, fire_some, given_schedule, runs_of


def match(store: Store, *, ended: bool = False, **fields: Any) -> list[str]:
    return store.read(lambda tx: matching(tx, RunFilter(**fields), namespace=HOME, ended=ended))


def cancel(store: Store, *ids: str, **fields: Any) -> list[str]:
    asked: dict[str, Any] = {"namespace": HOME, "reason": "enough"} | fields
    return store.write(lambda tx: cancel_all(tx, ids, **asked))


def rerun(store: Store, *ids: str, **fields: Any) -> list[RedrivePair]:
    pairs = [RedrivePair(run_id, new_id()) for run_id in ids]
    asked: dict[str, Any] = {"namespace": HOME, "who": "ann"} | fields
    return store.write(lambda tx: rerun_all(tx, pairs, **asked)).pairs


def given_failed(store: Store, **fields: Any) -> str:
    lease = given_lease(store, **fields)
    finish_with(store, lease, "fail", kind="error", reason="gave up")
    return lease.run_id


def test_a_filter_finds_what_it_says(store: Store, clock: Clock) -> None:
    first = given_run(store)
    clock.advance(MINUTE)
    mail = given_run(store, job="mail", queue="mail")
    later = given_run(store, delay_ms=MINUTE)
    given_run(store, namespace="elsewhere")

    assert match(store) == [later, mail, first]
    assert match(store, state=State.SCHEDULED) == [later]
    assert match(store, job="mail") == match(store, queue="mail") == [mail]
    assert match(store, queues=("mail", "x")) == [mail]
    assert match(store, until=clock.ms) == [first]
    assert match(store, since=clock.ms) == [later, mail]
    assert match(store, state=State.FAILED) == []
    assert match(store, ended=True) == []


def test_a_filter_by_schedule_finds_its_runs(store: Store, clock: Clock) -> None:
    given_schedule(store)
    given_run(store)
    clock.advance(MINUTE)
    fire_some(store)

    assert match(store, schedule="s") == [run.id for run in runs_of(store)]
    assert match(store, schedule="nope") == []


def test_cancel_ends_waiting_runs_and_asks_running_ones(store: Store) -> None:
    running = given_lease(store).run_id
    queued, delayed = given_run(store), given_run(store, delay_ms=MINUTE)
    ended = given_run(store)
    cancel(store, ended)

    done = cancel(store, queued, running, delayed, ended, new_id())

    assert done == [queued, running, delayed]
    assert [state_of(store, each) for each in done] == [
        State.CANCELLED,
        State.RUNNING,
        State.CANCELLED,
    ]
    assert look(store, running).cancel_requested
    assert look(store, queued).reason == "enough"
    assert cancel(store, queued, running) == []


def test_a_graph_is_cancelled_with_its_nodes(store: Store) -> None:
    flow = Flow(store, given_worker(store), graph([node("a"), node("b", "a")]))
    run_id = flow.start()

    assert cancel(store, run_id) == [run_id]

    assert state_of(store, run_id) is State.CANCELLED
    assert match(store) == []


def test_runs_outside_the_filter_are_not_cancelled(store: Store) -> None:
    mail, other = given_run(store, queue="mail"), given_run(store)
    foreign = given_run(store, namespace="elsewhere")

    done = cancel(store, mail, other, foreign, is_wanted=lambda queue: queue == "mail")

    assert done == [mail]
    assert state_of(store, other) is State.QUEUED
    assert look(store, foreign, namespace="elsewhere").state is State.QUEUED


def test_ended_runs_are_run_again_each_linked_to_its_own(store: Store) -> None:
    failed = given_failed(store, args='{"a":1}', priority=3)
    waiting = given_run(store, job="other")
    stopped = given_run(store, args='{"a":2}')
    cancel(store, stopped)

    done = rerun(store, failed, stopped, waiting, new_id())

    assert [pair.run_id for pair in done] == [failed, stopped]
    fresh = look(store, done[0].rerun_id)
    assert (fresh.rerun_of, fresh.args, fresh.priority) == (failed, '{"a":1}', 3)
    assert fresh.state is State.QUEUED
    assert store.read(lambda tx: letters(tx, namespace=HOME)) == []
    assert match(store, ended=True) == [stopped, failed]


def test_runs_of_nodes_are_left_to_their_graphs(store: Store) -> None:
    worker = given_worker(store)
    flow = Flow(store, worker, graph([node("a")]))
    run_id = flow.start()
    flow.claim()
    flow.end(run_id, "a", "fail")
    child = next(str(row["run_id"]) for row in flow.rows(run_id))

    assert match(store, ended=True) == [run_id]
    assert rerun(store, child) == []
    assert [pair.run_id for pair in rerun(store, run_id)] == [run_id]


def test_runs_outside_the_filter_are_not_rerun(store: Store) -> None:
    failed = given_failed(store)

    assert rerun(store, failed, is_wanted=lambda _: False) == []
    assert match(store) == []


def test_thousands_are_few_statements(store: Store) -> None:
    ids = [given_run(store) for _ in range(300)]

    assert len(cancel(store, *ids)) == 300
    assert len(rerun(store, *ids)) == 300
    assert claim_one(store, given_worker(store)).run_id not in ids
