"""One database for each kind and test process, emptied before each test; a server for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import copy

import pytest

from rota.store.open import open_store
from tests.api.serving import Served, serving
from tests.support.emptying import empty, forget_connections
from tests.support.postgres import PostgresServer


@pytest.fixture(scope="session")
def api_postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    url = postgres_server.create_database()
    open_store(url).close()
    yield url
    forget_connections()


@pytest.fixture(scope="session")
def api_sqlite_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated file to be copied: that costs 1 ms of a core, migrating 30."""
    path = tmp_path_factory.mktemp("api") / "rota.db"
    open_store(f"sqlite:///{path}").close()
    return path


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def api_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        file = copy(request.getfixturevalue("api_sqlite_file"), tmp_path / "rota.db")
        return f"sqlite:///{file}"
    url = str(request.getfixturevalue("api_postgres_url"))
    empty(url)
    return url


@pytest.fixture
def served(api_url: str) -> Iterator[Served]:
    with serving(api_url) as server:
        yield server


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One for a whole module, for what does not depend on the database."""
    folder = tmp_path_factory.mktemp("shared")
    with serving(f"sqlite:///{folder}/rota.db") as server:
        yield server
