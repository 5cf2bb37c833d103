"""Output that goes nowhere: one line says so, and the exit code tells it to scripts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FULL = "rota: the output could not be written: No space left on device\n"
COMMANDS = (
    ["--help"],
    ["--version"],
    ["runs", "--help"],
    ["runs"],
    ["runs", "--json"],
    ["submit", "nothing", "--json"],
    ["audit", "verify"],
    ["audit", "anchor"],
    ["schedules", "preview", "@daily"],
    ["schema"],
    ["completion", "bash"],
    ["db", "check"],
    ["doctor"],
)


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    path = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    said = path | {"ROTA_URL": f"sqlite:///{tmp_path}/rota.db"}
    rota("db", "migrate", env=said, folder=tmp_path)
    (tmp_path / "jobs.yaml").write_text("jobs: {nothing: {command: 'true'}}")
    rota("apply", "jobs.yaml", "--yes", env=said, folder=tmp_path)
    rota("submit", "nothing", env=said, folder=tmp_path)
    return said


def rota(*words: str, env: dict[str, str], folder: Path, out: str = os.devnull) -> tuple[int, str]:
    with Path(out).open("wb") as sink:
        ended = subprocess.run(  # ours
            [sys.executable, "-m", "rota", *words],
            env=env,
            cwd=folder,
            stdout=sink,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    return ended.returncode, ended.stderr.decode()


@pytest.mark.slow
def test_a_full_disk_is_told_in_one_line_by_every_command(
    env: dict[str, str], tmp_path: Path
) -> None:
    for words in COMMANDS:
        assert rota(*words, env=env, folder=tmp_path, out="/dev/full") == (1, FULL), words


def test_an_output_that_was_closed_is_told_too(env: dict[str, str], tmp_path: Path) -> None:
    shell = f"{sys.executable} -m rota runs >&-"
    ended = subprocess.run(  # ours
        shell, shell=True, env=env, cwd=tmp_path, stderr=subprocess.PIPE, timeout=60, check=False
    )

    assert ended.returncode == 1
    assert ended.stderr == b"rota: the output could not be written: Bad file descriptor\n"


def test_errors_that_cannot_be_told_change_nothing(env: dict[str, str], tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as sink:
        for words, code in ((["runs"], 0), (["runs", "--state", "none"], 2), (["nothing"], 2)):
            ended = subprocess.run(  # ours
                [sys.executable, "-m", "rota", *words],
                env=env,
                cwd=tmp_path,
                stdout=subprocess.DEVNULL,
                stderr=sink,
                timeout=60,
                check=False,
            )
            assert ended.returncode == code
