"""Changes of tables beside somebody's open transaction: nobody else waits behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from typing import Any

import psycopg
import pytest

from rota.errors import StoreUnavailable
from rota.notices import subscribe, unsubscribe
from rota.store import lock_timeouts as patience
from rota.store import migrate
from rota.store.access.logins import Login, grant
from rota.store.migrate import Migration, migrations
from rota.store.open import as_owner, connect, upgrade_schema
from rota.store.postgres.store import PostgresStore
from rota.store.statements import Dialect
from tests.contract.builders import run_sql
from tests.support.postgres import PostgresServer, database_of

pytestmark = pytest.mark.postgres
NEXT = Migration(9_000, "next", "alter table rota.run add column next_one int;", 9_000)


@pytest.fixture
def url(postgres_server: PostgresServer) -> Iterator[str]:
    with postgres_server.database() as url:
        with closing(connect(url)) as store:
            upgrade_schema(store)
        yield url


@pytest.fixture
def one_step_more(url: str, monkeypatch: pytest.MonkeyPatch) -> None:  # after it
    """It needs a table alone."""

    def more(dialect: Dialect) -> list[Migration]:
        return [*migrations(dialect), NEXT]

    monkeypatch.setattr(migrate, "migrations", more)
    monkeypatch.setattr("rota.store.open.migrations", more)


@pytest.fixture
def outsider(url: str) -> Iterator[psycopg.Connection]:
    """Has looked at a table, and does not end its transaction."""
    with psycopg.connect(url, application_name="report") as connection:
        connection.execute("select 1 from rota.run")
        yield connection


@pytest.fixture
def waits() -> Iterator[list[str]]:
    """What is told of who is waited for."""
    told: list[str] = []

    def note(name: str, facts: dict[str, Any]) -> None:
        if name == "migration.waits":
            told.append(facts["detail"])

    subscribe(note)
    yield told
    unsubscribe(note)


def work_on_while(url: str, change: Callable[[], Any], waits: list[str]) -> Future[Any]:
    """The change, once it has been in vain three times and everybody else has gone on working."""
    pool = ThreadPoolExecutor(1)
    changing = pool.submit(change)
    pool.shutdown(wait=False)
    with psycopg.connect(url, autocommit=True) as other:
        # It is cancelled if it stands in line; otherwise it takes a millisecond.
        other.execute("set statement_timeout = '5s'")
        while len(waits) < 3:
            assert _passes(other), "it stands in line behind the change"
            assert not changing.done(), changing.result()
    return changing


def _passes(other: psycopg.Connection) -> bool:
    try:
        other.execute("update rota.run set progress = 1 where state = 'running'")
    except psycopg.errors.QueryCanceled:
        return False
    return True


@pytest.mark.usefixtures("one_step_more")
def test_others_go_on_while_a_migration_waits(
    url: str, outsider: psycopg.Connection, waits: list[str]
) -> None:
    with closing(connect(url)) as store:
        migrating = work_on_while(url, lambda: upgrade_schema(store), waits)
        outsider.rollback()

        assert migrating.result(60) == ["9000_next"]
    who = f"session {outsider.info.backend_pid} (postgres, report) is idle in transaction"
    assert who in waits[0]
    assert run_sql(url, "select count(next_one) from rota.run") == [(0,)]


def test_others_go_on_while_rights_are_given(
    url: str, outsider: psycopg.Connection, waits: list[str]
) -> None:
    login = Login(f"{database_of(url)}_late", "reader", ("*",))
    give = lambda: as_owner(url, lambda tx: grant(tx, login, create=True))  # noqa: E731
    granting = work_on_while(url, give, waits)
    outsider.rollback()

    assert granting.result(60).name == login.name


def test_a_change_that_waits_for_too_long_says_for_whom(
    url: str, outsider: psycopg.Connection
) -> None:
    with closing(connect(url)) as store:
        assert isinstance(store, PostgresStore)
        with pytest.raises(StoreUnavailable, match=rf"{outsider.info.backend_pid}.*nothing was"):
            patience.patiently(store, lambda tx: tx.script(NEXT.text), limit_s=0.0)

    columns = "select column_name from information_schema.columns where table_name = 'run'"
    assert "next_one" not in str(run_sql(url, columns))
