"""Metrics: counters that only grow, whoever counts, and what is refused is in them."""

from __future__ import annotations

from functools import partial

import pytest

from rota.engine.insight.metrics import MOST, Metrics, metrics
from rota.engine.insight.statistics import (
    ADDRESS_WALL,
    ALL,
    DAY_MS,
    EVER,
    PROGRAM_WALL,
    SETTLED_MS,
    Statistic,
    StatisticKey,
    add,
    ever,
    next_part,
    prune_statistics,
)
from rota.runtime.attempts.error_text import type_name
from rota.runtime.executors.command.start import NotStarted
from rota.runtime.executors.http.ssrf import NotReached, PrivateAddress
from rota.store.base import Store
from tests.contract.builders import (
    HOME,
    Clock,
    claim_one,
    claim_some,
    finish_with,
    given_run,
    given_worker,
)
from tests.contract.failures.dead_letter_builders import error_text, given_dead
from tests.contract.insight.test_statistics import count_all, ended


def all_of(store: Store, **filters: object) -> Metrics:
    return store.read(lambda tx: metrics(tx, namespace=HOME, **filters))  # type: ignore[arg-type]


def of(store: Store, job: str = ALL, queue: str = "default") -> Statistic:
    return all_of(store).ended[StatisticKey(HOME, EVER, 0, job, queue)]


def test_ended_runs_are_counted_for_ever_and_once(store: Store, clock: Clock) -> None:
    worker = given_worker(store, lease_ms=90 * DAY_MS)
    count_all(store)
    for _ in range(3):
        ended(store, worker, clock, 100)
    fresh = of(store, "noop")
    clock.advance(SETTLED_MS + 1)
    count_all(store)
    ended(store, worker, clock, 5000, verb="fail")
    both = of(store, "noop")
    clock.advance(60 * DAY_MS)
    count_all(store)
    store.write(lambda tx: prune_statistics(tx, limit=100))

    assert (fresh.success, fresh.failed) == (3, 0)
    assert (both.success, both.failed, both.busy_ms) == (3, 1, 5300)
    assert of(store, "noop") == of(store) == both
    assert sum(both.durations.values()) == 4


def test_a_counter_does_not_shrink_while_somebody_counts(store: Store, clock: Clock) -> None:
    """Between our questions another process may add what we have just counted ourselves."""
    worker = given_worker(store, lease_ms=DAY_MS)
    count_all(store)
    ended(store, worker, clock, 100)
    clock.advance(SETTLED_MS + 1)
    part = store.read(next_part)
    assert part is not None
    add_it = partial(add, part=part)

    class Meddled:
        """The transaction of who asks; the part is added after its first statements."""

        asked = 0

        def __init__(self, tx: object) -> None:
            self._tx = tx

        def all(self, name: str, **values: object) -> object:
            Meddled.asked += 1
            if Meddled.asked == 3:
                store.write(add_it)
            return store.read(lambda tx: tx.all(name, **values))

    found = store.read(lambda tx: ever(Meddled(tx), namespace=HOME, limit=9))  # type: ignore[arg-type]

    assert [each.success for each in found[0].values()] == [1, 1]
    assert Meddled.asked > 8, "it was asked again"


@pytest.mark.parametrize("kind", [NotReached, PrivateAddress, NotStarted])
def test_requests_and_commands_that_are_refused_are_counted(
    store: Store, clock: Clock, kind: type[Exception]
) -> None:
    worker = given_worker(store, lease_ms=DAY_MS)
    count_all(store)
    ended(store, worker, clock, 1, verb="fail")
    given_run(store)
    refused = error_text("no", kind=type_name(kind))
    finish_with(store, claim_one(store, worker), "fail", kind="error", error=refused)
    fresh = of(store, "noop")
    clock.advance(SETTLED_MS + 1)
    count_all(store)

    assert type_name(kind).rpartition(".")[0] in (ADDRESS_WALL, PROGRAM_WALL)
    assert (fresh.failed, fresh.refused) == (2, 1)
    assert of(store, "noop") == fresh


def test_more_names_than_are_told_are_cut_in_their_order(store: Store, clock: Clock) -> None:
    worker = given_worker(store, lease_ms=DAY_MS)
    count_all(store)

    def told(limit: int) -> tuple[list[str], bool]:
        found, is_cut = store.read(lambda tx: ever(tx, namespace=HOME, limit=limit))
        return [place.job for place in found if place.job != ALL], is_cut

    given_run(store, job="a")
    given_run(store, job="b")
    given_run(store, job="c")
    for lease in claim_some(store, worker, jobs=("a", "b", "c")):
        finish_with(store, lease)
    fresh = told(2)
    clock.advance(SETTLED_MS + 1)
    count_all(store)
    given_run(store, job="c")
    for lease in claim_some(store, worker, jobs=("a", "b", "c")):
        finish_with(store, lease)

    assert fresh == told(2) == (["a", "b"], True)
    assert told(3) == (["a", "b", "c"], False)
    assert told(MOST) == told(3)


def test_letters_depths_and_workers_are_those_of_the_queues(store: Store, clock: Clock) -> None:
    given_dead(store, "no route")
    given_run(store, queue="mail")
    clock.advance(1000)

    whole, mail = all_of(store), all_of(store, queues=["mail"])

    assert whole.letters == {"noop": 1}
    assert [(each.name, each.queued) for each in whole.queues] == [("default", 0), ("mail", 1)]
    assert whole.queues[1].oldest_ms == 1000
    assert (len(whole.workers), whole.overdue_ms, whole.is_cut) == (1, 0, False)
    assert (mail.letters, mail.ended, mail.workers) == ({}, {}, [])
    assert [each.name for each in mail.queues] == ["mail"]
    theirs = store.read(lambda tx: metrics(tx, namespace="other"))
    assert (theirs.ended, theirs.queues, theirs.workers, theirs.letters) == ({}, [], [], {})
