"""The project around the code: locks that fit, commands that exist, nothing that names a host."""

from __future__ import annotations

import re
import runpy
import subprocess
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.support.source import ROOT

LOCKS = (
    *("requirements.lock", "requirements-dev.lock"),
    *("requirements-uv.lock", "requirements-web.lock"),
)
NAME = re.compile(r"[A-Za-z0-9_.-]+")


def names_in(requirements: list[str]) -> set[str]:
    found = (NAME.match(line) for line in requirements)
    return {match.group().lower().replace("_", "-") for match in found if match}


def pins_in(lock: str) -> list[str]:
    lines = Path(ROOT, lock).read_text().splitlines()
    return [line for line in lines if line and not line.startswith((" ", "#"))]


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_pins_each_version_with_hashes_and_names_no_address(lock: str) -> None:
    text = Path(ROOT, lock).read_text()

    assert pins_in(lock)
    assert all("==" in pin for pin in pins_in(lock))
    assert text.count("--hash=sha256:") >= len(pins_in(lock))
    assert "://" not in text


def test_the_lock_of_the_web_ui_names_no_address() -> None:
    text = Path(ROOT, "web", "package-lock.json").read_text()

    assert '"integrity": "sha512-' in text
    assert "://" not in text
    assert '"resolved"' not in text


def bare(pins: Iterable[str]) -> set[str]:
    """Names and versions; what the tools need may widen the marker behind them."""
    return {pin.partition(";")[0].strip(" \\") for pin in pins}


def test_the_locks_hold_all_that_the_project_asks_for() -> None:
    project = tomllib.loads(Path(ROOT, "pyproject.toml").read_text())
    dev = [entry for entry in project["dependency-groups"]["dev"] if isinstance(entry, str)]
    runtime = set(pins_in("requirements.lock"))

    assert names_in(project["project"]["dependencies"]) <= names_in(list(runtime))
    assert names_in(dev) <= names_in(pins_in("requirements-dev.lock"))
    assert bare(runtime) <= bare(pins_in("requirements-dev.lock"))


def test_make_without_a_target_lists_every_target() -> None:
    makefile = Path(ROOT, "Makefile").read_text()
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))

    shown = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout

    assert set(re.findall(r"^  make ([a-z-]+) ", shown, re.MULTILINE)) == targets


def test_each_target_of_the_makefile_is_a_command_of_dev() -> None:
    makefile = Path(ROOT, "Makefile").read_text()
    called = set(re.findall(r"@\./dev ([a-z-]+)", makefile))

    usage = subprocess.run(["./dev"], cwd=ROOT, capture_output=True, text=True, check=False)

    assert usage.returncode == 2
    offered = re.search(r"\[(.+)\]", usage.stdout)
    assert offered is not None
    assert called == set(offered.group(1).split("|"))


def test_the_stamp_changes_with_the_lock_and_stays_otherwise(tmp_path: Path) -> None:
    """Otherwise a second `make` would install again, or an edited lock would not be noticed."""
    dev = runpy.run_path(str(ROOT / "dev"))
    lock = tmp_path / "requirements.lock"
    lock.write_text("a==1\n")

    before = dev["stamp_of"](lock)
    again = dev["stamp_of"](lock)
    lock.write_text("a==2\n")
    after = dev["stamp_of"](lock)

    assert before == again != after
