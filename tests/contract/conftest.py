"""A store on each database in turn, on a clock that the test moves.

PostgreSQL keeps one migrated database per test process and empties it: making one costs
about 100 ms, emptying it 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import copy

import apsw
import psycopg
import pytest

from rota.store.base import Store
from rota.store.open import open_store
from tests.contract.builders import Clock, given_worker
from tests.support.deep import deep_postgres_store, deep_sqlite_store
from tests.support.emptying import empty, forget_connections
from tests.support.logins import Logins, make_logins
from tests.support.postgres import PostgresServer


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def shared_postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """One migrated database for all tests of this process; empty it before use."""
    url = postgres_server.create_database()
    open_store(url, clock=Clock()).close()
    yield url
    forget_connections()


@pytest.fixture
def empty_postgres_url(shared_postgres_url: str) -> str:
    empty(shared_postgres_url)
    return shared_postgres_url


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a store without rows; on PostgreSQL its schema is there already."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/rota.db"
    return str(request.getfixturevalue("empty_postgres_url"))


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated file; copying it is thirty times faster than making one."""
    path = tmp_path_factory.mktemp("template") / "rota.db"
    open_store(f"sqlite:///{path}", clock=Clock()).close()
    return path


@pytest.fixture
def store(empty_url: str, clock: Clock, sqlite_template: Path) -> Iterator[Store]:
    if empty_url.startswith("sqlite"):
        copy(sqlite_template, empty_url.removeprefix("sqlite:///"))
    opened = open_store(empty_url, clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def postgres_store(empty_postgres_url: str, clock: Clock) -> Iterator[Store]:
    opened = open_store(empty_postgres_url, clock=clock)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def deep_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[apsw.Connection]:
    """A file with a deep backlog, to look at plans."""
    with deep_sqlite_store(tmp_path_factory.mktemp("plans")) as connection:
        yield connection


@pytest.fixture(scope="module")
def deep_postgres(postgres_server: PostgresServer) -> Iterator[psycopg.Connection]:
    with deep_postgres_store(postgres_server) as connection:
        yield connection


@pytest.fixture(scope="session")
def shared_logins(postgres_server: PostgresServer) -> Iterator[Logins]:
    """One database with production's logins for all tests of this process."""
    yield make_logins(postgres_server)
    forget_connections()


@pytest.fixture
def logins(shared_logins: Logins) -> Logins:
    empty(shared_logins.admin)
    return shared_logins


@pytest.fixture
def worker(store: Store) -> str:
    """The id of a registered worker whose lease lasts 20 s."""
    return given_worker(store)
