"""Where servers listen is noted for the user alone, and forgotten with the process."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from rota.cli.serve.addresses import forget_address, note_address, noted_address

ADDRESS = "http://127.0.0.1:8470"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "rota" / "servers"


def dead_pid() -> int:
    process = subprocess.Popen(["true"])
    process.wait(60)
    return process.pid


def test_a_store_is_the_same_however_its_file_is_written(tmp_path: Path) -> None:
    note_address("sqlite:///rota.db", ADDRESS)

    assert noted_address(f"sqlite:///{tmp_path}/rota.db") == ADDRESS
    assert noted_address("sqlite:///other.db") is None
    assert noted_address("postgresql://rota@db/rota") is None


def test_a_note_goes_with_its_process(folder: Path) -> None:
    note_address("sqlite:///rota.db", ADDRESS)
    (note,) = folder.iterdir()
    gone = note.rename(note.with_suffix(f".{dead_pid()}"))

    assert noted_address("sqlite:///rota.db") is None
    note_address("sqlite:///other.db", ADDRESS)
    assert not gone.exists()
    forget_address("sqlite:///other.db")
    assert noted_address("sqlite:///other.db") is None


def test_nobody_else_can_write_into_the_folder(folder: Path) -> None:
    note_address("sqlite:///rota.db", ADDRESS)

    assert folder.stat().st_mode & 0o077 == 0


def test_where_notes_cannot_be_kept_nothing_breaks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(blocked))

    note_address("sqlite:///rota.db", ADDRESS)
    forget_address("sqlite:///rota.db")

    assert noted_address("sqlite:///rota.db") is None
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
