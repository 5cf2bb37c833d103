"""Breakers: what they count, when they open, whom they hold back, which rule counts."""

from __future__ import annotations

import pytest

from rota.engine.prune import Retention, prune
from rota.engine.runs.promote import promote
from rota.engine.workers.registry import retire
from rota.model.jobs.spec import Breaker
from rota.model.runs.run import AttemptKind
from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import (
    ERROR,
    START_MS,
    Clock,
    claim_some,
    finish_with,
    given_lease,
    given_run,
    given_worker,
    new_run,
    reap_some,
    run_sql,
    state_of,
    submit_all,
)
from tests.contract.failures.breaker_builders import (
    RULE,
    attempts,
    end,
    end_one,
    given_job,
    given_open,
    tend_all,
    told,
    view,
    views,
)


def test_a_share_of_bad_attempts_opens_it_and_holds_the_others_back(
    store: Store, worker: str
) -> None:
    given_job(store)
    attempts(store, worker, good=2, bad=1)
    before = view(store).state

    attempts(store, worker, bad=1)
    held = given_run(store)

    assert (before, view(store).state) == ("closed", "open")
    assert claim_some(store, worker) == []
    assert state_of(store, held) is State.QUEUED


def test_the_claim_in_the_very_transaction_that_opens_it_gets_nothing(
    store: Store, worker: str
) -> None:
    given_job(store)
    leases = [given_lease(store, worker_id=worker) for _ in range(4)]
    given_run(store)
    end(store, leases, bad=4)

    assert (view(store).held, claim_some(store, worker)) == (1, [])


def test_too_few_attempts_or_too_few_bad_ones_leave_it_closed(store: Store, worker: str) -> None:
    given_job(store)

    attempts(store, worker, bad=3)
    few = view(store)
    attempts(store, worker, good=9)
    attempts(store, worker, bad=2)

    assert (few.state, few.bad) == ("closed", 3)
    assert (view(store).state, view(store).bad, view(store).good) == ("closed", 5, 9)


def test_attempts_before_the_window_do_not_count(store: Store, worker: str, clock: Clock) -> None:
    given_job(store)
    attempts(store, worker, bad=3)
    clock.advance(60_000)

    attempts(store, worker, bad=3)

    assert (view(store).state, view(store).bad) == ("closed", 3)


def test_attempts_of_the_whole_window_are_added_up(store: Store, worker: str, clock: Clock) -> None:
    given_job(store)
    for _ in range(3):
        attempts(store, worker, bad=1)
        clock.advance(17_000)

    attempts(store, worker, bad=1)

    assert view(store).state == "open"


@pytest.mark.parametrize("kind", ["error", "timeout", "crash", "lost"])
def test_each_bad_ending_counts_also_when_it_is_tried_again(
    store: Store, worker: str, kind: AttemptKind
) -> None:
    given_job(store)
    leases = [given_lease(store, worker_id=worker) for _ in range(4)]

    for lease in leases:
        end_one(store, lease, "retry", kind=kind, error=ERROR, delay_ms=5)

    assert view(store).state == "open"


def test_releases_cancels_and_lost_leases_are_not_counted(store: Store, worker: str) -> None:
    given_job(store)
    leases = [given_lease(store, worker_id=worker) for _ in range(3)]

    end_one(store, leases[0], "release")
    end_one(store, leases[1], "abort", kind="cancelled")
    finish_with(store, leases[2], "fail", kind="error", error=ERROR)
    lost = end_one(store, leases[2], "fail", kind="error", error=ERROR, reason="other")

    assert lost == [leases[2].run_id]
    assert (view(store).good, view(store).bad) == (0, 0)


def test_a_verdict_that_is_sent_twice_counts_once(store: Store, worker: str) -> None:
    given_job(store)
    leases = [given_lease(store, worker_id=worker) for _ in range(2)]

    answers = [end(store, leases, bad=1) for _ in range(3)]

    assert answers == [[], [], []]
    assert (view(store).good, view(store).bad) == (1, 1)


def test_attempts_lost_with_their_worker_count(store: Store, worker: str) -> None:
    given_job(store)
    submit_all(store, [new_run() for _ in range(4)])
    claim_some(store, worker)
    store.write(lambda tx: retire(tx, worker))

    reap_some(store)

    assert view(store).state == "open"
    assert claim_some(store, given_worker(store)) == []


