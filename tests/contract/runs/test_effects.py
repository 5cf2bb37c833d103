"""The ledger of outside calls and the checkpoints: fenced, and gone when they should be."""

from __future__ import annotations

import pytest

from rota.engine.prune import Retention, prune
from rota.errors import LeaseLost
from rota.model.runs.run import Lease
from rota.store.base import Store
from tests.contract.builders import (
    LEASE_MS,
    Clock,
    cancel_run,
    claim_one,
    finish_with,
    given_lease,
    given_worker,
    reap_some,
    run_sql,
)
from tests.contract.runs.effects_table import desk_of


def next_lease(store: Store, clock: Clock) -> Lease:
    """The run is lost, and claimed by another worker."""
    clock.advance(LEASE_MS + 1)
    assert reap_some(store) == 1
    return claim_one(store, given_worker(store))


def test_an_intent_is_new_once_and_in_doubt_after(store: Store, clock: Clock) -> None:
    services, lease = desk_of(store), given_lease(store)
    assert services.intend(lease, "charge").is_new

    again = services.intend(next_lease(store, clock), "charge")

    assert (again.is_new, again.is_settled, again.result) == (False, False, None)


def test_a_settled_effect_gives_its_result_to_later_attempts(store: Store, clock: Clock) -> None:
    services, lease = desk_of(store), given_lease(store)
    services.intend(lease, "charge")
    services.settle(lease, "charge", '{"id":7}')

    again = services.intend(next_lease(store, clock), "charge")

    assert (again.is_new, again.is_settled, again.result) == (False, True, '{"id":7}')


def test_names_and_runs_are_apart(store: Store) -> None:
    services, worker = desk_of(store), given_worker(store)
    one = given_lease(store, worker_id=worker)
    two = given_lease(store, worker_id=worker)
    services.intend(one, "charge")

    assert services.intend(one, "mail").is_new
    assert services.intend(two, "charge").is_new


def test_a_retracted_intent_is_new_again(store: Store, clock: Clock) -> None:
    services, lease = desk_of(store), given_lease(store)
    services.intend(lease, "charge")
    services.retract(lease, "charge")

    assert services.intend(next_lease(store, clock), "charge").is_new


def test_a_settled_effect_cannot_be_retracted_or_changed(store: Store) -> None:
    services, lease = desk_of(store), given_lease(store)
    services.intend(lease, "charge")
    services.settle(lease, "charge", "1")
    services.retract(lease, "charge")
    services.settle(lease, "charge", "2")

    assert services.intend(lease, "charge").result == "1"


def test_a_zombie_writes_nothing_into_the_ledger(store: Store, clock: Clock) -> None:
    services, stale = desk_of(store), given_lease(store)
    services.intend(stale, "charge")
    fresh = next_lease(store, clock)

    for act in (
        lambda: services.intend(stale, "mail"),
        lambda: services.settle(stale, "charge", "1"),
        lambda: services.retract(stale, "charge"),
        lambda: services.save_checkpoint(stale, "1"),
        lambda: services.load_checkpoint(stale),
    ):
        with pytest.raises(LeaseLost):
            act()
    assert services.intend(fresh, "mail").is_new
    assert not services.intend(fresh, "charge").is_settled
    assert services.load_checkpoint(fresh) is None


def test_after_an_acknowledged_cancel_nothing_new_begins(store: Store) -> None:
    services, lease = desk_of(store), given_lease(store)
    services.intend(lease, "charge")
    cancel_run(store, lease.run_id)

    with pytest.raises(LeaseLost):
        services.intend(lease, "mail")
    services.settle(lease, "charge", "1")  # it took place, and a person may want to know


def test_the_last_checkpoint_is_found_by_the_next_attempt(store: Store, clock: Clock) -> None:
    services, lease = desk_of(store), given_lease(store)
    assert services.load_checkpoint(lease) is None
    services.save_checkpoint(lease, '{"row":1}')
    services.save_checkpoint(lease, '{"row":2}')
    assert services.load_checkpoint(lease) == '{"row":2}'

    assert services.load_checkpoint(next_lease(store, clock)) == '{"row":2}'


@pytest.mark.parametrize("verb", ["retry", "release"])
def test_a_checkpoint_outlives_the_attempt(store: Store, clock: Clock, verb: str) -> None:
    services, lease = desk_of(store), given_lease(store)
    services.save_checkpoint(lease, "1")
    finish_with(store, lease, verb)  # type: ignore[arg-type]  # both are verbs of finish
    run_sql(store.url, "update rota.run set state = 'queued', rank = 1")

    assert services.load_checkpoint(claim_one(store, given_worker(store))) == "1"


def test_a_checkpoint_is_gone_with_its_run(store: Store) -> None:
    services, lease = desk_of(store), given_lease(store)
    services.save_checkpoint(lease, "1")

    assert finish_with(store, lease) == []

    assert run_sql(store.url, "select count(*) from rota.run") == [(0,)]
    with pytest.raises(LeaseLost):
        services.load_checkpoint(lease)


def test_the_ledger_of_ended_runs_is_pruned_and_of_live_ones_is_not(
    store: Store, clock: Clock
) -> None:
    services, worker = desk_of(store), given_worker(store)
    ended = given_lease(store, worker_id=worker)
    live = given_lease(store, worker_id=worker)
    for lease in (ended, live):
        services.intend(lease, "charge")
    finish_with(store, ended)
    keep = Retention(success_ms=10**15, failure_ms=1000)
    early = store.write(lambda tx: prune(tx, keep, limit=10))
    clock.advance(1001)
    late = store.write(lambda tx: prune(tx, keep, limit=10))

    assert (early, late) == (0, 1)
    assert [str(row[0]) for row in run_sql(store.url, "select run_id from rota.effect")] == [
        live.run_id
    ]
