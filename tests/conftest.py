"""Fixtures for all tests: a lazy PostgreSQL, and a fresh store address on each database."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from rota.store.migrate import migrations
from rota.store.open import open_store
from rota.store.postgres import dialect as postgres_dialect
from rota.store.sqlite import dialect as sqlite_dialect
from tests.support.pgbouncer import PgBouncerMissing, find_pgbouncer
from tests.support.places import quick_folder
from tests.support.postgres import PostgresServer, database_of
from tests.support.postgres_binaries import PostgresMissing, find_binaries
from tests.support.source import LONG_MODULE, long_modules

# Times differ by ten on a busy machine, so none of them is a failure; a failure must repeat.
settings.register_profile(
    "rota",
    deadline=None,
    print_blob=True,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("rota")

DIALECTS = {each.name: each for each in (postgres_dialect.DIALECT, sqlite_dialect.DIALECT)}

# Where pytest makes its folders; only the variable is asked by all processes of a test run.
os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(quick_folder()))


@pytest.fixture(scope="session", autouse=True)
def _schema_is_read_once() -> Iterator[None]:
    """Its files do not change while tests run; to read them was most of opening a store."""
    known = cache(lambda name: migrations(DIALECTS[name]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rota.store.open.migrations", lambda dialect: known(dialect.name))
        yield


@pytest.fixture(scope="session")
def postgres_binaries() -> Path:
    """The folder of PostgreSQL's programs; without them tests fail in CI and are skipped here."""
    try:
        return find_binaries()
    except PostgresMissing as missing:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def postgres_server(postgres_binaries: Path) -> Iterator[PostgresServer]:
    """One server for each worker of the test run, started when the first test asks for it."""
    with PostgresServer() as server:
        yield server


@pytest.fixture(scope="session")
def pgbouncer_program() -> str:
    """PgBouncer's program; without it tests fail in CI and are skipped here."""
    try:
        return find_pgbouncer()
    except PgBouncerMissing as missing:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(missing))


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """The address of a store in a file that does not exist yet."""
    return f"sqlite:///{tmp_path}/rota.db"


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """The address of an empty database, dropped after the test."""
    with postgres_server.database() as url:
        yield url


@pytest.fixture(scope="session")
def postgres_template(postgres_server: PostgresServer) -> str:
    """A migrated database to be copied: that costs 30 ms of a core, migrating 150."""
    url = postgres_server.create_database()
    open_store(url).close()
    return database_of(url)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def store_url(request: pytest.FixtureRequest) -> str:
    """A fresh, empty store on each database in turn."""
    return str(request.getfixturevalue(f"{request.param}_url"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest come first: none of the processes shall be left alone with one at the end."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the modules that should be split before they must be; not to who wants no header."""
    if terminalreporter.no_header:
        return
    for path, lines in long_modules():
        terminalreporter.write_line(f"{path}: {lines} lines, more than {LONG_MODULE}; split it")
