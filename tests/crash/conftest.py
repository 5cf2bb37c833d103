"""Processes of Rota on each store, and an app of the test's own to read their work."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rota.app import App
from tests.crash.shop import shop
from tests.support.postgres import PostgresServer
from tests.support.processes import Crew, crew_of


@pytest.fixture
def postgres_url(postgres_server: PostgresServer, postgres_template: str) -> Iterator[str]:
    """The address of a database that has its schema already; migrations are tested elsewhere."""
    with postgres_server.database(template=postgres_template) as url:
        yield url


@pytest.fixture
def app(store_url: str) -> Iterator[App]:
    with shop(store_url) as app:
        yield app


@pytest.fixture
def crew(app: App, tmp_path: Path) -> Iterator[Crew]:
    with crew_of(app.url, tmp_path) as crew:
        yield crew


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """A file that slow handlers wait for."""
    return tmp_path / "gate"
