"""A project that `rota init` writes: it runs, its tests pass, and nothing is overwritten."""

from __future__ import annotations

import subprocess
import sys

import pytest

from rota.cli.commands.init import FILES
from tests.support.cli import Rota


@pytest.fixture
def empty(local: Rota) -> Rota:
    (local.folder / "shop.py").unlink()
    return local


def test_the_tests_of_a_new_project_pass(empty: Rota) -> None:
    said = empty.good("init", "new")
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=empty.folder / "new",
        env=empty.env,
        capture_output=True,
        text=True,
        check=False,
    )

    assert all(name in said.out for name in FILES)
    assert tested.returncode == 0, tested.stdout
    assert "2 passed" in tested.stdout


def test_a_new_project_is_served_without_flags(empty: Rota) -> None:
    empty.good("init")
    with empty.serving("up"):
        sent = empty.good("submit", "send_receipt", "order=7", "--wait").out
        (schedule,) = empty.good("schedules", "--json").documents

    assert sent == '"receipt of order 7 is sent"\n'
    assert schedule["name"] == "nightly"


@pytest.mark.parametrize("name", FILES)
def test_nothing_is_overwritten_and_nothing_is_written_then(empty: Rota, name: str) -> None:
    (empty.folder / name).write_text("mine")

    refused = empty("init")

    assert (refused.code, name in refused.err) == (2, True)
    assert (empty.folder / name).read_text() == "mine"
    assert {each.name for each in empty.folder.iterdir()} & set(FILES) == {name}
