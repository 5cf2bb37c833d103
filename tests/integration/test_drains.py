"""Maintenance windows that drain: nothing new starts, what runs goes on, and runs say so."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from rota.app import App
from rota.clock import to_datetime
from rota.engine.runs.find import now_ms
from rota.model.states import State
from rota.runtime.dispatch.claims import Claims
from rota.runtime.store_source import StoreSource
from rota.runtime.worker import Worker
from rota.store.base import Store, Tx
from tests.integration.conftest import Serve
from tests.support.calls import eventually

HOUR_MS = 3_600_000


@pytest.fixture
def log(app: App) -> list[str]:
    """What was carried out of `mail` and `bill` in queue `default`, and of `print` in `slow`."""
    done: list[str] = []

    def job(name: str, **options: Any) -> None:
        def work() -> None:
            done.append(name)

        app.job(name=name, **options)(work)

    job("mail")
    job("bill")
    job("print", queue="slow")
    return done


def close(app: App, *, ms: int = HOUR_MS, name: str = "w", **of: Any) -> int:
    """A window from a minute ago until so long from now; returns when it ends."""
    now = app.store.read(now_ms)
    app.blackouts.put(
        name,
        kind="drain",
        start=to_datetime(now - 60_000).isoformat(),
        end=to_datetime(now + ms).isoformat(),
        **of,
    )
    return now + ms


def claims_of(worker: Worker) -> Claims:
    source = worker._source
    assert isinstance(source, StoreSource)
    return source.runs.claims


def knows(worker: Worker) -> Callable[[], bool]:
    return lambda: bool(claims_of(worker)._closings)


def test_a_job_in_a_window_stays_queued_and_others_run(
    app: App, serve: Serve, log: list[str]
) -> None:
    worker = serve()
    close(app, job="mail", note="the server moves")
    eventually(knows(worker))
    held = app.find_job("mail").submit()

    app.find_job("bill").submit().result(timeout=10)
    app.find_job("print").submit().result(timeout=10)

    assert (held.show().state, sorted(log)) == (State.QUEUED, ["bill", "print"])
    (reason,) = held.why()
    assert reason.kind == "window"
    assert reason.says.startswith("maintenance window w lets no new run of job mail start for")
    assert reason.says.endswith(": the server moves")
    app.blackouts.remove("w")
    held.result(timeout=10)


def test_a_queue_in_a_window_stays_as_it_is(app: App, serve: Serve, log: list[str]) -> None:
    worker = serve()
    close(app, queue="slow")
    eventually(knows(worker))
    held = app.find_job("print").submit()
    app.find_job("mail").submit().result(timeout=10)

    assert (held.show().state, log) == (State.QUEUED, ["mail"])


def test_a_window_of_a_job_in_a_queue_leaves_its_other_queues_alone(
    app: App, serve: Serve, log: list[str]
) -> None:
    worker = serve()
    close(app, job="mail", queue="slow")
    eventually(knows(worker))
    held = app.find_job("mail").with_options(queue="slow").submit()
    app.find_job("mail").submit().result(timeout=10)
    app.find_job("print").submit().result(timeout=10)

    assert (held.show().state, log) == (State.QUEUED, ["mail", "print"])


def test_a_drain_lets_running_runs_end_and_new_ones_wait(app: App, serve: Serve) -> None:
    begun, gate = threading.Event(), threading.Event()

    @app.job
    def work() -> str:
        begun.set()
        gate.wait(10)
        return "done"

    worker = serve()
    run = work.submit()
    assert begun.wait(10)
    close(app)
    eventually(knows(worker))
    later = work.submit()
    gate.set()

    assert run.result(timeout=10) == "done"
    assert later.show().state is State.QUEUED


def test_a_worker_that_starts_in_a_window_knows_it_at_its_first_claim(
    app: App, serve: Serve, log: list[str]
) -> None:
    held = [app.find_job("mail").submit() for _ in range(3)]
    close(app, job="mail")

    serve()
    app.find_job("bill").submit().result(timeout=10)

    assert ({run.show().state for run in held}, log) == ({State.QUEUED}, ["bill"])


def test_the_end_of_a_window_starts_what_waits(app: App, serve: Serve, log: list[str]) -> None:
    app.find_job("mail").submit()
    ends_at = close(app, ms=700)
    serve(poll_ms=600_000)  # nothing but the end of the window wakes it

    eventually(lambda: log == ["mail"])

    assert app.store.read(now_ms) >= ends_at


def test_windows_that_skip_or_defer_hold_no_run_back(
    app: App, serve: Serve, log: list[str]
) -> None:
    now = app.store.read(now_ms)
    begin, end = (to_datetime(now + ms).isoformat() for ms in (-HOUR_MS, HOUR_MS))
    for kind in ("skip", "defer"):
        app.blackouts.put(kind, kind=kind, start=begin, end=end)
    worker = serve()

    app.find_job("mail").submit().result(timeout=10)

    assert not knows(worker)()


def test_without_a_window_a_claim_asks_nothing_more(app: App, serve: Serve, log: list[str]) -> None:
    worker = serve()
    asked: list[str] = []
    store: Store = app.store

    def watch(tx: Tx) -> None:
        class Counting:
            def __getattr__(self, method: str) -> Any:
                if method not in ("one", "all", "tuples", "execute"):
                    return getattr(tx, method)

                def ask(name: str, /, **params: Any) -> Any:
                    asked.append(name)
                    return getattr(tx, method)(name, **params)

                return ask

        claims_of(worker).claim(Counting(), 1)

    store.write(watch)

    assert asked == ["claim_runs"] * 2  # one for each queue
