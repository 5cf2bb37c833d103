"""Stores and workers behind a real PgBouncer, for the tests of the pooler."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager

from rota.app import App
from rota.engine.runs.submit import submit
from rota.runtime.options import WorkerOptions
from rota.runtime.worker import Worker
from rota.store.base import Store, Tx
from rota.store.open import open_store
from tests.contract.builders import HOME, new_run
from tests.integration.conftest import FAST
from tests.support.pgbouncer import PgBouncer
from tests.support.postgres import PostgresServer, database_of

DEAF = {"poll_ms": 600_000}
"""A worker that looks by itself every ten minutes: what it does sooner it was woken for."""


@contextmanager
def behind(
    server: PostgresServer, url: str, *, pool: int = 4, **settings: str
) -> Iterator[tuple[str, PgBouncer]]:
    """The plain address of a database behind a pooler with so many server connections."""
    with PgBouncer(server, pool=pool, settings=settings) as bouncer:
        yield bouncer.url(database_of(url)), bouncer


@contextmanager
def opened(*urls: str) -> Iterator[list[Store]]:
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(contextlib.closing(open_store(url))) for url in urls]


def insert_run(store: Store) -> str:
    run = new_run()
    store.write(lambda tx: submit(tx, [run], namespace=HOME))
    return run.id


def run_count(tx: Tx) -> int:
    return int(tx.raw("select count(*) as n from rota.run")[0]["n"])


@contextmanager
def working(app: App, **options: object) -> Iterator[Worker]:
    worker = app.worker(WorkerOptions(**FAST | DEAF | options))
    worker.start()
    try:
        yield worker
    finally:
        worker.hurry()
        worker.stop()
