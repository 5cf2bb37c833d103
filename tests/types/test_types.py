"""The types that users see, as mypy and pyright see them: right uses pass, wrong ones do not."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import copy

import pytest

import rota
from tests.support.source import ROOT

Checker = Callable[[Path], str]
PROGRAM = ROOT / "tests" / "types" / "user_program.py"


def check(command: list[str], folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False
    )
    return f"{done.returncode}\n{done.stdout}{done.stderr}"


def pyright(folder: Path) -> str:
    settings = {
        "include": ["program.py"],
        "extraPaths": [str(ROOT / "src")],
        "pythonVersion": "3.11",
        "typeCheckingMode": "standard",
        "enableTypeIgnoreComments": True,
        "reportUnnecessaryTypeIgnoreComment": "error",
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    return check(["basedpyright", "--pythonpath", sys.executable], folder)


def mypy(folder: Path) -> str:
    (folder / "mypy.ini").write_text("[mypy]\nstrict = true\npython_version = 3.11\n")
    cache = str(ROOT / ".mypy_cache" / "user")
    return check(["mypy", "--cache-dir", cache, "program.py"], folder)


@pytest.mark.slow
@pytest.mark.parametrize("checker", [mypy, pyright])
def test_a_program_of_a_user_has_the_types_that_it_says(checker: Checker, tmp_path: Path) -> None:
    copy(PROGRAM, tmp_path / "program.py")

    said = checker(tmp_path)

    assert said.startswith("0\n"), said


@pytest.mark.slow
@pytest.mark.parametrize("checker", [mypy, pyright])
def test_each_wrong_use_is_found(checker: Checker, tmp_path: Path) -> None:
    text = PROGRAM.read_text()
    wrong = text.count("# type: ignore")
    lines = [line.partition("  # type: ignore")[0] for line in text.splitlines()]
    (tmp_path / "program.py").write_text("\n".join(lines) + "\n")

    said = checker(tmp_path)

    assert len(set(re.findall(r"program\.py:(\d+):.*\berror: ", said))) == wrong, said


def test_the_package_says_that_it_has_types() -> None:
    assert (Path(rota.__file__).parent / "py.typed").is_file()
