"""A worker in this process that loses its lease, its store, or an answer of the store."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from rota import notices
from rota.app import App, Run
from rota.engine.workers.reap import reap
from rota.engine.workers.registry import WorkerRecord, workers
from rota.model.states import State
from rota.runtime.attempts.context import current_run
from rota.runtime.options import WorkerOptions
from rota.runtime.worker import Worker
from tests.contract.builders import run_sql
from tests.integration.conftest import FAST, STEADY, Serve
from tests.support.calls import eventually
from tests.support.postgres import PostgresServer
from tests.support.proxy import Proxy
from tests.support.trace_handlers import open_gate, traces, work_deafly, work_slowly


def serve_unaware(serve: Serve) -> Worker:
    """One that does not notice that it was given up, and waits for its handlers all the same."""
    worker = serve(slots=1, prefetch=0, lease_ms=120_000, grace_ms=60_000, chores=False)
    worker._heartbeat.stop()
    return worker


def serve_given_up(app: App, serve: Serve) -> tuple[Worker, Callable[[], None]]:
    """A worker, and the act that gives it up, waits until it has joined again, and reaps its runs.

    It does no chores: only a worker whose lease ran out is ever taken off the record, and that one
    has stopped its work by then. This one has not, so it would reap its own runs and claim them
    again under the old name, as often as it can before its next heartbeat.
    """
    worker = serve(**STEADY, chores=False)
    before = worker.id

    def give_up() -> None:
        run_sql(app.url, "delete from rota.worker")
        eventually(lambda: worker.id != before)
        app.store.write(lambda tx: reap(tx, limit=10))

    return worker, give_up


@pytest.fixture
def trail(tmp_path: Path) -> Path:
    return tmp_path / "trail"


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    return tmp_path / "gate"


def start_slow_run(app: App, trail: Path, gate: Path) -> Run[int]:
    """A run of the app's only job whose handler is at work and waits for the gate."""
    (job,) = app.jobs.values()
    run = job.submit(str(trail), str(gate))
    eventually(lambda: traces(trail, "began"))
    return run


def known_workers(app: App) -> list[WorkerRecord]:
    return app.store.read(lambda tx: workers(tx, namespace="default"))


def test_a_worker_that_was_given_up_stops_its_work_and_joins_again_as_another(
    app: App, serve: Serve, trail: Path, gate: Path
) -> None:
    app.job(work_slowly)
    worker, give_up = serve_given_up(app, serve)
    run, before = start_slow_run(app, trail, gate), worker.id
    give_up()

    eventually(lambda: traces(trail, "stopped"))
    open_gate(gate)

    assert run.result(timeout=20) == 2
    assert worker.id != before
    assert [each.id for each in known_workers(app)] == [worker.id]
    view = run.show()
    assert (view.attempt, view.failures, view.crashes, view.fence) == (2, 0, 1, 2)
    assert [(each.kind, each.worker_id) for each in run.attempts()] == [("lost", before)]


def test_a_late_result_of_a_worker_that_was_given_up_is_refused(
    app: App, serve: Serve, store_url: str, trail: Path, gate: Path
) -> None:
    app.job(work_deafly)
    late = serve_unaware(serve)
    with heard("lease.lost") as losses:
        run = start_slow_run(app, trail, gate)
        run_sql(store_url, f"delete from rota.worker where id = '{late.id}'")
        serve()
        eventually(lambda: len(traces(trail, "began")) == 2)
        open_gate(gate, fence=1)
        eventually(lambda: losses)
        assert run.state is State.RUNNING
        open_gate(gate, fence=2)

        assert run.result(timeout=20) == 2

    assert losses == [{"runs": [run.id], "worker": late.id}]
    assert [trace.fence for trace in traces(trail, "began")] == [1, 2]
    assert [trace.fence for trace in traces(trail, "ended")] == [1, 2]


@contextmanager
def heard(name: str) -> Iterator[list[dict[str, Any]]]:
    """The notices of that name as they come."""
    found: list[dict[str, Any]] = []

    def listen(event: str, facts: dict[str, Any]) -> None:
        if event == name:
            found.append(facts)

    notices.subscribe(listen)
    try:
        yield found
    finally:
        notices.unsubscribe(listen)


def test_a_worker_whose_lease_ran_out_loses_its_runs_to_another(
    app: App, serve: Serve, store_url: str, trail: Path, gate: Path
) -> None:
    app.job(work_slowly)
    late = serve_unaware(serve)
    run = start_slow_run(app, trail, gate)
    run_sql(store_url, "update rota.worker set lease_until = 1")
    other = serve()
    eventually(lambda: len(traces(trail, "began")) == 2)
    open_gate(gate)

    assert run.result(timeout=20) == 2
    assert run.show().worker_id == other.id != late.id