def test_a_job_without_a_breaker_is_neither_counted_nor_held(store: Store, worker: str) -> None:
    given_job(store, None)

    attempts(store, worker, bad=20)

    assert views(store) == []
    assert run_sql(store.url, "select count(*) from rota.breaker_tally") == [(0,)]
    given_run(store)
    assert len(claim_some(store, worker)) == 1


def test_other_jobs_and_namespaces_go_on(store: Store, worker: str) -> None:
    given_job(store, name="noop", namespace="other")
    given_open(store, worker)
    given_run(store)
    mail, away = given_run(store, job="mail"), given_run(store, namespace="other")

    here = claim_some(store, worker, jobs=["noop", "mail"])
    there = claim_some(store, worker, namespace="other")

    assert [lease.run_id for lease in here] == [mail]
    assert [lease.run_id for lease in there] == [away]


def test_retries_are_held_too(store: Store, worker: str, clock: Clock) -> None:
    given_job(store)
    leases = [given_lease(store, worker_id=worker) for _ in range(4)]
    for lease in leases:
        end_one(store, lease, "retry", kind="error", error=ERROR, delay_ms=5)

    clock.advance(10)
    store.write(lambda tx: promote(tx, limit=10))

    assert claim_some(store, worker) == []
    assert view(store).held == 4


def test_opening_is_told_once_with_its_numbers(store: Store, worker: str) -> None:
    given_job(store)
    attempts(store, worker, good=1)
    leases = [given_lease(store, worker_id=worker) for _ in range(6)]

    end(store, leases[:4], bad=4)
    end(store, leases[4:], bad=2)

    assert told(store) == [
        (
            "breaker.opened",
            {"job": "noop", "by": "itself", "share": 0.8, "bad": 4, "total": 5, "window": "1m"},
        )
    ]


def test_one_that_pauses_waits_for_a_person(store: Store, worker: str, clock: Clock) -> None:
    given_open(store, worker, Breaker(share=0.5, least=4, pauses=True))
    given_run(store)

    clock.advance(86_400_000)

    assert (tend_all(store), view(store).stays, view(store).state) == (0, True, "open")
    assert claim_some(store, worker) == []
    assert told(store)[0][1]["stays"] is True


def test_the_next_look_counts_attempts_that_two_workers_missed(store: Store, worker: str) -> None:
    given_job(store)
    attempts(store, worker, bad=2)
    run_sql(
        store.url,
        "insert into rota.breaker_tally (namespace, job, turn, bucket_at, part, good, bad,"
        f" expires_at) values ('default', 'noop', 0, {START_MS}, 'x', 0, 2, {START_MS + 60_000})",
    )

    assert view(store).state == "closed"
    assert tend_all(store) == 1
    assert view(store).state == "open"
    assert told(store)[0][1]["bad"] == 4


def test_an_old_tally_is_pruned(store: Store, worker: str, clock: Clock) -> None:
    given_job(store)
    attempts(store, worker, good=3)
    clock.advance(59_999)
    attempts(store, worker, good=1)
    clock.advance(1)

    store.write(lambda tx: prune(tx, Retention(), limit=10))

    assert run_sql(store.url, "select sum(good) from rota.breaker_tally") == [(1,)]


def test_a_new_version_changes_the_rule_and_keeps_the_state(store: Store, worker: str) -> None:
    given_open(store, worker)

    given_job(store, Breaker(share=1, least=100, window="1h"))

    assert (view(store).state, view(store).rule) == ("open", "100% of 100 in 1h")


def test_a_version_without_a_breaker_lets_its_runs_go(store: Store, worker: str) -> None:
    given_open(store, worker)
    run_id = given_run(store)

    given_job(store, None)

    assert views(store) == []
    assert [lease.run_id for lease in claim_some(store, worker)] == [run_id]


def test_the_same_rule_defined_again_changes_nothing(store: Store, worker: str) -> None:
    given_job(store)
    attempts(store, worker, bad=3)

    given_job(store, RULE)
    attempts(store, worker, bad=1)

    assert view(store).state == "open"
