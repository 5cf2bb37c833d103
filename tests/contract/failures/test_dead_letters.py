"""Dead letters: one for each run that failed for good, none for any other end."""

from __future__ import annotations

import pytest

from rota.engine.failures.dead_letters import find_letter, like, open_group
from rota.engine.forget import forget_runs
from rota.engine.prune import DAY_MS, Retention, prune
from rota.engine.runs.expire import expire
from rota.errors import NotAllowed, UnknownRun
from rota.ids import new_id
from rota.model.runs.run import FinishVerb
from rota.rules.failures.retry import MAX_CRASHES
from rota.store.base import Store
from tests.contract.builders import (
    ERROR,
    HOME,
    LEASE_MS,
    START_MS,
    Clock,
    cancel_run,
    claim_one,
    claim_some,
    finish_all,
    finish_with,
    given_lease,
    given_run,
    given_worker,
    look,
    new_run,
    reap_some,
    submit_all,
    verdict,
)
from tests.contract.failures.dead_letter_builders import (
    all_groups,
    all_letters,
    discard_all,
    error_text,
    given_dead,
    letter_of,
    redrive_all,
)


def test_a_run_that_failed_for_good_leaves_a_letter(store: Store, clock: Clock) -> None:
    lease = given_lease(store, version=4)
    clock.advance(5)

    finish_with(store, lease, "fail", kind="error", error=ERROR, reason="no retries allowed")

    (letter,) = all_letters(store)
    assert letter == letter_of(store, lease.run_id)
    assert (letter.run_id, letter.job, letter.version) == (lease.run_id, "noop", 4)
    assert (letter.error_type, letter.message) == ("ValueError", "broken")
    assert (letter.reason, letter.state) == ("no retries allowed", "open")
    finished_at = look(store, lease.run_id).finished_at
    assert finished_at is not None
    assert letter.died_at.ms == finished_at.ms == START_MS + 5
    assert (letter.acted_at, letter.acted_by, letter.rerun_id) == (None, None, None)


@pytest.mark.parametrize("verb", ["succeed", "retry", "release", "abort", "reap"])
def test_no_other_verdict_leaves_a_letter(store: Store, verb: FinishVerb) -> None:
    finish_with(store, given_lease(store), verb)

    assert all_letters(store) == []


def test_cancelled_and_expired_runs_are_no_dead_letters(store: Store, clock: Clock) -> None:
    cancelled = given_run(store)
    cancel_run(store, cancelled)
    late = given_run(store, expires_ms=10)
    clock.advance(10)
    store.write(lambda tx: expire(tx, limit=5))

    assert look(store, late).state == "failed"
    assert all_letters(store) == []
    with pytest.raises(NotAllowed, match="is no dead letter, it is failed: expired"):
        letter_of(store, late)


def test_a_lost_verdict_leaves_no_letter(store: Store, worker: str, clock: Clock) -> None:
    stale = given_lease(store, worker_id=worker)
    clock.advance(LEASE_MS)
    reap_some(store)

    lost = finish_with(store, stale, "fail", kind="error", error=ERROR)

    assert lost == [stale.run_id]
    assert all_letters(store) == []


def test_a_stale_failure_of_a_run_that_expired_leaves_no_letter(store: Store, clock: Clock) -> None:
    stale = given_lease(store, expires_ms=10)
    finish_with(store, stale, "release")
    clock.advance(10)
    store.write(lambda tx: expire(tx, limit=5))

    lost = finish_with(store, stale, "fail", kind="error", error=ERROR, reason="late")

    assert lost == [stale.run_id]
    assert all_letters(store) == []


def test_a_verdict_that_is_applied_twice_leaves_the_letter_as_it_is(store: Store) -> None:
    lease = given_lease(store)
    last = verdict(lease, "fail", kind="error", error=ERROR, reason="no retries allowed")
    finish_all(store, [last])
    redrive_all(store, [lease.run_id])
    before = letter_of(store, lease.run_id)

    assert finish_all(store, [last]) == []

    assert letter_of(store, lease.run_id) == before


def test_a_batch_leaves_letters_for_its_failures_only(store: Store, worker: str) -> None:
    submit_all(store, [new_run() for _ in range(6)])
    leases = claim_some(store, worker)

    finish_all(
        store,
        [verdict(lease, "fail" if n % 2 else "succeed") for n, lease in enumerate(leases)],
    )

    assert {each.run_id for each in all_letters(store)} == {x.run_id for x in leases[1::2]}


def test_a_quarantined_run_is_a_dead_letter_and_says_what_to_do(store: Store) -> None:
    run_id = given_run(store)
    for _ in range(MAX_CRASHES):
        finish_all(
            store,
            [
                verdict(
                    claim_one(store, given_worker(store)),
                    "reap",
                    kind="crash",
                    error='{"type":"Crashed","message":"it died"}',
                    reason="its process died",
                    max_crashes=MAX_CRASHES,
                )
            ],
        )

    letter = letter_of(store, run_id)

    assert letter.error_type == "Crashed"
    assert (letter.reason or "").startswith("quarantined: its process died while it ran alone, 3")


