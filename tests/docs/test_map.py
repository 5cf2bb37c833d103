"""The map in docs/architecture.md leads to places that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "rota"
PATH = re.compile(r"`([a-z_]+(?:/[A-Za-z_]+)+(?:\.(?:py|sql|tsx?))?)`")
NAMED = re.compile(r"`([a-z_/]+\.py)`: `([A-Za-z_.]+)`")


def journeys() -> str:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    _, _, rest = text.partition("## The way through the files")
    return rest.partition("\n## ")[0]


def usual_changes() -> str:
    """The table of usual changes, and the lists by hand below it."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    _, _, rest = text.partition("| I want to | start in")
    return rest.partition("\n## ")[0]


def missing(text: str) -> list[str]:
    named = {path for path in PATH.findall(text) if "NAME" not in path} - {"src/rota", "web/src"}
    roots = (PACKAGE, ROOT, ROOT / "web" / "src")

    assert len(named) > 40
    return [path for path in sorted(named) if not any((root / path).exists() for root in roots)]


def test_each_file_on_the_map_exists() -> None:
    assert missing(journeys()) == []


def test_each_file_of_the_usual_changes_exists() -> None:
    assert missing(usual_changes()) == []


def test_each_name_on_the_map_is_in_its_file() -> None:
    wrong = [
        (path, name)
        for path, name in NAMED.findall(journeys())
        if name.split(".")[-1] not in names_in(PACKAGE / path)
    ]

    assert wrong == []


def names_in(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {node.name for node in ast.walk(tree) if isinstance(node, kinds)}
