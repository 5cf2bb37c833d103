"""A `rota` command for each test, in an empty folder with a small shop."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.cli import Rota


@pytest.fixture
def rota(tmp_path: Path, store_url: str) -> Rota:
    """Commands on an empty store, on each database in turn."""
    return Rota(tmp_path, ROTA_URL=store_url)


@pytest.fixture
def local(tmp_path: Path) -> Rota:
    """Commands without any setting: the store is ./rota.db."""
    return Rota(tmp_path)
