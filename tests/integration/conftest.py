"""An app on each store, and workers inside the test's own process."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import pytest

from rota.app import App
from rota.client import Client
from rota.remote import RemoteWorker
from rota.runtime.logs.flusher import LogFlusher
from rota.runtime.options import WorkerOptions
from rota.runtime.worker import Worker
from tests.api.serving import Served, serving
from tests.support.pgbouncer import PgBouncer
from tests.support.postgres import PostgresServer, database_of

FAST: dict[str, Any] = {
    "slots": 4,
    "lease_ms": 1500,
    "heartbeat_ms": 150,
    "margin_ms": 500,
    "grace_ms": 300,
    "drain_ms": 10_000,
    "poll_ms": 200,
}


STEADY: dict[str, Any] = {"lease_ms": 60_000, "margin_ms": 10_000}
"""For work that fills the process: a lease that a busy machine cannot take away."""


BOTH_SOURCES = pytest.mark.parametrize("serve", ["store", "server"], indirect=True)
"""For what holds of every worker: once with the database and once with a server behind it."""


class Serve(Protocol):
    """Starts a worker that notices everything within a second; ends it after the test."""

    def __call__(self, **options: Any) -> Worker: ...


@pytest.fixture
def postgres_url(postgres_server: PostgresServer, postgres_template: str) -> Iterator[str]:
    """Has its schema already; what migrates is tested elsewhere."""
    with postgres_server.database(template=postgres_template) as url:
        yield url


@pytest.fixture
def bare_postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """Without a schema, for those who make it under a name of their own."""
    with postgres_server.database() as url:
        yield url


@pytest.fixture
def bouncer(postgres_server: PostgresServer, postgres_url: str) -> Iterator[PgBouncer]:
    """A pooler in front of the server."""
    with PgBouncer(postgres_server) as bouncer:
        yield bouncer


@pytest.fixture
def pooled_url(bouncer: PgBouncer, postgres_url: str) -> str:
    """The plain address of the database behind the pooler."""
    return bouncer.url(database_of(postgres_url))


@pytest.fixture(params=["timed", "quick"])
def log_load(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each test twice: with time for each line, and as under full load."""
    start = LogFlusher.start

    def hurry(courier: LogFlusher) -> None:
        courier._many_s = math.inf
        courier._hurry(hurry=True)
        start(courier)

    if request.param == "quick":
        monkeypatch.setattr(LogFlusher, "start", hurry)
    return str(request.param)


@pytest.fixture
def app(store_url: str) -> Iterator[App]:
    with App(store_url) as app:
        yield app


@pytest.fixture
def serve(app: App, request: pytest.FixtureRequest) -> Iterator[Serve]:
    """Workers with the database, or of a server if the test asks for them (BOTH_SOURCES)."""
    if getattr(request, "param", "store") == "store":
        with started(app.worker) as start:
            yield start
    else:
        with serving(app.url) as served, started(_behind(app, served)) as start:
            yield start


@contextmanager
def started(make: Callable[[WorkerOptions], Worker]) -> Iterator[Serve]:
    workers: list[Worker] = []

    def start(**options: Any) -> Worker:
        worker = make(WorkerOptions(**FAST | options))
        worker.start()
        workers.append(worker)
        return worker

    yield start
    for worker in workers:
        worker.hurry()
        worker.stop()


def _behind(app: App, served: Served) -> Callable[[WorkerOptions], Worker]:
    token = served.token("worker", queues=("default",))

    def make(options: WorkerOptions) -> Worker:
        app.define([*app.jobs.values(), *app.graphs.values()])  # a server has runs of these only
        client = Client(served.address, token=token, patience=0)
        return RemoteWorker(app, client, options, token=token)

    return make
