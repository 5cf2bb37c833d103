"""The heart: what it hears of a lease counts for that lease only."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from rota.app import App
from rota.model.jobs.spec import JobSpec, PythonTarget
from rota.model.runs.run import Lease
from rota.rules.jobs.signature import Signature
from rota.runtime.attempts.attempt import ResolvedJob
from rota.runtime.attempts.table import AttemptTable
from rota.runtime.heartbeat import Heartbeat
from rota.runtime.options import WorkerOptions, WorkerScope
from rota.runtime.store_source import StoreSource
from rota.store.base import Store
from tests.contract.builders import claim_one, finish_with, given_run, given_worker, run_sql


class Body:
    """A worker that must not be asked for anything here."""

    def lose(self) -> None:
        raise AssertionError

    def rejoin(self, *, is_known: bool) -> None:
        raise AssertionError(is_known)

    def stand_by(self, *, drains: bool) -> None:
        raise AssertionError(drains)

    def give_back(self, strays: object) -> None:
        raise AssertionError(strays)


class Slow:
    """A store at which something happens between the question and the answer."""

    def __init__(self, store: Store, meanwhile: Any) -> None:
        self._store = store
        self._meanwhile = meanwhile
        self.presence = store.presence
        self.url = store.url

    def write(self, work: Any, **options: Any) -> Any:
        self._meanwhile()
        return self._store.write(work, **options)


@pytest.fixture
def gate() -> Any:
    """Handlers wait for it; opened at the end, whatever happened."""
    gate = threading.Event()
    yield gate
    gate.set()


def test_the_loss_of_an_earlier_lease_does_not_stop_the_next_attempt(
    app: App, gate: threading.Event
) -> None:
    store = app.store
    options = WorkerOptions(heartbeat_ms=0)
    calls = AttemptTable(options=options, started=lambda _: None, wake=lambda: None)
    worker = given_worker(store)
    leases: list[Lease] = []

    def claim_again() -> None:
        (call,) = calls.everything()
        finish_with(store, call.lease, "retry", kind="error")
        calls.forget(call)
        run_sql(app.url, "update rota.run set state = 'queued', rank = 1")
        leases.append(claim_one(store, worker))
        calls.open(leases[-1], work(gate))

    given_run(store)
    calls.open(claim_one(store, worker), work(gate))
    source = given_source(Slow(store, claim_again))
    source.runs.worker_id = worker
    heartbeat = Heartbeat(source, calls, options=options, body=Body())  # type: ignore[arg-type]  # nothing is recalled
    heartbeat.tick()

    (call,) = calls.everything()
    assert (call.lease.fence, call.stop_reason) == (2, None)


class Seen:
    """A store whose sessions come and go, and what it was told of them."""

    def __init__(self, *sessions: str | None) -> None:
        self.presence = self
        self.url = "sqlite:///nowhere"
        self._sessions = list(sessions)
        self.told: list[Any] = []

    def mine(self) -> str | None:
        return self._sessions[0]

    def write(self, work: Any, **_: Any) -> Any:
        return work(self)

    def all(self, name: str, **params: Any) -> list[Any]:
        if name != "extend_lease":
            return []
        self.told.append(params["presence"])
        return [{"drain_asked": False}]

    def go_on(self) -> None:
        self._sessions.pop(0)


def test_a_worker_whose_session_was_cut_can_be_seen_to_die_before_it_has_another() -> None:
    """It says so at every look meanwhile: that keeps it from being taken for dead itself."""
    store = Seen("1:1", None, None, "2:2", "2:2")
    options = WorkerOptions(heartbeat_ms=60_000)
    calls = AttemptTable(options=options, started=lambda _: None, wake=lambda: None)
    heartbeat = Heartbeat(given_source(store), calls, options=options, body=Body())  # type: ignore[arg-type]  # nothing is recalled
    for _ in range(4):
        heartbeat.tick()
        store.go_on()
    heartbeat.tick()

    assert store.told == ["1:1", "1:1", "1:1", "2:2"]


def given_source(store: Any) -> StoreSource:
    """Of as much of a store as a heartbeat needs."""

    def find_nothing(_: Lease) -> ResolvedJob:
        raise LookupError

    scope = WorkerScope(namespace="default", queues=(), jobs=(), find_work=find_nothing)
    return StoreSource(store, scope, options=WorkerOptions(), version="0")


def work(gate: threading.Event) -> ResolvedJob:
    def wait() -> None:
        gate.wait(20)

    spec = JobSpec(name="noop", target=PythonTarget(ref="tests:wait"))
    return ResolvedJob(spec=spec, handler=wait, signature=Signature.of(wait))
