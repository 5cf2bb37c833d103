"""A watch on a folder hears of its names and of writes to the database, and of nothing else."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rota.store.sqlite import folder_watch
from rota.store.sqlite.folder_watch import ANYTHING, NOTHING, Changes, FolderWatch


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[FolderWatch]:
    for name in ("ours", "database"):
        (tmp_path / name).write_text("x")
    watch = FolderWatch(tmp_path, ["ours", "database"], database="database")
    yield watch
    watch.close()


def test_writes_inside_the_folder_report_no_replacement(watch: FolderWatch, tmp_path: Path) -> None:
    (tmp_path / "ours").write_text("written, not replaced")
    (tmp_path / "database").read_text()

    assert watch.look() == NOTHING


@pytest.mark.parametrize(
    "write",
    [
        lambda path: path.write_text("y"),
        lambda path: os.truncate(path, 0),
        lambda path: shutil.copyfile(path.with_name("ours"), path),
    ],
    ids=["written", "cut off", "copied over"],
)
def test_a_write_to_the_database_is_told_once(
    watch: FolderWatch, tmp_path: Path, write: Callable[[Path], object]
) -> None:
    write(tmp_path / "database")

    assert watch.look() == Changes(is_moved=False, is_written=True)
    assert watch.look() == NOTHING


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "ours").unlink(),
        lambda folder: (folder / "ours").rename(folder / "away"),
        lambda folder: (folder / "ours").rename(folder.parent / "far away"),
        lambda folder: ((folder / "new").write_text("y"), (folder / "new").rename(folder / "ours")),
        lambda folder: folder.rename(folder.with_name("moved as a whole")),
    ],
    ids=["deleted", "renamed", "moved", "replaced", "folder moved"],
)
def test_what_makes_the_name_lead_elsewhere_is_told_once(
    watch: FolderWatch, tmp_path: Path, change: Callable[[Path], object]
) -> None:
    change(tmp_path)

    assert watch.look().is_moved
    assert watch.look() == NOTHING


def test_other_files_of_the_folder_do_not_count(watch: FolderWatch, tmp_path: Path) -> None:
    for number in range(100):
        (tmp_path / f"theirs-{number}").write_text("x")

    assert watch.look() == NOTHING


def test_more_events_than_the_system_keeps_may_hide_one_of_ours(
    watch: FolderWatch, tmp_path: Path
) -> None:
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    other, moved = tmp_path / "theirs", tmp_path / "moved"
    other.write_text("x")
    for _ in range(limit // 4 + 1):  # two events for each of the two moves
        other.rename(moved)
        moved.rename(other)
    (tmp_path / "ours").unlink()

    assert watch.look() == ANYTHING


def test_a_folder_that_cannot_be_watched_counts_as_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_watch, "watched", lambda *_: None)

    assert FolderWatch(tmp_path, ["ours"], database="ours").look() == ANYTHING


def test_a_fork_does_not_take_the_events_of_its_parent(
    watch: FolderWatch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ours").unlink()
    with monkeypatch.context() as patched:
        patched.setattr(folder_watch, "_generation", [1_000])

        assert watch.look() == ANYTHING

    assert watch.look() == Changes(is_moved=True, is_written=False)
