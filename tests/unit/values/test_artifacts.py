"""Artifacts: pointers are no JSON, files are whole or not there, settings say where."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rota.errors import BadOption, BadUrl
from rota.model.values.artifact import Pointer, digest_of, is_pointer, read_pointer, stand_in
from rota.runtime.values.backends import Folder, open_artifacts

DAY = "2026-11-16"
DATA = b'"a large value"'
DIGEST = digest_of(DATA)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "kept")


@pytest.mark.parametrize("pointer", [Pointer("d", DIGEST), Pointer("a", DIGEST, DAY)])
def test_a_pointer_is_read_as_it_was_written(pointer: Pointer) -> None:
    assert is_pointer(str(pointer))
    assert read_pointer(str(pointer)) == pointer


@given(JSON)
def test_no_json_is_taken_for_a_pointer(value: object) -> None:
    text = msgspec.json.encode(value).decode()

    assert not is_pointer(text)
    assert stand_in(text) == text


def test_the_pointer_to_a_value_is_readable_json() -> None:
    shown = msgspec.json.decode(stand_in(str(Pointer("a", DIGEST, DAY))))

    assert shown == {"$artifact": f"sha256:{DIGEST}"}


def test_the_same_object_written_twice_is_there_once(folder: Folder) -> None:
    folder.put(DAY, DIGEST, DATA)
    folder.put(DAY, DIGEST, DATA)

    assert folder.get(DAY, DIGEST) == DATA
    assert folder.days() == [DAY]
    assert list(folder.digests(DAY)) == [[DIGEST]]


def test_a_missing_artifact_reads_as_none(folder: Folder) -> None:
    assert folder.get(DAY, DIGEST) is None
    assert folder.days() == []


def test_files_are_for_their_owner_only(folder: Folder, tmp_path: Path) -> None:
    folder.put(DAY, DIGEST, DATA)

    modes = {path.stat().st_mode & 0o077 for path in (tmp_path / "kept").rglob("*")}

    assert modes == {0}


def test_a_deleted_day_leaves_no_folders(folder: Folder, tmp_path: Path) -> None:
    folder.put(DAY, DIGEST, DATA)

    folder.delete(DAY, [DIGEST, "0" * 64])

    assert folder.get(DAY, DIGEST) is None
    assert list((tmp_path / "kept").iterdir()) == []


def test_leftovers_of_a_dead_writer_go_with_their_day(folder: Folder, tmp_path: Path) -> None:
    folder.put(DAY, DIGEST, DATA)
    left = tmp_path / "kept" / DAY / DIGEST[:2] / ".new-half"
    left.write_bytes(b"hal")

    assert list(folder.digests(DAY)) == [[DIGEST]]
    assert not left.exists()


def test_a_file_that_cannot_be_written_leaves_nothing(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        folder.put(DAY, DIGEST, DATA)

    assert [path for path in (tmp_path / "kept").rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(
    ("said", "where"),
    [
        (None, "/data/rota.db.artifacts"),
        ("/srv/kept", "/srv/kept"),
        ("file:///srv/kept%20here", "/srv/kept here"),
    ],
)
def test_a_folder_is_where_the_setting_says(said: str | None, where: str) -> None:
    opened = open_artifacts(said, beside=Path("/data/rota.db"))

    assert opened is not None
    assert opened.where == where


def test_a_folder_beside_a_relative_file_is_the_same_from_everywhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    opened = open_artifacts(None, beside=Path("rota.db"))

    assert opened is not None
    assert opened.where == f"{tmp_path}/rota.db.artifacts"
    assert open_artifacts(opened.where, beside=None).where == opened.where  # type: ignore[union-attr]


@pytest.mark.parametrize(("said", "beside"), [("database", Path("/x/rota.db")), (None, None)])
def test_values_stay_in_the_database(said: str | None, beside: Path | None) -> None:
    assert open_artifacts(said, beside=beside) is None


@pytest.mark.parametrize("said", ["ftp://x/y", "s3://", "bucket", "file://", "file://host/x"])
def test_another_place_is_refused_with_what_would_be_good(said: str) -> None:
    with pytest.raises(BadUrl, match="s3://bucket/prefix"):
        open_artifacts(said, beside=None)


def test_s3_without_its_library_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "obstore.store", None)

    with pytest.raises(BadOption, match=r"rota\[s3\]"):
        open_artifacts("s3://bucket/prefix", beside=None)
