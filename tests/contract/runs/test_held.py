"""Held: runs that a worker claimed ahead of a free slot wait, and go back as they came."""

from __future__ import annotations

import pytest

from rota.clock import moment
from rota.engine.admission import queues
from rota.engine.admission.queues import queue_view
from rota.engine.failures.breakers import control as breakers
from rota.engine.graphs.views.timeline import timeline
from rota.engine.insight.changes import traces
from rota.engine.insight.why import why
from rota.engine.runs.begin import begin
from rota.engine.runs.bulk import RunFilter, matching
from rota.engine.runs.claimed import shares
from rota.engine.runs.lists import runs
from rota.engine.wakeup_keys import recall_key
from rota.engine.workers.heartbeat import HeartbeatReply, HeldLease, heartbeat
from rota.engine.workers.registry import workers
from rota.model.runs.run import Begun, Lease
from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import (
    ERROR,
    HOME,
    LEASE_MS,
    START_MS,
    Clock,
    attempts_of,
    cancel_run,
    claim_some,
    counts,
    finish_all,
    finish_with,
    given_run,
    given_worker,
    look,
    new_run,
    reap_some,
    submit_all,
    verdict,
)
from tests.contract.failures.breaker_builders import given_job


def given_held(store: Store, worker: str, *, count: int = 1, **fields: object) -> list[Lease]:
    """Runs that a worker claimed ahead."""
    submit_all(store, [new_run(**fields) for _ in range(count)])
    return claim_some(store, worker, held=True)


def tell_begun(store: Store, lease: Lease, held_ms: int) -> int:
    begun = [Begun(lease.run_id, lease.fence, held_ms)]
    return store.write(lambda tx: begin(tx, begun, namespace=HOME))


def beat(store: Store, worker: str, *leases: Lease) -> HeartbeatReply:
    held = [HeldLease(lease.run_id, lease.fence) for lease in leases]
    return store.write(lambda tx: heartbeat(tx, worker, lease_ms=LEASE_MS, held=held))


def listed(store: Store, state: State | None) -> list[tuple[str, str]]:
    found = store.read(lambda tx: runs(tx, namespace=HOME, state=state))
    return [(run.id, run.state) for run in found]


def test_a_run_that_is_held_is_shown_to_wait_for_its_worker(store: Store, worker: str) -> None:
    (lease,) = given_held(store, worker)

    run = look(store, lease.run_id)
    (reason,) = store.read(lambda tx: why(tx, lease.run_id, namespace=HOME))
    assert (run.state, run.started_at, run.worker_id) == ("queued", None, worker)
    assert counts(store) == {State.QUEUED: 1}
    assert listed(store, State.RUNNING) == []
    assert listed(store, State.QUEUED) == listed(store, None) == [(lease.run_id, "queued")]
    assert reason.says == "worker w has claimed it and starts it as soon as a slot is free"
    (track,) = store.read(lambda tx: timeline(tx, lease.run_id, namespace=HOME)).tracks
    assert [each.part for each in track.stretches] in ([], ["queued"])


def test_a_run_that_is_told_to_have_begun_is_shown_to_run_since_then(
    store: Store, worker: str, clock: Clock
) -> None:
    (lease,) = given_held(store, worker)
    clock.advance(300)
    seen = store.read(lambda tx: traces(tx, since=START_MS, first=lease.run_id, limit=9)).running

    told = tell_begun(store, lease, 250), tell_begun(store, lease, 290)

    run = look(store, lease.run_id)
    now = store.read(lambda tx: traces(tx, since=START_MS, first=lease.run_id, limit=9)).running
    assert told == (1, 0)  # what was told before stays
    assert (run.state, run.started_at) == ("running", moment(START_MS + 250))
    assert listed(store, State.RUNNING) == [(lease.run_id, "running")]
    assert listed(store, State.QUEUED) == []
    assert seen != now  # who follows the runs hears of it


def test_the_begin_of_a_handler_is_on_record_whoever_told_it_and_when(
    store: Store, worker: str, clock: Clock
) -> None:
    told, untold, direct, late = given_held(store, worker, count=4)
    clock.advance(20_000)
    tell_begun(store, told, 100)

    lost = finish_all(
        store,
        [
            verdict(told, held_ms=100),
            verdict(untold, held_ms=19_500),
            verdict(direct),
            verdict(late, "fail", kind="error", error=ERROR, held_ms=19_000),
        ],
    )

    began = [look(store, each.run_id).started_at for each in (told, untold, direct, late)]
    (attempt,) = attempts_of(store, late.run_id)
    assert lost == []
    # One that says nothing, as older workers do, began with its claim.
    after = [100, 19_500, 0, 19_000]
    assert began == [moment(START_MS + each) for each in after]
    assert (attempt.started_at, attempt.ended_at) == (
        moment(START_MS + 19_000),
        moment(START_MS + 20_000),
    )