def test_heartbeats_go_on_while_every_slot_computes(app: App, serve: Serve) -> None:
    stop = threading.Event()

    @app.job
    def compute() -> None:
        while not stop.is_set():
            sum(range(2000))

    worker = serve(**STEADY)
    runs = compute.submit_many([()] * 4)
    eventually(lambda: worker.running == 4)
    for _ in range(5):
        (before,) = known_workers(app)
        eventually(lambda before=before: known_workers(app)[0].seen_at > before.seen_at)  # type: ignore[misc]
    (seen,) = known_workers(app)
    stop.set()
    for run in runs:
        run.result(timeout=20)

    assert seen.is_alive
    assert seen.running == 4
    assert [(run.show().attempt, run.show().crashes) for run in runs] == [(1, 0)] * 4


LEASE_S = 12.0
CAREFUL: dict[str, Any] = {"lease_ms": 12_000, "margin_ms": 8_000, "heartbeat_ms": 300}


@contextmanager
def stopped_server(server: PostgresServer) -> Iterator[None]:
    server.stop("immediate")
    try:
        yield
    finally:
        server.start()


@contextmanager
def paused_server(server: PostgresServer) -> Iterator[None]:
    leader = psutil.Process(server.pid)
    family = [leader, *leader.children(recursive=True)]
    for member in family:
        member.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        for member in family:
            member.send_signal(signal.SIGCONT)


@pytest.mark.postgres
@pytest.mark.slow
@pytest.mark.parametrize("outage", [stopped_server, paused_server])
@pytest.mark.parametrize("store_url", ["postgres"], indirect=True)
def test_a_worker_that_cannot_renew_its_lease_stops_its_work_before_it_ends(
    app: App, serve: Serve, postgres_server: PostgresServer, trail: Path, gate: Path, outage: Any
) -> None:
    app.job(work_slowly)
    worker = serve(**CAREFUL)
    run, before = start_slow_run(app, trail, gate), worker.id

    with outage(postgres_server):
        began = time.monotonic()
        eventually(lambda: traces(trail, "stopped"))
        took_s = time.monotonic() - began
    open_gate(gate)

    assert took_s < LEASE_S
    # Nobody died: the worker gives the run back itself, and that burns neither retry nor crash.
    assert run.result(timeout=20) == 1
    assert worker.id == before
    assert run.attempts() == []
    assert (run.show().crashes, run.show().fence) == (0, 2)
    assert app.find_job("work_slowly").submit(str(trail), str(gate)).result(timeout=10) == 1


@pytest.mark.postgres
@pytest.mark.parametrize("store_url", ["postgres"], indirect=True)
def test_a_claim_whose_answer_was_lost_is_given_back_without_costing_an_attempt(
    app: App, postgres_server: PostgresServer, store_url: str, trail: Path, gate: Path
) -> None:
    open_gate(gate)
    job = app.job(work_slowly)
    with Proxy(postgres_server.port) as proxy, behind(proxy, postgres_server, store_url) as worker:
        proxy.lose_answer_with(str(trail).encode())
        run = job.submit(str(trail), str(gate))
        eventually(lambda: proxy.has_lost_answer)

        assert run.state is State.RUNNING
        assert run.show().worker_id == worker.id
        assert run.result(timeout=20) == 1
        assert run.show().fence == 2
        assert run.attempts() == []


@contextmanager
def behind(proxy: Proxy, server: PostgresServer, url: str) -> Iterator[Worker]:
    """A worker that reaches the server through the proxy only."""
    database = url.partition("?")[0].rpartition("/")[2]
    address = server.url(database, tcp=True).replace(f":{server.port}/", f":{proxy.port}/")
    with App(address) as app:
        app.job(work_slowly)
        worker = app.worker(WorkerOptions(**FAST))
        worker.start()
        try:
            yield worker
        finally:
            worker.hurry()
            worker.stop()


def test_a_run_of_a_function_that_no_other_process_could_find_is_tried_again_here(
    app: App, serve: Serve
) -> None:
    gate = threading.Event()

    @app.job(retries=0)
    def local() -> int:
        gate.wait(20)
        return current_run().attempt

    _, give_up = serve_given_up(app, serve)
    run = local.submit()
    eventually(lambda: run.state is State.RUNNING)
    give_up()
    gate.set()

    assert run.result(timeout=20) == 2
