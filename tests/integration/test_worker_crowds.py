"""Many runs and more than one worker: each is done once, and old ones are forgotten."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter

import pytest

from rota.app import App
from rota.engine.prune import Retention
from rota.engine.runs.find import counts
from rota.errors import UnknownRun
from rota.model.states import State
from rota.runtime.attempts.context import current_run
from tests.contract.builders import run_sql
from tests.integration.conftest import STEADY, Serve
from tests.support.calls import eventually


def state_counts(app: App) -> dict[State, int]:
    return app.store.read(lambda tx: counts(tx, namespace="default"))


def test_two_workers_share_a_queue_without_doing_anything_twice(app: App, serve: Serve) -> None:
    done: list[str] = []
    begun: list[str] = []
    both_work = threading.Event()

    @app.job
    def note() -> None:
        begun.append(current_run().id)
        both_work.wait(20)
        done.append(current_run().id)

    alone = {"slots": 1, "prefetch": 0}
    serve(**alone), serve(**alone)
    runs = note.submit_many([()] * 400)
    eventually(lambda: len(begun) == 2)
    assert len({app.run(run_id).show().worker_id for run_id in begun}) == 2
    both_work.set()
    for run in runs:
        run.result(timeout=20)

    assert Counter(done) == Counter(run.id for run in runs)


@pytest.mark.slow
def test_ten_thousand_runs_are_done_exactly_once_each(
    app: App, serve: Serve, store_url: str
) -> None:
    done: list[str] = []

    @app.job
    def noop() -> None:
        done.append(current_run().id)

    @app.job
    async def noop_async() -> None:
        done.append(current_run().id)
        await asyncio.sleep(0)

    serve(**STEADY), serve(**STEADY)  # a lease that ends on a busy machine means once more
    runs = noop.submit_many([()] * 9000) + noop_async.submit_many([()] * 1000)
    eventually(lambda: state_counts(app) == {State.SUCCESS: 10_000}, 60)

    assert Counter(done) == Counter(run.id for run in runs)
    assert run_sql(store_url, "select count(*) from rota.attempt") == [(0,)]
    # A worker that had to wait for the machine may have given some back before it began them.
    assert run_sql(store_url, "select distinct attempt from rota.run_history") == [(1,)]


def test_runs_past_their_retention_are_forgotten(app: App, serve: Serve) -> None:
    @app.job(retries=0)
    def divide(by: int) -> float:
        return 1 / by

    first = serve(chores=False)
    good, bad = divide.submit(1), divide.submit(0)
    good.wait(timeout=10)
    bad.wait(timeout=10)
    first.stop()
    serve(retention=Retention(success_ms=1))

    eventually(lambda: state_counts(app) == {State.FAILED: 1})
    with pytest.raises(UnknownRun):
        good.show()
    assert bad.state is State.FAILED
