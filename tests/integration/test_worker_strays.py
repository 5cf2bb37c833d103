"""Runs on record as a worker's: only those that it never heard of are given back."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from rota import App, State
from rota.engine.workers.heartbeat import HeldLease
from rota.ids import new_id
from rota.runtime.attempts.table import AttemptTable
from tests.contract.builders import run_sql
from tests.integration.conftest import BOTH_SOURCES, STEADY, Serve
from tests.support.calls import eventually


def test_a_run_that_the_worker_knows_is_never_given_back_as_a_stray(tmp_path: Path) -> None:
    """A heartbeat may list what is held long before it is sent, and be told of it as strays."""
    begun, gate = threading.Semaphore(0), threading.Event()
    with App(f"sqlite:///{tmp_path}/rota.db") as app:

        @app.job(delivery="at_most_once")
        def once() -> int:
            begun.release()
            assert gate.wait(60)
            return 1

        worker = app.worker(slots=2)
        worker.start()
        run = once.submit()
        assert begun.acquire(timeout=60)
        eventually(lambda: run.state is State.RUNNING)

        for _ in range(20):  # one that meets a claim on its way does nothing
            eventually(lambda: not worker._courier.turn.locked())
            worker.give_back([HeldLease(run.id, run.show().fence), HeldLease(new_id(), 1)])

        assert run.state is State.RUNNING
        gate.set()
        assert run.result(timeout=60) == 1
        assert (run.show().fence, run.show().attempt) == (1, 1)
        worker.stop()
    assert not begun.acquire(blocking=False)


@BOTH_SOURCES
def test_a_heartbeat_with_an_old_list_gives_back_nothing_that_has_begun(
    app: App, serve: Serve, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the worker had been stopped for longer than its lease after it made the list."""
    begun, gate = threading.Semaphore(0), threading.Event()

    @app.job(delivery="at_most_once")
    def once() -> int:
        begun.release()
        assert gate.wait(60)
        return 1

    serve(**STEADY, prefetch=0)
    run = once.submit()
    assert begun.acquire(timeout=60)
    run_sql(store_url, f"update rota.run set started_at = started_at - 90000 where id = '{run.id}'")
    lists: list[object] = []

    def old_list(_: AttemptTable) -> list[Any]:
        lists.append(None)
        return []

    monkeypatch.setattr(AttemptTable, "held", old_list)
    eventually(lambda: len(lists) >= 4, 60)  # so three of these beats were answered

    view = run.show()
    assert (view.state, view.fence) == (State.RUNNING, 1)
    gate.set()
    assert run.result(timeout=60) == 1
    assert not begun.acquire(blocking=False)