def test_a_lost_at_most_once_run_is_a_dead_letter(store: Store, worker: str, clock: Clock) -> None:
    lease = given_lease(store, worker_id=worker, at_most_once=True)
    clock.advance(LEASE_MS)

    reap_some(store)

    assert "at_most_once" in (letter_of(store, lease.run_id).reason or "")


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (None, "", "no reason at all"),
        ("no json", "", "no reason at all"),
        (error_text("x" * 100_000), "ValueError", "x" * 497 + "..."),
        (error_text("nul \0"), "ValueError", "nul \ufffd"),
        ('{"type":"E","message":"half \\ud800"}', "", "no reason at all"),
    ],
)
def test_whatever_the_error_looks_like_the_run_ends_and_leaves_a_letter(
    store: Store, error: str | None, kind: str, message: str
) -> None:
    lease = given_lease(store)

    assert finish_with(store, lease, "fail", error=error, reason="no reason at all") == []

    letter = letter_of(store, lease.run_id)
    assert (letter.error_type, letter.message) == (kind, message)


def test_letters_of_one_cause_are_one_group(store: Store, clock: Clock) -> None:
    first = given_dead(store, "order 1 is lost", version=1)
    clock.advance(1000)
    second = given_dead(store, "order 2 is lost", version=2)
    given_dead(store, "no stock")

    group, other = all_groups(store)

    assert (group.job, group.open, group.total) == ("noop", 2, 2)
    assert (group.first_at.ms, group.last_at.ms) == (START_MS, START_MS + 1000)
    assert (group.versions, group.message) == ((1, 2), "order 2 is lost")
    assert (other.open, other.message) == (1, "no stock")
    same = all_letters(store, fingerprint=group.fingerprint)
    assert [letter.run_id for letter in same] == [second, first]
    count = store.read(lambda tx: open_group(tx, group.fingerprint, namespace=HOME))
    assert (count.count, count.job) == (2, "noop")


def test_one_group_is_found_beside_larger_ones(store: Store) -> None:
    for message in ("order 1 is lost", "order 2 is lost", "no stock"):
        given_dead(store, message)
    large, small = all_groups(store)

    assert all_groups(store, fingerprint=small.fingerprint, limit=1) == [small]
    assert all_groups(store, fingerprint=large.fingerprint, job="other") == []


def test_a_group_in_which_nothing_is_open_is_shown_when_asked(store: Store) -> None:
    discard_all(store, [given_dead(store)])

    assert all_groups(store) == []
    (group,) = all_groups(store, acted=True)
    assert (group.open, group.total) == (0, 1)


def test_groups_count_only_what_died_since(store: Store, clock: Clock) -> None:
    given_dead(store, "no stock")
    given_dead(store, "order 1 is lost")
    clock.advance(1000)
    given_dead(store, "order 2 is lost")

    (group,) = all_groups(store, since=START_MS + 1000)

    assert (group.open, group.total) == (1, 1)
    assert (group.first_at.ms, group.message) == (START_MS + 1000, "order 2 is lost")


def test_letters_are_filtered_and_paged(store: Store) -> None:
    runs = [given_dead(store) for _ in range(3)]
    discard_all(store, runs[:1])

    newest = all_letters(store, limit=2)
    rest = all_letters(store, before=newest[-1].run_id)

    assert [each.run_id for each in (*newest, *rest)] == runs[::-1]
    assert [each.run_id for each in all_letters(store, state="discarded")] == runs[:1]
    assert all_letters(store, job="other") == []
    assert all_groups(store, job="other") == []


def test_a_letter_is_found_by_the_end_or_the_beginning_of_its_id(store: Store) -> None:
    run_id = given_dead(store)

    found = [
        store.read(lambda tx, part=part: like(tx, part, namespace=HOME))  # type: ignore[misc]
        for part in (run_id[-12:], run_id[:23])
    ]

    assert found == [run_id, run_id]
    for part in ("ffffffffffff", "%" * 12):
        with pytest.raises(UnknownRun):
            store.read(lambda tx, part=part: like(tx, part, namespace="nobody"))  # type: ignore[misc]


def test_a_namespace_sees_only_its_own_letters(store: Store) -> None:
    run_id = given_dead(store)

    assert all_letters(store, namespace="other") == []
    assert all_groups(store, namespace="other") == []
    with pytest.raises(UnknownRun):
        store.read(lambda tx: find_letter(tx, run_id, namespace="other"))
    with pytest.raises(UnknownRun):
        letter_of(store, new_id())


def test_a_letter_goes_with_its_run(store: Store, clock: Clock) -> None:
    kept = Retention(success_ms=2 * DAY_MS, failure_ms=5 * DAY_MS)
    run_id = given_dead(store)

    clock.advance(kept.failure_ms)
    store.write(lambda tx: prune(tx, kept, limit=10))
    on_the_day = letter_of(store, run_id).run_id
    clock.advance(1)
    store.write(lambda tx: prune(tx, kept, limit=10))

    assert on_the_day == run_id
    assert all_letters(store) == []
    with pytest.raises(UnknownRun):
        look(store, run_id)


def test_letters_go_in_bounded_batches(store: Store, clock: Clock) -> None:
    for _ in range(3):
        given_dead(store)
    clock.advance(60 * DAY_MS)

    store.write(lambda tx: prune(tx, Retention(), limit=2))

    assert len(all_letters(store)) == 1


def test_a_forgotten_run_takes_its_letter_along(store: Store) -> None:
    run_id = given_dead(store)

    store.write(lambda tx: forget_runs(tx, [run_id], namespace=HOME))

    assert all_letters(store) == []
