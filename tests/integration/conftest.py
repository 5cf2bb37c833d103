"""An app on each store, and workers inside the test's own process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import pytest

from rota.app import App
from rota.runtime.options import WorkerOptions
from rota.runtime.worker import Worker
from tests.support.postgres import PostgresServer

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
def app(store_url: str) -> Iterator[App]:
    with App(store_url) as app:
        yield app


@pytest.fixture
def serve(app: App) -> Iterator[Serve]:
    workers: list[Worker] = []

    def start(**options: Any) -> Worker:
        worker = app.worker(WorkerOptions(**FAST | options))
        worker.start()
        workers.append(worker)
        return worker

    yield start
    for worker in workers:
        worker.hurry()
        worker.stop()
