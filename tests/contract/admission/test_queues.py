"""Queues: how deep they are, and pausing them."""

from __future__ import annotations

from functools import partial

import pytest

from rota.engine.admission import queues
from rota.engine.wakeup_keys import queue_key
from rota.errors import UnknownQueue
from rota.model.admission.queue import QueueView
from rota.store.base import Store
from tests.contract.builders import (
    HOME,
    LEASE_MS,
    Clock,
    claim_some,
    finish_with,
    given_lease,
    given_run,
    given_worker,
)


def list_queues(store: Store) -> list[QueueView]:
    return store.read(lambda tx: queues.queues(tx, namespace=HOME))


def test_a_queue_shows_its_depth_by_state_and_its_oldest_wait(
    store: Store, worker: str, clock: Clock
) -> None:
    given_run(store, queue="b")
    claim_some(store, worker, queues=["b"])
    clock.advance(10)
    given_run(store, queue="b")
    given_run(store, queue="b", delay_ms=1_000)
    clock.advance(20)
    given_run(store, queue="b")
    given_run(store, queue="a", delay_ms=5)

    views = list_queues(store)

    assert [(view.name, view.queued, view.running, view.scheduled) for view in views] == [
        ("a", 0, 0, 1),
        ("b", 2, 1, 1),
        ("default", 0, 0, 0),
    ]
    assert [view.oldest_ms for view in views] == [None, 20, None]
    assert [(view.is_paused, view.note) for view in views] == [(False, None)] * 3


def test_a_queue_without_live_runs_is_gone_unless_it_was_paused_or_is_served(
    store: Store, clock: Clock
) -> None:
    finish_with(store, given_lease(store))
    given_worker(store)
    store.write(lambda tx: queues.pause(tx, "held", namespace=HOME, note="repair"))
    served = list_queues(store)
    clock.advance(LEASE_MS + 1)

    assert [(view.name, view.workers, view.slots) for view in served] == [
        ("default", 2, 16),
        ("held", 0, 0),
    ]
    assert [(view.name, view.is_paused, view.note) for view in list_queues(store)] == [
        ("held", True, "repair")
    ]


def test_pausing_twice_keeps_the_last_note_and_resuming_clears_it(store: Store) -> None:
    for note in ("first", "second"):
        store.write(partial(queues.pause, queue="q", namespace=HOME, note=note))
    paused = list_queues(store)
    store.write(lambda tx: queues.resume(tx, "q", namespace=HOME))

    assert [(view.is_paused, view.note) for view in paused] == [(True, "second")]
    assert [(view.is_paused, view.note) for view in list_queues(store)] == [(False, None)]


def test_a_running_run_goes_on_when_its_queue_is_paused(store: Store) -> None:
    lease = given_lease(store)

    store.write(lambda tx: queues.pause(tx, "default", namespace=HOME))

    assert finish_with(store, lease) == []


def test_resuming_wakes_who_waits_for_the_queue(store: Store) -> None:
    store.write(lambda tx: queues.pause(tx, "q", namespace=HOME))
    woken: set[str] = set()
    watch = store.watch(woken.add)

    store.write(lambda tx: queues.resume(tx, "q", namespace=HOME))

    watch.close()
    assert queue_key(HOME, "q") in woken


def test_many_queues_are_each_counted_less_far(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queues, "COUNTED_AT_LEAST", 1)
    monkeypatch.setattr(queues, "COUNTED_IN_ALL", 4)
    for name in ("a", "a", "a", "b"):
        given_run(store, queue=name)
        given_run(store, queue=name, delay_ms=1_000)

    views = list_queues(store)
    ready = store.read(lambda tx: queues.ready_of(tx, ["a", "b"], namespace=HOME))

    assert [(view.queued, view.scheduled, view.is_cut) for view in views] == [
        (2, 2, True),
        (1, 1, False),
    ]
    assert [(each.queued, each.scheduled, each.is_cut) for each in ready.values()] == [
        (2, 0, True),
        (1, 0, False),
    ]
    assert ready["a"].oldest_ms is not None


def test_a_queue_that_nobody_uses_cannot_be_resumed(store: Store) -> None:
    with pytest.raises(UnknownQueue):
        store.write(lambda tx: queues.resume(tx, "nosuch", namespace=HOME))

    given_run(store, queue="mail")
    store.write(lambda tx: queues.resume(tx, "mail", namespace=HOME))
    store.write(lambda tx: queues.pause(tx, "later", namespace=HOME))
    store.write(lambda tx: queues.resume(tx, "later", namespace=HOME))
    assert [view.name for view in list_queues(store)] == ["later", "mail"]
