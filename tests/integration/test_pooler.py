"""Sessions behind a real PgBouncer that shares them out by the transaction.

What a session could remember (prepared statements, LISTEN, settings, locks) belongs to whoever
comes next there.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from rota.engine.runs.submit import submit
from rota.store.base import Store, Tx
from rota.store.open import open_store
from rota.store.postgres import notify as postgres_wakeups
from rota.store.postgres.connections.connection import Connection
from rota.store.postgres.connections.connector import Connector
from rota.store.postgres.connections.libpq import PREPARED_AFTER, handle_of
from tests.contract.builders import HOME, new_run, run_sql
from tests.integration.behind_pooler import behind, insert_run, opened, run_count
from tests.support.postgres import PostgresServer

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("pgbouncer_program")]
OFTEN = PREPARED_AFTER + 3


def unnoticed(self: Connector, connection: Connection) -> None:
    """As if a pooler passed the numbers of the server on, or chance had made them the same."""
    connection.is_ours = not self.is_shared
    connection.libpq.prepares = connection.is_ours


def prepared(url: str) -> list[str]:
    with psycopg.connect(url, autocommit=True) as connection:
        return [row[0] for row in connection.execute("select name from pg_prepared_statements")]


def test_a_name_of_a_statement_is_made_of_its_text() -> None:
    one, other = handle_of(b"select 1"), handle_of(b"select 2")

    assert one == handle_of(b"select 1") != other
    assert len(one) < 63, "PostgreSQL cuts longer names off"


def test_two_processes_with_different_statements_never_meet_in_one_session(
    postgres_server: PostgresServer, postgres_url: str
) -> None:
    """One that only reads must never run a statement of the other."""
    with (
        behind(postgres_server, postgres_url, pool=1) as (url, _),
        opened(url, url) as (writer, reader),
    ):
        ids = [insert_run(writer) for _ in range(OFTEN)]
        for _ in range(OFTEN):
            assert reader.read(lambda tx: tx.one("now")) is not None
            assert reader.read(lambda tx: tx.all("all_paused_queues")) == []
            ids.append(insert_run(writer))
            assert reader.read(run_count) == len(ids)

        assert prepared(url) == [], "a pooler was noticed, so nothing is prepared"


@pytest.mark.parametrize("pool", [1, 3])
@pytest.mark.parametrize("reset", ["0", "1"])
def test_a_pooler_that_nobody_noticed_never_makes_a_statement_another(
    postgres_server: PostgresServer,
    postgres_url: str,
    monkeypatch: pytest.MonkeyPatch,
    pool: int,
    reset: str,
) -> None:
    """Statements are prepared in sessions that others have next, or that forget them."""
    monkeypatch.setattr(Connector, "_settle_in", unnoticed)
    with behind(postgres_server, postgres_url, pool=pool, server_reset_query_always=reset) as (
        url,
        _,
    ):
        submitted: list[str] = []

        def submit_some(store: Store) -> None:
            for turn in range(4 * OFTEN):
                submitted.append(insert_run(store))
                if turn % 3 == 0:
                    run = new_run()
                    store.write(lambda tx, run=run: submit(tx, [run], namespace=HOME), lone=True)  # type: ignore[misc]
                    submitted.append(run.id)

        def read_some(store: Store) -> None:
            for _ in range(4 * OFTEN):
                assert store.read(lambda tx: tx.all("all_paused_queues")) == []
                row = store.read(lambda tx: tx.one("now"))
                assert row is not None
                assert set(row) == {"now"}

        with opened(url, url, url) as stores, ThreadPoolExecutor(3) as threads:
            deeds: list[Callable[[Store], None]] = [submit_some, read_some, submit_some]
            for done in [
                threads.submit(do, store) for do, store in zip(deeds, stores, strict=True)
            ]:
                done.result()
            found = run_sql(postgres_url, "select cast(id as text) from rota.run")

            assert sorted(row[0] for row in found) == sorted(submitted)
            if pool == 1 and reset == "0":
                assert any(store._connector.is_shared for store in stores)  # type: ignore[attr-defined]


@pytest.mark.parametrize("is_lone", [True, False])
def test_a_transaction_in_which_a_statement_is_missing_happens_once(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch, *, is_lone: bool
) -> None:
    """The statements that we prepared are gone, as in a session that others have used."""
    # An insert that carries its NOTIFY is another statement, and time decides which one it is.
    monkeypatch.setattr(postgres_wakeups, "QUICK_S", -1.0)
    with opened(postgres_url) as (store,):
        for _ in range(OFTEN):
            store.write(lambda tx: submit(tx, [new_run()], namespace=HOME), lone=is_lone)
        tries: list[str] = []

        def work(tx: Tx) -> None:
            run = new_run()
            tries.append(run.id)
            if len(tries) == 1:
                tx.raw("deallocate all")
            submit(tx, [run], namespace=HOME)

        store.write(work, lone=is_lone)

        assert len(tries) == 2
        assert store.read(run_count) == OFTEN + 1
        assert store._connector.is_shared  # type: ignore[attr-defined]
        assert store.write(prepared_here) == 0, "nothing is prepared from then on"


def prepared_here(tx: Tx) -> int:
    for _ in range(OFTEN):
        tx.one("now")
    return int(tx.raw("select count(*) as n from pg_prepared_statements")[0]["n"])


def test_a_session_is_left_as_it_was_found(
    postgres_server: PostgresServer, postgres_url: str
) -> None:
    with behind(postgres_server, postgres_url, pool=1) as (url, _), opened(url) as (store,):
        with contextlib.closing(store.watch(lambda _: None)):
            insert_run(store)
            store.write(lambda tx: submit(tx, [new_run()], namespace=HOME), lone=True)
            with psycopg.connect(url, autocommit=True) as next_one:
                changed = next_one.execute(
                    "select name from pg_settings where source = 'session'"
                    " and name not in ('application_name', 'client_encoding')"
                ).fetchall()
                assert changed == []
                assert next_one.execute("select pg_listening_channels()").fetchall() == []
                locks = "select count(*) from pg_locks where locktype = 'advisory'"
                assert next_one.execute(locks).fetchone() == (0,)
        assert store.presence.mine() is None, "its session says nothing about this process"


def test_many_migrate_at_once_and_one_does_it(
    postgres_server: PostgresServer, bare_postgres_url: str
) -> None:
    with (
        behind(postgres_server, bare_postgres_url, pool=3) as (url, _),
        ThreadPoolExecutor(4) as threads,
    ):
        for store in threads.map(lambda _: open_store(url), range(4)):
            assert store.read(run_count) == 0
            store.close()