def test_runs_given_back_keep_their_order_and_attempts(
    store: Store, worker: str, clock: Clock
) -> None:
    first, second = given_held(store, worker, count=2)
    clock.advance(100)
    urgent = given_run(store, priority=9)
    other = given_worker(store)

    lost = finish_all(store, [verdict(each, "release", held_ms=-1) for each in (second, first)])

    again = claim_some(store, other)
    assert lost == []
    assert [each.run_id for each in again] == [urgent, first.run_id, second.run_id]
    assert [(each.attempt, each.fence) for each in again] == [(1, 1), (1, 2), (1, 2)]
    assert [look(store, each.run_id).state for each in again] == ["running"] * 3
    assert attempts_of(store, first.run_id) == []
    # The worker that gave them back cannot do it twice, nor say that they began.
    assert finish_with(store, first, "release", held_ms=-1) == [first.run_id]
    assert tell_begun(store, first, 5) == 0


def test_a_claim_that_has_a_slot_leaves_nothing_held(store: Store, worker: str) -> None:
    (lease,) = given_held(store, worker)
    finish_with(store, lease, "release", held_ms=-1)
    (again,) = claim_some(store, worker)

    run = look(store, lease.run_id)
    assert (run.state, run.started_at, again.is_held) == ("running", moment(START_MS), False)


def test_a_run_that_is_cancelled_while_it_is_held_never_began(store: Store, worker: str) -> None:
    aborted, returned = given_held(store, worker, count=2)
    for lease in (aborted, returned):
        cancel_run(store, lease.run_id)

    finish_with(store, aborted, "abort", reason="cancelled", held_ms=-1)
    finish_with(store, returned, "release", held_ms=-1)

    for lease in (aborted, returned):
        run = look(store, lease.run_id)
        assert (run.state, run.started_at, run.attempt) == ("cancelled", None, 0)
        assert attempts_of(store, lease.run_id) == []


def test_no_more_runs_are_counted_to_run_than_there_are_slots(store: Store, worker: str) -> None:
    leases = given_held(store, worker, count=20)  # the worker has 8 slots
    tell_begun(store, leases[0], 0)

    (share,) = store.read(lambda tx: shares(tx, namespace=HOME))
    view = store.read(lambda tx: queue_view(tx, "default", namespace=HOME))
    assert (share.running, share.held) == (8, 12)
    assert (view.running, view.queued) == (8, 12)
    assert store.read(lambda tx: shares(tx, namespace=HOME, queues=["other"])) == []


def test_a_filter_finds_what_is_held_among_what_waits(store: Store, worker: str) -> None:
    (lease,) = given_held(store, worker)

    def found(state: State) -> list[str]:
        wanted = RunFilter(state=state)
        return store.read(lambda tx: matching(tx, wanted, namespace=HOME, ended=False))

    assert found(State.QUEUED) == [lease.run_id]
    assert found(State.RUNNING) == []


@pytest.mark.parametrize("stop", ["queue", "job", "rule"])
def test_a_prefetched_run_is_called_back_when_its_queue_or_job_stops(
    store: Store, worker: str, stop: str
) -> None:
    given_job(store)
    held, begun = given_held(store, worker, count=2)
    tell_begun(store, begun, 0)
    before = beat(store, worker, held, begun)
    heard: set[str] = set()
    store.watch(heard.add)

    if stop == "queue":
        store.write(lambda tx: queues.pause(tx, "default", namespace=HOME))
    elif stop == "job":
        store.write(lambda tx: breakers.open_breaker(tx, "noop", namespace=HOME))
    else:
        failing = given_worker(store)
        submit_all(store, [new_run() for _ in range(8)])
        for lease in claim_some(store, failing):
            finish_with(store, lease, "fail", kind="error", error=ERROR, watched=True)

    assert (before.recalls, before.lost, before.cancelled) == (False, (), ())
    assert beat(store, worker, held).recalls
    assert not beat(store, worker, begun).recalls  # what runs goes on
    assert recall_key(HOME) in heard


def test_a_worker_says_how_many_of_its_runs_have_begun(store: Store, worker: str) -> None:
    leases = given_held(store, worker, count=10)
    held = [HeldLease(lease.run_id, lease.fence) for lease in leases]

    store.write(
        lambda tx: heartbeat(tx, worker, lease_ms=LEASE_MS, held=held, running=8, left_behind=2)
    )

    (view,) = store.read(lambda tx: workers(tx, namespace=HOME))
    assert (view.running, view.left_behind) == (8, 2)


def test_a_dead_worker_is_laid_to_what_had_begun_not_to_what_it_held(
    store: Store, worker: str, clock: Clock
) -> None:
    leases = given_held(store, worker, count=10)  # the worker has 8 slots
    clock.advance(50)
    for lease in leases[2:]:
        tell_begun(store, lease, 50)
    clock.advance(LEASE_MS)

    reap_some(store)

    crashes = [look(store, lease.run_id).crashes for lease in leases]
    assert crashes == [0, 0, *[1] * 8]
