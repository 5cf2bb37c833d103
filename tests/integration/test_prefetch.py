"""Runs that a worker holds ready: nobody waits for them, and what is told of them is true."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from rota.app import App
from rota.clock import to_datetime
from rota.engine.admission.queues import pause
from rota.engine.runs.claimed import shares
from rota.engine.runs.find import counts, now_ms
from rota.engine.workers.registry import WorkerRecord, workers
from rota.model.states import State
from rota.runtime.attempts.context import current_run
from rota.runtime.dispatch.prefetch import Prefetch
from tests.integration.conftest import BOTH_SOURCES, STEADY, Serve
from tests.support.calls import eventually

QUICK = 3_000


def claimed(app: App) -> tuple[int, int]:
    """How many runs are told to run, and how many are held ready."""
    found = app.store.read(lambda tx: shares(tx, namespace="default"))
    return sum(each.running for each in found), sum(each.held for each in found)


def crew(app: App) -> list[WorkerRecord]:
    return app.store.read(lambda tx: workers(tx, namespace="default"))


def state_counts(app: App) -> dict[State, int]:
    return app.store.read(lambda tx: counts(tx, namespace="default"))


class Gate:
    """A job whose handlers wait, in the order in which they began."""

    def __init__(self, app: App) -> None:
        self.begun: list[str] = []
        self.opened = threading.Semaphore(0)

        @app.job
        def quick() -> None:
            pass

        @app.job
        def slow() -> None:
            self.begun.append(current_run().id)
            assert self.opened.acquire(timeout=60)

        self.quick, self.slow = quick, slow

    def let(self, count: int = 1) -> None:
        self.opened.release(count)


@pytest.fixture
def gate(app: App) -> Gate:
    return Gate(app)


def test_an_urgent_run_is_next_although_slow_ones_were_held_ready(
    app: App, serve: Serve, gate: Gate
) -> None:
    serve(slots=1, **STEADY)
    gate.quick.submit_many([()] * QUICK)
    slow = gate.slow.submit_many([()] * 20)

    eventually(lambda: len(gate.begun) == 1, 60)
    eventually(lambda: claimed(app) == (1, 0), 20)
    eventually(lambda: slow[0].show().state == "running", 20)  # told when it lasts
    assert {run.show().state for run in slow[1:]} == {"queued"}
    assert {run.show().worker_id for run in slow[1:]} == {None}  # nobody has them
    urgent = gate.slow.with_options(priority=100).submit()
    eventually(lambda: [each.running for each in crew(app)] == [1], 20)
    gate.let(21)
    for run in (*slow, urgent):
        run.result(timeout=60)

    assert gate.begun == [slow[0].id, urgent.id, *(run.id for run in slow[1:])]
    assert {app.run(run.id).show().attempt for run in slow} == {1}


@BOTH_SOURCES
def test_slow_runs_that_were_held_ready_are_given_back(app: App, serve: Serve, gate: Gate) -> None:
    serve(slots=1, **STEADY)
    gate.quick.submit_many([()] * QUICK)
    slow = gate.slow.submit_many([()] * 20)

    eventually(lambda: len(gate.begun) == 1, 60)

    def states() -> list[str]:
        return sorted(run.show().state for run in slow)

    # A store hears with a heartbeat that one has begun; behind a server, an answer that was under
    # way may be given back once more.
    eventually(lambda: states() == ["queued"] * 19 + ["running"], 20)
    eventually(lambda: claimed(app) == (1, 0), 20)
    gate.let(20)


def test_a_second_worker_gets_its_share_of_slow_runs(app: App, serve: Serve, gate: Gate) -> None:
    first = serve(slots=1, **STEADY)
    gate.quick.submit_many([()] * QUICK)
    slow = gate.slow.submit_many([()] * 10)
    eventually(lambda: len(gate.begun) == 1, 60)

    second = serve(slots=1, **STEADY)
    eventually(lambda: len(gate.begun) == 2, 60)

    assert {app.run(each).show().worker_id for each in gate.begun} == {first.id, second.id}
    gate.let(10)
    for run in slow:
        run.result(timeout=60)
    done = [run.show().worker_id for run in slow]
    assert 0 < done.count(second.id) < 10


@BOTH_SOURCES
def test_the_duration_of_a_run_is_that_of_its_handler(app: App, serve: Serve) -> None:
    @app.job
    def quick() -> None:
        pass

    @app.job
    def nap() -> None:
        time.sleep(0.1)

    serve(slots=1, **STEADY)
    quick.submit_many([()] * QUICK)
    naps = nap.submit_many([()] * 10)
    for run in naps:
        run.wait(60)

    views = [run.show() for run in naps]
    spans = sorted(
        (view.started_at.ms, view.finished_at.ms)
        for view in views
        if view.started_at is not None and view.finished_at is not None
    )
    took = [end - start for start, end in spans]
    assert min(took) >= 100
    # One slot does one thing at a time: no run can have begun before the one before had ended.
    overlaps = [max(0, spans[n][1] - spans[n + 1][0]) for n in range(len(spans) - 1)]
    assert sum(overlaps) < 0.5 * sum(took), spans


@pytest.mark.parametrize("way", ["same process", "other process", "window"])
def test_a_pause_holds_for_what_is_held_ready(
    app: App, serve: Serve, monkeypatch: pytest.MonkeyPatch, way: str, store_url: str
) -> None:
    monkeypatch.setattr(Prefetch, "is_hoard", _never)
    begun: list[int] = []
    held: list[int] = []

    @app.job
    def note(number: int) -> None:
        begun.append(number)

    @app.job
    def stop() -> int:
        held.append(eventually_some(lambda: claimed(app)[1]))
        if way == "window":
            now = app.store.read(now_ms)
            begins, ends = to_datetime(now - 60_000), to_datetime(now + 3_600_000)
            app.blackouts.put("w", kind="drain", start=begins.isoformat(), end=ends.isoformat())
        with App(store_url) as other:
            who = app if way == "same process" else other
            if way != "window":
                who.store.write(lambda tx: pause(tx, "default", namespace="default"))
        eventually(lambda: claimed(app) == (1, 0), 30)
        return len(begun)

    serve(slots=1, **STEADY)
    note.submit_many(list(range(QUICK)))
    stopper = stop.submit()
    note.submit_many(list(range(QUICK, 2 * QUICK)))

    assert stopper.result(timeout=60) == QUICK
    eventually(lambda: claimed(app) == (0, 0), 30)
    assert held[0] > 0
    assert begun == list(range(QUICK))
    assert state_counts(app) == {State.SUCCESS: QUICK + 1, State.QUEUED: QUICK}


def eventually_some(count: Callable[[], int]) -> int:
    """The first count that is not zero."""
    found: list[int] = []

    def look() -> bool:
        found.append(count())
        return found[-1] > 0

    eventually(look, 20)
    return found[-1]


def _never(*_: Any) -> bool:
    return False


def test_a_worker_without_prefetch_claims_only_what_it_has_slots_for(
    app: App, serve: Serve
) -> None:
    seen: list[tuple[int, int]] = []

    @app.job
    def look() -> None:
        seen.append(claimed(app))

    serve(slots=2, prefetch=0, **STEADY)
    look.submit_many([()] * 200)[-1].result(timeout=60)

    assert {held for _, held in seen} == {0}
    assert max(running for running, _ in seen) <= 2


def test_a_handler_that_ignores_its_timeout_is_told_of_as_long_as_it_goes_on(
    app: App, serve: Serve
) -> None:
    is_over = threading.Event()

    @app.job(timeout="200ms", retries=0)
    def stubborn() -> None:
        while not is_over.is_set():
            with suppress(BaseException):  # as a handler does that cannot be stopped
                is_over.wait(0.05)

    serve(slots=1)
    run = stubborn.submit()
    run.wait(30)

    error = run.show().error
    assert error is not None
    assert error.message == (
        "ran longer than its timeout of 200 ms; it did not stop when it was asked to, and its "
        "handler goes on in the worker"
    )
    eventually(lambda: [each.left_behind for each in crew(app)] == [1], 20)
    is_over.set()
    eventually(lambda: [each.left_behind for each in crew(app)] == [0], 20)
