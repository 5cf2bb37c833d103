"""The registry of workers: who is there, who lives."""

from __future__ import annotations

import pytest

from rota.engine.workers.heartbeat import heartbeat
from rota.engine.workers.registry import NewWorker, ask_drain, register, retire, workers
from rota.errors import NotAllowed, UnknownWorker
from rota.ids import new_id
from rota.store.base import Store
from tests.contract.builders import HOME, LEASE_MS, START_MS, Clock, given_worker


def test_a_worker_is_listed_as_it_announced_itself(store: Store) -> None:
    asked = NewWorker(
        id=new_id(), name="w", host="h", pid=42, queues=("a", "b"), slots=3, version="1.2"
    )

    store.write(lambda tx: register(tx, asked, namespace=HOME, lease_ms=LEASE_MS))

    (view,) = store.read(lambda tx: workers(tx, namespace=HOME))
    assert (view.id, view.name, view.host, view.pid) == (asked.id, "w", "h", 42)
    assert (view.queues, view.slots, view.version, view.running) == (("a", "b"), 3, "1.2", 0)
    assert (view.started_at, view.seen_at, view.now) == (START_MS, START_MS, START_MS)
    assert (view.is_alive, view.is_draining) == (True, False)


def test_an_id_is_taken_once(store: Store, worker: str) -> None:
    other = NewWorker(id=worker, name="w2", host="h", pid=7, queues=("a",), slots=1, version="1")

    with pytest.raises(NotAllowed, match=f"{worker} is taken"):
        store.write(lambda tx: register(tx, other, namespace=HOME, lease_ms=LEASE_MS))

    (view,) = store.read(lambda tx: workers(tx, namespace=HOME))
    assert view.pid != 7


def test_a_worker_lives_until_its_lease_ends(store: Store, worker: str, clock: Clock) -> None:
    clock.advance(LEASE_MS - 1)
    (before,) = store.read(lambda tx: workers(tx, namespace=HOME))
    clock.advance(1)
    (after,) = store.read(lambda tx: workers(tx, namespace=HOME))

    assert (before.is_alive, after.is_alive) == (True, False)


def test_clones_with_one_name_are_different_workers(store: Store, clock: Clock) -> None:
    clones = []
    for _ in range(3):
        clones.append(given_worker(store))
        clock.advance(1)

    assert [view.id for view in store.read(lambda tx: workers(tx, namespace=HOME))] == clones


def test_a_retired_worker_is_gone_and_retiring_twice_is_no_error(store: Store, worker: str) -> None:
    for _ in range(2):
        store.write(lambda tx: retire(tx, worker))

    assert store.read(lambda tx: workers(tx, namespace=HOME)) == []


def test_a_worker_hears_at_its_heartbeat_that_it_shall_drain(store: Store, worker: str) -> None:
    def beat() -> bool:
        return store.write(lambda tx: heartbeat(tx, worker, lease_ms=LEASE_MS, held=())).drains

    heard = [beat()]
    for wish in (True, False):
        store.write(lambda tx, drains=wish: ask_drain(tx, worker, namespace=HOME, drains=drains))  # type: ignore[misc]
        (view,) = store.read(lambda tx: workers(tx, namespace=HOME))
        assert (view.drain_asked, view.is_draining) == (wish, False)
        heard.append(beat())

    assert heard == [False, True, False]


@pytest.mark.parametrize("namespace", [HOME, "other"])
def test_a_worker_that_is_not_there_cannot_drain(store: Store, worker: str, namespace: str) -> None:
    for worker_id in ("x", new_id(), *([worker] if namespace != HOME else [])):
        with pytest.raises(UnknownWorker):
            store.write(
                lambda tx, each=worker_id: ask_drain(tx, each, namespace=namespace, drains=True)  # type: ignore[misc]
            )
