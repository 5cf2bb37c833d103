"""What has changed since a moment: each step of a run leaves a trace."""

from __future__ import annotations

from rota.clock import moment
from rota.engine.insight.changes import ChangeSet, changed, mark, traces
from rota.engine.logs import append, ends
from rota.ids import first_id
from rota.model.logs.log import LogChunk
from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import (
    ERROR,
    HOME,
    START_MS,
    Clock,
    claim_one,
    finish_with,
    given_lease,
    given_run,
)


def look(store: Store, *, since: int = START_MS, limit: int = 100) -> ChangeSet:
    return store.read(lambda tx: traces(tx, since=since, first=first_id(0), limit=limit))


def test_each_step_leaves_its_trace(store: Store, worker: str, clock: Clock) -> None:
    run_id = given_run(store)
    made = look(store)
    lease = claim_one(store, worker)
    begun = look(store)
    finish_with(store, lease, "retry", kind="error", error=ERROR)
    failed = look(store)
    clock.advance(1000)
    other = given_lease(store, worker_id=worker)
    finish_with(store, other)

    assert (made.made, made.running, made.ended) == ([run_id], {}, {})
    assert begun.running[run_id].fence == lease.fence
    assert failed.attempts == {(run_id, lease.fence): START_MS}
    assert look(store).ended == {other.run_id: START_MS + 1000}
    assert look(store, since=START_MS + 1001).ended == {}


def test_more_than_the_limit_is_told_as_such(store: Store, worker: str) -> None:
    for _ in range(3):
        finish_with(store, given_lease(store, worker_id=worker))
    runs = [given_run(store) for _ in range(3)]

    assert [look(store, limit=limit).is_cut for limit in (2, 3)] == [True, False]
    assert look(store, limit=1).made == runs[:0:-1], "the newest, and one more than the limit"


def test_what_an_earlier_look_could_see_need_not_be_found_again(
    store: Store, worker: str, clock: Clock
) -> None:
    finish_with(store, given_lease(store, worker_id=worker))
    seen = store.read(mark)
    late = given_lease(store, worker_id=worker)
    finish_with(store, late)

    again = store.read(
        lambda tx: traces(tx, since=0, first=first_id(0), oldest=seen.oldest, limit=100)
    )

    assert late.run_id in again.ended
    if store.dialect == "postgres":
        assert list(again.ended) == [late.run_id]


def test_runs_are_told_as_they_are_now_live_or_ended(store: Store, worker: str) -> None:
    lease = given_lease(store, worker_id=worker)
    finish_with(store, lease, "fail", kind="error", error=ERROR, reason="gave up")
    waiting = given_run(store, queue="mail")
    theirs = given_run(store, namespace="other")
    ids = [lease.run_id, waiting, theirs]

    all_of_them = store.read(lambda tx: changed(tx, ids, since=START_MS))
    ours = store.read(lambda tx: changed(tx, ids, since=START_MS, namespace=HOME))
    late = store.read(lambda tx: changed(tx, ids, since=START_MS + 1, namespace=HOME))

    assert {each.event.id for each in all_of_them} == set(ids)
    told = {each.event.id: each.event for each in ours}
    assert told.keys() == {lease.run_id, waiting}
    assert (told[waiting].status, told[waiting].queue) == (State.QUEUED, "mail")
    failed = told[lease.run_id]
    assert (failed.status, failed.reason) == (State.FAILED, "gave up")
    assert failed.finished_at == moment(START_MS)
    assert failed.error is not None
    assert failed.error.message == "broken"
    assert [each.event.id for each in late] == [waiting]
    assert store.read(lambda tx: changed(tx, [], since=0)) == []


def test_a_mark_names_the_time_and_grows(store: Store, clock: Clock) -> None:
    first = store.read(mark)
    given_run(store)
    clock.advance(5)
    second = store.read(mark)

    assert (first.now, second.now) == (START_MS, START_MS + 5)
    assert second.oldest <= second.next
    assert second.next >= first.next


def test_the_lines_of_each_claim_have_an_end(store: Store) -> None:
    run_id = given_run(store)
    chunks = [
        LogChunk(run_id, "noop", 1, fence, seq, START_MS, "[1,0,1,0]", "line")
        for fence, seq in ((1, 1), (1, 7), (2, 3))
    ]
    store.write(lambda tx: append(tx, chunks, namespace=HOME))

    assert store.read(lambda tx: ends(tx, run_id, namespace=HOME)) == {1: 7, 2: 3}
    assert store.read(lambda tx: ends(tx, run_id, namespace="other")) == {}
