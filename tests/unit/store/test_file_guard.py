"""The files of a SQLite store, opened beside SQLite in the process that has it open."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from rota.store.open import open_store
from rota.store.sqlite.file_guard import guard_files
from tests.unit.workers.test_supervisor import exit_code_of


def guarded(tmp_path: Path, work: Callable[[Path], None], *, suffix: str = "") -> int:
    """1 if it was refused, 0 if not."""

    def try_it() -> int:
        store = open_store(f"sqlite:///{tmp_path}/rota.db")
        guard_files()
        path = Path(f"{tmp_path}/rota.db{suffix}")
        try:
            work(path)
        except PermissionError as error:
            return 1 if "backup()" in str(error) else 2
        store.close()
        return 0

    return exit_code_of(try_it)


def copy(path: Path) -> None:
    shutil.copy(path, path.with_name("copy"))


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm"])
def test_a_copy_of_a_file_of_the_store_is_refused(tmp_path: Path, suffix: str) -> None:
    assert guarded(tmp_path, copy, suffix=suffix) == 1


@pytest.mark.parametrize(
    "work",
    [
        Path.read_bytes,
        lambda path: os.open(os.fsencode(path), os.O_RDONLY),
        lambda path: os.open(path, os.O_RDONLY),
        sqlite3.connect,
    ],
)
def test_other_ways_to_open_it_are_refused_too(
    tmp_path: Path, work: Callable[[Path], None]
) -> None:
    assert guarded(tmp_path, work) == 1


def of_the_same_name(path: Path) -> None:
    other = path.with_name("other")
    other.mkdir()
    (other / path.name).write_text("mine")


def by_apsw(path: Path) -> None:
    with apsw.Connection(str(path.with_name("copy"))).backup(
        "main", apsw.Connection(str(path)), "main"
    ) as backup:
        backup.step()


def by_a_program(path: Path) -> None:
    subprocess.run(
        [sys.executable, "-c", "import sys; open(sys.argv[1]).close()", str(path)], check=True
    )


def by_a_store_more(path: Path) -> None:
    open_store(f"sqlite:///{path}").close()


@pytest.mark.parametrize("work", [of_the_same_name, by_apsw, by_a_program, by_a_store_more])
def test_harmless_access_to_the_database_file_passes(
    tmp_path: Path, work: Callable[[Path], None]
) -> None:
    assert guarded(tmp_path, work) == 0


def test_a_file_of_a_store_that_is_closed_may_be_opened(tmp_path: Path) -> None:
    def read() -> int:
        guard_files()
        open_store(f"sqlite:///{tmp_path}/rota.db").close()
        return 0 if (tmp_path / "rota.db").read_bytes() else 1

    assert exit_code_of(read) == 0
