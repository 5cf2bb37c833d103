"""A worker in this process that is told to stop: it gives back what it cannot finish."""

from __future__ import annotations

import threading
import time

from rota.app import App
from rota.engine.workers.registry import WorkerRecord, ask_drain, workers
from rota.errors import Cancelled
from rota.model.states import State
from rota.runtime.attempts.context import current_run
from rota.runtime.worker import Worker
from tests.integration.conftest import BOTH_SOURCES, Serve
from tests.support.calls import eventually


class Body:
    """A handler that waits until it is let go; one that is deaf ignores a stop."""

    def __init__(self, *, deaf: bool = False) -> None:
        self.started = threading.Event()
        self.gate = threading.Event()
        self._deaf = deaf

    def __call__(self) -> int:
        self.started.set()
        while not self.gate.is_set():
            try:
                time.sleep(0.005)
            except Cancelled:
                if not self._deaf:
                    raise
        return current_run().attempt


def drain_aside(worker: Worker) -> threading.Thread:
    """Drain in a thread of its own, as the main thread of a worker process does."""
    thread = threading.Thread(target=worker.drain)
    thread.start()
    return thread


@BOTH_SOURCES
def test_a_drain_lets_running_handlers_finish_and_gives_waiting_runs_back(
    app: App, serve: Serve
) -> None:
    body = Body()

    @app.job
    def step(number: int) -> int:
        # The quick ones before it make the worker claim ahead.
        return body() if number == 300 else number

    runs = step.submit_many(range(600))
    worker = serve(slots=1)
    assert body.started.wait(20)
    thread = drain_aside(worker)
    eventually(lambda: worker.running == 1)
    after = step.submit(-1)
    body.gate.set()
    thread.join(20)

    assert not thread.is_alive()
    assert worker.running == 0
    assert [run.state for run in runs[:301]] == [State.SUCCESS] * 301
    waiting = [run.show() for run in (*runs[301:], after)]
    assert {view.state for view in waiting} == {State.QUEUED}
    assert {(view.attempt, view.worker_id) for view in waiting} == {(0, None)}
    assert any(view.fence for view in waiting), "nothing was claimed ahead"


def test_the_next_worker_runs_what_a_drained_one_gave_back(app: App, serve: Serve) -> None:
    body = Body()

    @app.job
    def step(number: int) -> list[int]:
        return [body() if number == 100 else current_run().attempt]

    runs = step.submit_many(range(200))
    first = serve(slots=1)
    assert body.started.wait(20)
    body.gate.set()
    first.stop()
    serve()

    assert [run.result(timeout=20) for run in runs] == [[1]] * 200


@BOTH_SOURCES
def test_a_hurried_drain_stops_what_runs_and_gives_it_back_without_burning_an_attempt(
    app: App, serve: Serve
) -> None:
    body = Body()

    @app.job
    def long() -> int:
        return body()

    worker = serve()
    run = long.submit()
    assert body.started.wait(20)
    thread = drain_aside(worker)
    worker.hurry()
    thread.join(20)
    given_back = run.show()
    body.gate.set()
    serve()

    assert not thread.is_alive()
    assert (given_back.state, given_back.attempt, given_back.failures) == (State.QUEUED, 0, 0)
    assert run.result(timeout=20) == 1
    assert run.attempts() == []


@BOTH_SOURCES
def test_a_handler_that_ignores_the_hurry_is_left_behind_and_its_run_given_back(
    app: App, serve: Serve
) -> None:
    body = Body(deaf=True)

    @app.job
    def long() -> int:
        return body()

    worker = serve()
    run = long.submit()
    assert body.started.wait(20)
    worker.hurry()
    worker.drain()
    given_back = run.show()
    body.gate.set()

    assert (given_back.state, given_back.attempt, given_back.worker_id) == (State.QUEUED, 0, None)


@BOTH_SOURCES
def test_the_drain_time_is_the_longest_a_drain_waits(app: App, serve: Serve) -> None:
    body = Body()

    @app.job
    def long() -> int:
        return body()

    worker = serve(drain_ms=200)
    run = long.submit()
    assert body.started.wait(20)
    worker.drain()
    body.gate.set()

    assert run.state is State.QUEUED


@BOTH_SOURCES
def test_a_draining_worker_says_so_and_a_stopped_one_is_gone(app: App, serve: Serve) -> None:
    body = Body()

    @app.job
    def long() -> int:
        return body()

    worker = serve()
    run = long.submit()
    assert body.started.wait(20)
    thread = drain_aside(worker)

    eventually(lambda: [each.is_draining for each in _registry(app)] == [True])
    body.gate.set()
    thread.join(20)
    worker.stop()
    assert _registry(app) == []
    assert run.state is State.SUCCESS


def _registry(app: App) -> list[WorkerRecord]:
    return app.store.read(lambda tx: workers(tx, namespace="default"))


@BOTH_SOURCES
def test_a_worker_that_people_drain_takes_nothing_new_until_they_let_it(
    app: App, serve: Serve
) -> None:
    body = Body()

    @app.job
    def step() -> int:
        return body()

    def ask(*, drains: bool) -> None:
        app.store.write(lambda tx: ask_drain(tx, worker.id, namespace=app.namespace, drains=drains))

    worker = serve(slots=1)
    running = step.submit()
    assert body.started.wait(20)
    ask(drains=True)
    eventually(lambda: worker._heartbeat.is_draining)
    waiting = step.submit()
    body.gate.set()

    assert running.result(timeout=20) == 1
    assert waiting.state is State.QUEUED
    ask(drains=False)
    assert waiting.result(timeout=20) == 1
