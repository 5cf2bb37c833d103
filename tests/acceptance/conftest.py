"""A `rota` command for each test, in an empty folder with a small shop.

Its store has its schema already: who makes it, and when, is tested with `bare_rota`, in the pages
of the documentation, and by all that runs on `local`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import copy

import pytest

from rota.store.open import open_store
from tests.support.cli import Rota
from tests.support.postgres import PostgresServer


@pytest.fixture
def postgres_url(postgres_server: PostgresServer, postgres_template: str) -> Iterator[str]:
    with postgres_server.database(template=postgres_template) as url:
        yield url


@pytest.fixture
def bare_postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """Without a schema."""
    with postgres_server.database() as url:
        yield url


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("template") / "rota.db"
    open_store(f"sqlite:///{path}").close()
    return path


@pytest.fixture
def sqlite_url(tmp_path: Path, sqlite_template: Path) -> str:
    return f"sqlite:///{copy(sqlite_template, tmp_path)}"


@pytest.fixture
def bare_sqlite_url(tmp_path: Path) -> str:
    """Of a file that does not exist yet."""
    return f"sqlite:///{tmp_path}/rota.db"


@pytest.fixture
def rota(tmp_path: Path, store_url: str) -> Rota:
    """Commands on an empty store, on each database in turn."""
    return Rota(tmp_path, ROTA_URL=store_url)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def bare_rota(request: pytest.FixtureRequest, tmp_path: Path) -> Rota:
    """Commands on a store that has no schema yet, on each database in turn."""
    return Rota(tmp_path, ROTA_URL=request.getfixturevalue(f"bare_{request.param}_url"))


@pytest.fixture
def local(tmp_path: Path) -> Rota:
    """Commands without any setting: the store is ./rota.db."""
    return Rota(tmp_path)
