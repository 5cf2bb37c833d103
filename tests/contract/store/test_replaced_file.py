"""A SQLite file that is moved, deleted or replaced under a living process."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from rota.engine.runs.find import counts
from rota.errors import StoreLost
from rota.store.base import Store
from rota.store.open import open_store
from tests.contract.builders import HOME, given_run

pytestmark = pytest.mark.parametrize("empty_url", ["sqlite"], indirect=True)


def path_of(store: Store) -> Path:
    return Path(store.url.removeprefix("sqlite:///"))


def wal_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def replace(path: Path) -> None:
    """As a restored backup is put into its place."""
    shutil.copyfile(path, path.with_name("copy"))
    path.with_name("copy").rename(path)


def move_away(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))


def delete_log(path: Path) -> None:
    wal_of(path).unlink()


def replace_log(path: Path) -> None:
    shutil.copyfile(wal_of(path), path.with_name("copy"))
    path.with_name("copy").rename(wal_of(path))


def delete_index(path: Path) -> None:
    path.with_name(path.name + "-shm").unlink()


@pytest.mark.parametrize(
    "harm", [replace, Path.unlink, move_away, delete_log, replace_log, delete_index]
)
def test_nothing_is_written_any_more_and_the_words_are_clear(
    store: Store, harm: Callable[[Path], None]
) -> None:
    given_run(store)
    harm(path_of(store))

    with pytest.raises(StoreLost, match="moved, deleted or replaced while this process used it"):
        given_run(store)
    with pytest.raises(StoreLost, match="start the process again"):
        store.read(lambda tx: counts(tx, namespace=HOME))


def test_a_commit_asks_for_no_file_by_its_name(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asking when the log was changed makes its next write dearer by half (file_reader.py)."""
    given_run(store)
    given_run(store)
    asked: list[object] = []
    monkeypatch.setattr("rota.store.sqlite.open_files.os.stat", asked.append)

    given_run(store)

    assert asked == []


def test_closing_it_leaves_the_log_of_another_alone(store: Store) -> None:
    given_run(store)
    path = path_of(store)
    replace_log(path)
    size = wal_of(path).stat().st_size

    store.close()

    assert wal_of(path).exists()
    assert wal_of(path).stat().st_size == size > 0


def test_closing_it_saves_what_was_acknowledged_when_its_log_was_deleted(store: Store) -> None:
    given_run(store)
    delete_log(path_of(store))
    with pytest.raises(StoreLost):
        given_run(store)
    store.close()
    heir = open_store(store.url)

    assert sum(heir.read(lambda tx: counts(tx, namespace=HOME)).values()) == 1
    heir.close()


def test_a_store_that_nobody_touched_goes_on(store: Store) -> None:
    """Also one that others have opened and closed beside it."""
    for _ in range(3):
        other = open_store(store.url)
        given_run(other)
        other.close()
        given_run(store)

    assert sum(store.read(lambda tx: counts(tx, namespace=HOME)).values()) == 6
