"""How many connections a process has: bounded, also while nothing is answered."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from rota.app import App
from rota.engine.runs.submit import submit
from rota.errors import StoreUnavailable
from rota.runtime.options import WorkerOptions
from rota.store.base import Store
from rota.store.open import open_store
from rota.store.postgres import store as postgres
from rota.store.postgres.connections import pool as postgres_pool
from rota.store.postgres.connections import timeouts as postgres_guard
from tests.contract.builders import HOME, new_run
from tests.integration.conftest import FAST
from tests.integration.test_worker_leases import heard
from tests.support.calls import eventually
from tests.support.pgbouncer import PgBouncer
from tests.support.postgres import PostgresServer, database_of

pytestmark = pytest.mark.postgres

SIZE = 2
BOUND = 2 * (SIZE + 2)
"""What a pool, a heartbeat and a listener have, and as many that were given up."""
REPLICATES = {"wal_level": "replica", "max_wal_senders": "2"}
SESSIONS = """
select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
"""


def echo(number: int) -> int:
    return number


@pytest.fixture(scope="module")
def server(postgres_binaries: object) -> Iterator[PostgresServer]:
    """One whose commits can be made to wait for a standby that never answers."""
    with PostgresServer(settings=REPLICATES | {"max_connections": "40"}) as server:
        yield server


@contextmanager
def silent_standby(server: PostgresServer) -> Iterator[None]:
    def say(name: str) -> None:
        with psycopg.connect(server.url(), autocommit=True) as connection:
            connection.execute(f"alter system set synchronous_standby_names = '{name}'".encode())
            connection.execute("select pg_reload_conf()")

    say("nobody")
    try:
        yield
    finally:
        say("")


def sessions(url: str) -> int:
    with psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute(SESSIONS).fetchone()
        return int(row[0]) if row else 0


def write_on(store: Store, until: threading.Event, said: set[str]) -> None:
    while not until.is_set():
        try:
            store.write(lambda tx: submit(tx, [new_run()], namespace=HOME), lone=True)
        except StoreUnavailable as error:
            said.add(str(error))
            until.wait(0.01)


@pytest.mark.parametrize("is_pooled", [False, True])
def test_commits_that_hang_do_not_use_up_the_connections_of_the_server(
    server: PostgresServer,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    *,
    is_pooled: bool,
) -> None:
    monkeypatch.setattr(postgres, "ANSWER_S", 0.2)
    monkeypatch.setattr(postgres_guard, "LOOK_S", 0.05)
    monkeypatch.setattr(postgres_pool, "WAIT_S", 1)
    url = server.create_database()
    said: set[str] = set()
    enough = threading.Event()
    with contextlib.ExitStack() as stack:
        plain = url
        if is_pooled:
            request.getfixturevalue("pgbouncer_program")
            bouncer = stack.enter_context(PgBouncer(server, pool=20))
            plain = bouncer.url(database_of(url))
        joint = "&" if "?" in plain else "?"
        store = stack.enter_context(
            contextlib.closing(open_store(f"{plain}{joint}connections={SIZE}"))
        )
        store.write(lambda tx: submit(tx, [new_run()], namespace=HOME))
        with silent_standby(server):
            threads = [
                threading.Thread(target=write_on, args=(store, enough, said)) for _ in range(6)
            ]
            for thread in threads:
                thread.start()
            eventually(lambda: any("until it lets go of some" in each for each in said))
            seen = []
            for _ in range(20):
                time.sleep(0.1)
                seen.append(sessions(url))
            with contextlib.closing(open_store(url)) as doctor:  # another process gets one
                assert doctor.read(lambda tx: tx.one("now")) is not None
            enough.set()
            for thread in threads:
                thread.join()
        eventually(lambda: _writes(store))

        assert max(seen) <= BOUND + 1, "one more asks whether the others are gone"


def _writes(store: Store) -> bool:
    try:
        store.write(lambda tx: submit(tx, [new_run()], namespace=HOME), lone=True)
    except StoreUnavailable:
        return False
    return True


def test_a_server_without_a_free_connection_is_an_outage_that_is_told_once(
    server: PostgresServer,
) -> None:
    url = server.create_database()
    plain = url.replace("postgres@", "plain@")
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute(
            f"create role plain login; grant create on database {database_of(url)} to plain"
        )
    with App(plain) as app, heard("service.failed") as broken:
        app.job(echo)
        worker = app.worker(WorkerOptions(**FAST))
        with (
            heard("store.unavailable") as went,
            heard("store.recovered") as came,
            contextlib.ExitStack() as crowd,
        ):
            worker.start()
            assert app.find_job("echo").submit(1).result(timeout=60) == 1
            admin = crowd.enter_context(psycopg.connect(url, autocommit=True))
            # One that is just being let in has a place before it is seen: then, once more.
            eventually(lambda: _are_crowded_out(admin, crowd, plain) and len(went) > len(came))
            told = len(went)
            for _ in range(3):
                with pytest.raises(StoreUnavailable, match=r"connection slots|too many"):
                    open_store(plain)
            assert not _writes(app.store)
            assert (len(went), len(came)) == (told, told - 1), "once, and not at each try"
        eventually(lambda: _echoes(app))
        worker.hurry()
        worker.stop()
        assert broken == []


def _are_crowded_out(admin: psycopg.Connection, crowd: contextlib.ExitStack, url: str) -> bool:
    """End the sessions of Rota and take their places, unless it was faster."""
    _take_all(crowd, url)
    ours = " from pg_stat_activity where application_name = 'rota'"
    admin.execute(f"select pg_terminate_backend(pid, 5000) {ours}".encode())
    _take_all(crowd, url)
    return admin.execute(f"select 1 {ours}".encode()).fetchone() is None


def _take_all(crowd: contextlib.ExitStack, url: str) -> None:
    """Also the place that somebody had just when he was refused."""
    refused = 0
    while refused < 10:
        try:
            crowd.enter_context(psycopg.connect(url, autocommit=True))
        except psycopg.OperationalError:
            refused += 1
            time.sleep(0.02)


def _echoes(app: App) -> bool:
    try:
        return bool(app.find_job("echo").submit(2).result(timeout=60) == 2)
    except StoreUnavailable:
        return False
