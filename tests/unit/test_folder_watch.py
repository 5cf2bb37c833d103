"""A watch on a folder hears of its names, and of no others."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rota.store.sqlite import folder_watch
from rota.store.sqlite.folder_watch import FolderWatch


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[FolderWatch]:
    (tmp_path / "ours").write_text("x")
    watch = FolderWatch(tmp_path, ["ours"])
    yield watch
    watch.close()


def test_a_folder_in_which_nothing_happens_has_not_changed(
    watch: FolderWatch, tmp_path: Path
) -> None:
    (tmp_path / "ours").write_text("written, not replaced")
    (tmp_path / "ours").stat()

    assert not watch.has_changed()


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
def test_what_makes_the_name_lead_elsewhere_is_heard_once(
    watch: FolderWatch, tmp_path: Path, change: Callable[[Path], object]
) -> None:
    change(tmp_path)

    assert watch.has_changed()
    assert not watch.has_changed()


def test_other_files_of_the_folder_do_not_count(watch: FolderWatch, tmp_path: Path) -> None:
    for number in range(100):
        (tmp_path / f"theirs-{number}").write_text("x")

    assert not watch.has_changed()


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

    assert any(watch.has_changed() for _ in range(limit))


def test_where_the_system_cannot_tell_there_may_always_be_a_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_watch, "_watch", lambda _: None)

    assert FolderWatch(tmp_path, ["ours"]).has_changed()


def test_a_fork_does_not_take_the_events_of_its_parent(
    watch: FolderWatch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ours").unlink()
    with monkeypatch.context() as patched:
        patched.setattr(os, "getpid", lambda: -1)

        assert watch.has_changed()

    assert watch.has_changed()
