"""Limits of a queue: what bounds it now, told from what is on record and from nothing else."""

from __future__ import annotations

import msgspec

from rota.clock import to_datetime
from rota.engine.admission import queues
from rota.engine.admission.windows import put_blackout
from rota.engine.failures.breakers.control import open_breaker
from rota.engine.identity.namespaces import put_namespace
from rota.engine.insight.queue_limits import limits_of
from rota.engine.workers.registry import ask_drain
from rota.model.admission.queue import QueueLimit
from rota.model.identity.credentials import Quotas
from rota.model.schedules.definitions import Blackout
from rota.store.base import Store
from tests.contract.builders import HOME, LEASE_MS, Clock, claim_some, given_run, given_worker
from tests.contract.failures.breaker_builders import given_job


def limits(store: Store, queue: str = "default", *, is_whole: bool = True) -> list[QueueLimit]:
    return store.read(lambda tx: limits_of(tx, queue, namespace=HOME, is_whole=is_whole))


def test_the_slots_of_those_who_serve_it_bound_a_queue(store: Store, clock: Clock) -> None:
    assert [(each.kind, each.most, each.stops) for each in limits(store)] == [("slots", 0, True)]
    worker = given_worker(store)
    given_worker(store)

    (slots,) = limits(store)

    assert (slots.used, slots.most, slots.stops) == (0, 16, False)
    assert slots.says == "slots of 2 workers"
    for _ in range(8):
        given_run(store)
    claim_some(store, worker)
    assert [each.stops for each in limits(store)] == [False]
    store.write(lambda tx: ask_drain(tx, worker, namespace=HOME, drains=True))
    clock.advance(LEASE_MS + 1)
    assert [each.most for each in limits(store)] == [0]


def test_a_pause_stands_before_all_else(store: Store) -> None:
    given_worker(store)
    store.write(lambda tx: queues.pause(tx, "default", namespace=HOME, note="repair"))

    first, slots = limits(store)

    assert (first.kind, first.says, first.stops) == ("paused", "paused: repair", True)
    assert not slots.stops
    assert [each.kind for each in limits(store, "other")] == ["slots"]


def test_quotas_of_the_namespace_bound_every_queue_of_it(store: Store) -> None:
    worker = given_worker(store)
    store.write(lambda tx: put_namespace(tx, HOME, Quotas(queued=5, running=1)))
    given_run(store)
    given_run(store)
    claim_some(store, worker, limit=1)

    told = {each.says.split(" in ")[0]: each for each in limits(store) if each.kind == "quota"}

    at_once, waiting = told["runs at once"], told["runs that may wait"]
    assert (at_once.used, at_once.most, at_once.stops) == (1, 1, True)
    assert (waiting.used, waiting.most, waiting.stops) == (1, 5, False)
    hidden = [each for each in limits(store, is_whole=False) if each.kind == "quota"]
    assert [(each.used, each.most) for each in hidden] == [(None, 1), (None, 5)]


def test_breakers_of_its_jobs_bound_a_queue(store: Store) -> None:
    given_worker(store)
    given_job(store)
    given_run(store)
    ready = [each for each in limits(store) if each.kind == "breaker"]
    store.write(lambda tx: open_breaker(tx, "noop", namespace=HOME))

    (held, *_) = limits(store)

    assert [(each.used, each.stops) for each in ready] == [(None, False)]
    assert (held.kind, held.used, held.stops) == ("breaker", 1, True)
    assert held.says == "job noop is paused"
    assert [each.kind for each in limits(store, "other")] == ["slots"]


def test_a_window_bounds_its_queue_and_is_told_a_day_ahead(store: Store, clock: Clock) -> None:
    given_worker(store)
    hour = 3_600_000
    window = Blackout(
        kind="drain",
        queue="default",
        note="disks",
        start=to_datetime(clock.ms + 23 * hour).isoformat(),
        end=to_datetime(clock.ms + 25 * hour).isoformat(),
    )
    store.write(lambda tx: put_blackout(tx, "w", window, namespace=HOME))

    ahead = [each for each in limits(store) if each.kind == "window"]
    clock.advance(24 * hour)
    given_worker(store)
    (now, _) = limits(store)

    assert [(each.says, each.stops) for each in ahead] == [
        ("maintenance window w begins in 23h and lasts 2h: disks", False)
    ]
    assert (now.says, now.stops) == ("maintenance window w lasts 1h: disks", True)
    assert [each.kind for each in limits(store, "other")] == ["slots"]


def test_a_window_of_a_job_bounds_the_queue_of_the_job(store: Store, clock: Clock) -> None:
    given_job(store)
    window = Blackout(
        kind="drain",
        job="noop",
        start=to_datetime(clock.ms).isoformat(),
        end=to_datetime(clock.ms + 60_000).isoformat(),
    )
    store.write(lambda tx: put_blackout(tx, "w", window, namespace=HOME))
    lost = msgspec.structs.replace(window, job="unheard-of")
    store.write(lambda tx: put_blackout(tx, "lost", lost, namespace=HOME))

    assert [each.says for each in limits(store) if each.kind == "window"] == [
        "maintenance window w for job noop lasts 1m"
    ]
    assert [each.kind for each in limits(store, "other")] == ["slots"]
