"""A SQLite file that is cut off or overwritten under a living process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from rota.engine.runs.find import counts
from rota.errors import StoreLost
from rota.store.base import Store
from rota.store.open import open_store
from tests.contract.builders import HOME, given_run

pytestmark = pytest.mark.parametrize("empty_url", ["sqlite"], indirect=True)


def path_of(store: Store) -> Path:
    return Path(store.url.removeprefix("sqlite:///"))


def elsewhere(code: str, *args: object) -> None:
    """Done by another process, as every close in ours would drop the locks of SQLite."""
    subprocess.run([sys.executable, "-c", code, *map(str, args)], check=True, timeout=30)


def cut_log(path: Path) -> None:
    os.truncate(f"{path}-wal", 0)


def copy_over(path: Path) -> None:
    elsewhere(
        "import sys; f = open(sys.argv[1], 'r+b'); f.seek(24); f.write(bytes(8))",
        path,
    )


def checkpoint(path: Path, how: str) -> None:
    """A table more changes the head of the file."""
    elsewhere(
        "import apsw, os, sys; c = apsw.Connection(sys.argv[1]); c.set_busy_timeout(5000);"
        " c.execute(f'create table mine{os.getpid()} (n)');"
        " print(c.execute(f'pragma wal_checkpoint({sys.argv[2]})').fetchall())",
        path,
        how,
    )


def total(store: Store) -> int:
    return sum(store.read(lambda tx: counts(tx, namespace=HOME)).values())


def accepts(store: Store) -> bool:
    try:
        given_run(store)
    except StoreLost:
        return False
    return True


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        pytest.param(cut_log, "its write-ahead log was cut off", id="cut_log"),
        pytest.param(copy_over, "something was copied over it", id="copy_over"),
    ],
)
def test_no_write_is_acknowledged_any_more(
    store: Store, harm: Callable[[Path], None], words: str
) -> None:
    path = path_of(store)
    given_run(store)
    checkpoint(path, "passive")
    given_run(store)  # begins the log anew
    given_run(store)
    harm(path)

    with pytest.raises(StoreLost, match=words):
        given_run(store)
    with pytest.raises(StoreLost, match="damaged under this process"):
        store.read(lambda tx: counts(tx, namespace=HOME))


@pytest.mark.parametrize(
    "words",
    [
        apsw.CorruptError("database disk image is malformed"),
        apsw.NotADBError("file is not a database"),
        apsw.SQLError("no such table: rota_run"),
    ],
)
def test_a_store_in_which_sqlite_finds_damage_is_lost_for_good(
    store: Store, words: Exception
) -> None:
    given_run(store)

    def fail(_tx: Any) -> None:
        raise words

    with pytest.raises(StoreLost, match=str(words)):
        store.write(fail)
    with pytest.raises(StoreLost, match=str(words)):
        given_run(store)
    with pytest.raises(StoreLost):
        store.read(lambda tx: counts(tx, namespace=HOME))
    assert isinstance(store.lost, StoreLost)


def test_what_an_extension_finds_wrong_in_its_own_tables_is_no_damage(store: Store) -> None:
    own = apsw.CorruptError("the index of words is broken")
    vars(own)["extendedresult"] = apsw.SQLITE_CORRUPT_VTAB
    given_run(store)

    def fail(_tx: Any) -> None:
        raise own

    with pytest.raises(Exception, match="index of words"):
        store.write(fail)

    given_run(store)
    assert total(store) == 2


@pytest.mark.parametrize("how", ["passive", "restart", "truncate"])
def test_a_log_that_sqlite_itself_copies_back_or_cuts_off_is_no_harm(
    store: Store, how: str
) -> None:
    path = path_of(store)
    for _ in range(3):
        assert accepts(store)
        assert accepts(store)
        checkpoint(path, how)
        assert accepts(store)

    assert total(store) == 9


def test_another_time_of_the_file_alone_is_no_harm(store: Store) -> None:
    given_run(store)
    checkpoint(path_of(store), "passive")
    given_run(store)
    given_run(store)
    os.utime(path_of(store))
    given_run(store)

    assert total(store) == 4


def test_looking_at_the_files_keeps_the_locks_of_other_connections(store: Store) -> None:
    """A close of any descriptor of a file drops all locks that the process has on it."""
    path = path_of(store)
    given_run(store)
    held = apsw.Connection(str(path))
    held.execute("begin immediate")
    store.close()

    taken = subprocess.run(
        [
            sys.executable,
            "-c",
            "import apsw, sys; apsw.Connection(sys.argv[1]).execute('begin immediate')",
            str(path),
        ],
        check=False,
        capture_output=True,
        text=True,
        timeout=30,
    )
    held.execute("rollback")
    held.close()

    assert "BusyError" in taken.stderr


def test_descriptors_are_given_back_with_the_last_store(store: Store) -> None:
    for _ in range(3):
        other = open_store(store.url)
        given_run(other)
        other.close()
        given_run(store)
    store.close()

    links = [f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd")]  # noqa: PTH208
    opened = [os.readlink(each) for each in links if os.path.islink(each)]  # noqa: PTH114, PTH115
    assert not [each for each in opened if each.startswith(str(path_of(store)))]
