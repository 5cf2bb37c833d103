"""Finish: one end per run, fenced, with what happened on record."""

from __future__ import annotations

import pytest

from rota.clock import moment
from rota.engine.wakeup_keys import DUE, ENDED, queue_key
from rota.ids import new_id
from rota.model.runs.run import ErrorView, FinishVerb, Verdict
from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import (
    ERROR,
    HOME,
    START_MS,
    Clock,
    attempts_of,
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

BROKEN = ErrorView(type="ValueError", message="broken")


def test_a_success_moves_the_run_to_history_with_its_result(
    store: Store, worker: str, clock: Clock
) -> None:
    lease = given_lease(store, worker_id=worker, key="k", priority=4)
    clock.advance(30)

    lost = finish_with(store, lease, result='{"sum":3}')

    run = look(store, lease.run_id)
    assert lost == []
    assert (run.state, run.result, run.error, run.reason) == ("success", '{"sum":3}', None, None)
    assert (run.started_at, run.finished_at) == (moment(START_MS), moment(START_MS + 30))
    assert (run.attempt, run.failures, run.crashes, run.fence) == (1, 0, 0, 1)
    assert (run.worker_id, run.key, run.priority) == (worker, "k", 4)
    assert attempts_of(store, lease.run_id) == []


def test_a_failure_keeps_its_error_its_reason_and_its_attempt(store: Store, clock: Clock) -> None:
    lease = given_lease(store)
    clock.advance(30)

    finish_with(store, lease, "fail", kind="error", error=ERROR, reason="retries used up")

    run = look(store, lease.run_id)
    (attempt,) = attempts_of(store, lease.run_id)
    assert (run.state, run.error, run.reason) == ("failed", BROKEN, "retries used up")
    assert (run.failures, run.crashes) == (1, 0)
    assert (attempt.number, attempt.fence, attempt.kind, attempt.error) == (1, 1, "error", BROKEN)
    assert (attempt.started_at, attempt.ended_at) == (moment(START_MS), moment(START_MS + 30))


@pytest.mark.parametrize(
    ("kind", "failures", "crashes"),
    [("error", 1, 0), ("timeout", 1, 0), ("crash", 0, 1), ("lost", 0, 1), ("cancelled", 0, 0)],
)
@pytest.mark.parametrize("verb", ["retry", "fail"])
def test_errors_and_crashes_are_counted_apart(
    store: Store, verb: FinishVerb, kind: str, failures: int, crashes: int
) -> None:
    lease = given_lease(store)

    finish_with(store, lease, verb, kind=kind, error=ERROR)

    run = look(store, lease.run_id)
    assert (run.failures, run.crashes) == (failures, crashes)


def test_a_retry_waits_for_its_backoff_and_keeps_the_error(store: Store, clock: Clock) -> None:
    lease = given_lease(store)
    clock.advance(10)

    finish_with(store, lease, "retry", kind="error", error=ERROR, delay_ms=500)

    run = look(store, lease.run_id)
    assert (run.state, run.ready_at, run.due_at) == (
        "scheduled",
        moment(START_MS + 510),
        moment(START_MS),
    )
    assert (run.error, run.worker_id, run.attempt) == (BROKEN, None, 1)


def test_a_success_after_a_retry_still_tells_the_last_error(store: Store, worker: str) -> None:
    lease = given_lease(store, worker_id=worker)
    finish_with(store, lease, "reap", kind="lost", error=ERROR)

    finish_with(store, claim_one(store, worker), result="1")

    run = look(store, lease.run_id)
    assert (run.state, run.result, run.error, run.attempt) == ("success", "1", BROKEN, 2)


def test_a_release_leaves_no_trace_but_the_fence(store: Store, worker: str) -> None:
    run_id = given_run(store, expires_ms=5_000)
    before = look(store, run_id)
    lease = claim_one(store, worker)

    lost = finish_with(store, lease, "release")

    after = look(store, run_id)
    assert lost == []
    assert after.fence == 1
    assert {
        name for name in before.__struct_fields__ if getattr(before, name) != getattr(after, name)
    } == {"fence"}
    assert attempts_of(store, run_id) == []


def test_attempts_are_numbered_without_gaps(store: Store, worker: str) -> None:
    run_id = given_run(store)
    numbers = []
    verbs: list[tuple[FinishVerb, str | None]] = [
        ("release", None), ("reap", "lost"), ("release", None), ("release", None),
        ("reap", "lost"), ("fail", "error"),
    ]  # fmt: skip
    for verb, kind in verbs:
        lease = claim_one(store, worker)
        numbers.append((lease.attempt, lease.fence))
        finish_with(store, lease, verb, kind=kind)

    assert numbers == [(1, 1), (1, 2), (2, 3), (2, 4), (2, 5), (3, 6)]
    assert [attempt.number for attempt in attempts_of(store, run_id)] == [1, 2, 3]


@pytest.mark.parametrize("verb", ["succeed", "retry", "fail", "release", "abort", "reap"])
def test_a_worker_that_lost_its_lease_cannot_finish_the_run(
    store: Store, worker: str, verb: FinishVerb
) -> None:
    stale = given_lease(store, worker_id=worker)
    finish_with(store, stale, "release")
    fresh = claim_one(store, given_worker(store))
    before = look(store, stale.run_id)

    lost = finish_with(store, stale, verb, kind="error", error=ERROR, result="1")

    assert lost == [stale.run_id]
    assert look(store, stale.run_id) == before
    assert attempts_of(store, stale.run_id) == []
    assert finish_with(store, fresh) == []


@pytest.mark.parametrize("verb", ["succeed", "retry", "fail", "release", "abort", "reap"])
def test_an_ended_run_never_changes(store: Store, verb: FinishVerb) -> None:
    lease = given_lease(store)
    finish_with(store, lease, "fail", kind="error", error=ERROR, reason="gave up")
    before, recorded = look(store, lease.run_id), attempts_of(store, lease.run_id)

    lost = finish_with(store, lease, verb, kind="timeout", result="1")

    assert lost == [lease.run_id]
    assert look(store, lease.run_id) == before
    assert attempts_of(store, lease.run_id) == recorded


def test_the_same_verdict_sent_again_is_not_a_lost_lease(store: Store) -> None:
    lease = given_lease(store)
    finish_with(store, lease, result="1")
    before = look(store, lease.run_id)

    lost = finish_with(store, lease, result="1")

    assert lost == []
    assert look(store, lease.run_id) == before


def test_a_batch_tells_exactly_which_leases_were_lost(store: Store, worker: str) -> None:
    submit_all(store, [new_run() for _ in range(9)])
    leases = claim_some(store, worker)
    verbs: list[FinishVerb] = ["succeed", "retry", "release"] * 3
    stale = leases[:3]
    finish_all(store, [verdict(lease, "fail") for lease in stale])

    lost = finish_all(
        store,
        [verdict(lease, verb) for lease, verb in zip(leases, verbs, strict=True)]
        + [Verdict(run_id=(nowhere := new_id()), fence=1, verb="succeed")],
    )

    assert sorted(lost) == sorted([*(lease.run_id for lease in stale), nowhere])
    states = [look(store, lease.run_id).state for lease in leases]
    assert states == [State.FAILED] * 3 + [State.SUCCESS, State.SCHEDULED, State.QUEUED] * 2


def test_nothing_to_finish_is_nothing_done(store: Store) -> None:
    assert finish_all(store, []) == []


@pytest.mark.parametrize(
    ("verb", "key"),
    [("succeed", ENDED), ("retry", DUE), ("release", queue_key(HOME, "default"))],
)
def test_an_end_wakes_its_waiters(store: Store, verb: FinishVerb, key: str) -> None:
    lease = given_lease(store)
    woken: set[str] = set()
    watch = store.watch(woken.add)

    finish_with(store, lease, verb)

    watch.close()
    assert key in woken


def test_the_first_of_two_verdicts_on_one_run_counts(store: Store, worker: str) -> None:
    lease = given_lease(store, worker_id=worker)

    lost = finish_all(
        store, [verdict(lease, "succeed", result="1"), verdict(lease, "succeed", result="2")]
    )

    assert lost == []
    assert look(store, lease.run_id).result == "1"
