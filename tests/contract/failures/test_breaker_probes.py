"""Probes: which run may go first, and what its end means for the others."""

from __future__ import annotations

import pytest

from rota.engine.admission import queues
from rota.engine.runs.expire import expire
from rota.engine.runs.promote import promote
from rota.engine.workers.registry import retire
from rota.rules.failures.breaker import LOOK_MS
from rota.store.base import Store
from tests.contract.builders import (
    ERROR,
    HOME,
    Clock,
    cancel_run,
    claim_one,
    claim_some,
    finish_with,
    given_run,
    given_worker,
    reap_some,
)
from tests.contract.failures.breaker_builders import (
    COOL_MS,
    attempts,
    end,
    end_one,
    given_open,
    given_probe,
    tend_all,
    told,
    view,
)


def test_after_its_cool_exactly_one_probe_goes_the_best_ranked(
    store: Store, worker: str, clock: Clock
) -> None:
    given_open(store, worker)
    given_run(store)
    best = given_run(store, priority=10)
    given_run(store)

    clock.advance(COOL_MS - 1)
    early = tend_all(store)
    clock.advance(1)
    late = tend_all(store)
    leases = claim_some(store, worker)

    assert (early, late) == (0, 1)
    assert [lease.run_id for lease in leases] == [best]
    assert (view(store).state, view(store).probe_id, view(store).held) == ("half_open", best, 2)
    assert tend_all(store) == 0
    assert claim_some(store, worker) == []


def test_a_probe_that_ends_well_closes_it_and_releases_all_in_order(
    store: Store, worker: str, clock: Clock
) -> None:
    probe = given_probe(store, clock, worker, waiting=0)
    waiting = [given_run(store) for _ in range(5)]

    end(store, [probe])

    assert [lease.run_id for lease in claim_some(store, worker)] == waiting
    assert (view(store).state, view(store).bad, view(store).held) == ("closed", 0, 0)
    assert [kind for kind, _ in told(store)] == ["breaker.opened", "breaker.closed"]


def test_after_closing_the_count_starts_afresh(store: Store, worker: str, clock: Clock) -> None:
    end(store, [given_probe(store, clock, worker, waiting=0)])

    attempts(store, worker, bad=3)
    still = view(store).state
    attempts(store, worker, bad=1)

    assert (still, view(store).state) == ("closed", "open")


def probe_at_ms(store: Store) -> int:
    probe_at = view(store).probe_at
    assert probe_at is not None
    return probe_at.ms


def test_probes_that_end_badly_wait_twice_as_long_up_to_the_cap(
    store: Store, worker: str, clock: Clock
) -> None:
    probe = given_probe(store, clock, worker)
    waits = []
    for _ in range(4):
        end(store, [probe], bad=1)
        assert claim_some(store, worker) == []
        waits.append(probe_at_ms(store) - clock.ms)
        given_run(store)
        clock.advance(waits[-1])
        tend_all(store)
        probe = claim_one(store, worker)

    assert waits == [60_000, 120_000, 120_000, 120_000]
    assert [kind for kind, _ in told(store)] == ["breaker.opened"]


def test_the_retry_of_a_probe_is_held(store: Store, worker: str, clock: Clock) -> None:
    probe = given_probe(store, clock, worker, waiting=0)

    end_one(store, probe, "retry", kind="error", error=ERROR, delay_ms=5)
    clock.advance(10)
    store.write(lambda tx: promote(tx, limit=10))

    assert (view(store).state, view(store).held, claim_some(store, worker)) == ("open", 1, [])


def test_a_probe_that_is_released_is_still_the_probe(
    store: Store, worker: str, clock: Clock
) -> None:
    probe = given_probe(store, clock, worker)

    end_one(store, probe, "release")

    assert [lease.run_id for lease in claim_some(store, worker)] == [probe.run_id]
    assert view(store).state == "half_open"


def test_a_probe_lost_with_its_worker_ended_badly(store: Store, worker: str, clock: Clock) -> None:
    given_probe(store, clock, worker)
    store.write(lambda tx: retire(tx, worker))

    reap_some(store)

    assert (view(store).state, view(store).held) == ("open", 4)


@pytest.mark.parametrize("how", ["cancelled in its queue", "expired", "cancelled while it ran"])
def test_a_probe_that_vanishes_is_followed_by_another(
    store: Store, worker: str, clock: Clock, how: str
) -> None:
    given_open(store, worker)
    first = given_run(store, expires_ms=COOL_MS + 5)
    second = given_run(store)
    clock.advance(COOL_MS)
    tend_all(store)
    assert view(store).probe_id == first

    if how == "cancelled in its queue":
        cancel_run(store, first)
    elif how == "expired":
        clock.advance(10)
        assert store.write(lambda tx: expire(tx, limit=10)) == 1
    else:
        end_one(store, claim_one(store, worker), "abort", kind="cancelled")
    tend_all(store)
    tend_all(store)

    assert (view(store).state, view(store).probe_id) == ("half_open", second)
    assert [lease.run_id for lease in claim_some(store, worker)] == [second]


def test_without_a_run_to_probe_it_looks_again_soon(
    store: Store, worker: str, clock: Clock
) -> None:
    given_open(store, worker)
    clock.advance(COOL_MS)

    looks = [tend_all(store), tend_all(store)]
    run_id = given_run(store)
    clock.advance(LOOK_MS)
    tend_all(store)

    assert looks == [1, 0]
    assert view(store).probe_id == run_id


def test_a_probe_is_not_taken_from_a_paused_queue(store: Store, worker: str, clock: Clock) -> None:
    given_open(store, worker)
    given_run(store, queue="night")
    good = given_run(store)
    store.write(lambda tx: queues.pause(tx, "night", namespace=HOME))

    clock.advance(COOL_MS)
    tend_all(store)

    assert view(store).probe_id == good


@pytest.mark.parametrize(
    ("verb", "kind", "state"),
    [("succeed", None, "closed"), ("fail", "error", "open"), ("retry", "error", "open")],
)
def test_a_probe_ended_by_a_worker_that_knows_no_breaker_is_noticed(
    store: Store, worker: str, clock: Clock, verb: str, kind: str | None, state: str
) -> None:
    probe = given_probe(store, clock, worker)

    finish_with(store, probe, verb, kind=kind)  # type: ignore[arg-type]
    between = view(store).state
    tend_all(store)

    assert (between, view(store).state) == ("half_open", state)


def test_a_stale_worker_cannot_decide_for_the_probe(
    store: Store, worker: str, clock: Clock
) -> None:
    stale = given_probe(store, clock, worker)
    store.write(lambda tx: retire(tx, worker))
    reap_some(store)
    clock.advance(2 * COOL_MS)
    tend_all(store)
    fresh = claim_one(store, given_worker(store))

    lost = end(store, [stale])

    assert fresh.run_id == stale.run_id
    assert (lost, view(store).state) == ([stale.run_id], "half_open")
