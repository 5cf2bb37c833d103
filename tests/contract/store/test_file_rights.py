"""Files of a store are made for their owner only."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from rota.runtime.values.backends import Folder
from rota.store.open import open_store
from tests.contract.builders import Clock, given_run


@pytest.fixture(autouse=True)
def generous() -> Iterator[None]:
    """A umask that lets everybody read and write what it may."""
    before = os.umask(0)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


def test_a_new_store_and_its_log_are_for_the_owner(tmp_path: Path) -> None:
    with closing(open_store(f"sqlite:///{tmp_path}/rota.db", clock=Clock())) as store:
        given_run(store)

        assert modes(tmp_path) == dict.fromkeys(("rota.db", "rota.db-wal", "rota.db-shm"), 0o600)


def test_a_store_behind_a_link_is_for_the_owner_too(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "rota.db").symlink_to(tmp_path / "data" / "real.db")

    with closing(open_store(f"sqlite:///{tmp_path}/rota.db", clock=Clock())) as store:
        given_run(store)

        assert set(modes(tmp_path / "data").values()) == {0o600}


def test_a_file_that_was_opened_to_others_stays_so(tmp_path: Path) -> None:
    """Who shares a store between users of a machine makes the file first."""
    (tmp_path / "rota.db").touch(0o660)

    with closing(open_store(f"sqlite:///{tmp_path}/rota.db", clock=Clock())) as store:
        given_run(store)

        assert set(modes(tmp_path).values()) == {0o660}


def test_large_values_are_for_the_owner(tmp_path: Path) -> None:
    Folder(tmp_path / "rota.db.artifacts").put("20260101", "ab" * 32, b"x")

    found = {path: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*")}
    assert {mode for path, mode in found.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in found.items() if path.is_file()} == {0o600}
