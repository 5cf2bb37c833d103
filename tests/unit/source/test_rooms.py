"""The same rooms on every floor: who knows where graphs are in one package finds them in all."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.source import PACKAGE

TESTS = PACKAGE.parents[1] / "tests"
ROOMS = {
    *("runs", "jobs", "schedules", "graphs", "workflows", "admission", "workers", "failures"),
    *("events", "values", "logs", "identity", "insight", "alerts", "monitors"),
}
"""What Rota is about; every floor that is cut by subject has some of these and no others."""
OWN_PARTS = {
    "rules": {"text", "security"},
    "store/sql": {"postgres", "sqlite", "access", "receipts"},
    "engine": set[str](),
    "model": set[str](),
    "app": set[str](),
    "operations": set[str](),
    "api/routes": set[str](),
    "cli/commands": set[str](),
}
"""What a floor has beside rooms."""
TESTED_PARTS = {
    "contract": {"store"},
    "unit": {"chaos", "cli", "importers", "settings", "source", "store", "text"},
    "api": {"client", "server"},
    "browser": {"shell"},
}
"""What folders of tests have beside rooms."""
MOST_MODULES = 18
COINED = {
    *("usher", "warden", "herald", "porter", "vault", "keeper", "roster", "watchman", "duty"),
    *("heart", "desk", "sheet", "sheaf", "sheaves", "courses", "kin", "mishap", "turns", "tend"),
    *("strays", "apart", "weed", "memos", "scene", "reckon", "mended", "news", "neighbours"),
    *("dialer", "rides", "doors", "gate", "habits", "offers", "site", "squeezed"),
    *("proxied", "patience", "arrivals"),
}
"""Names that nobody of this field would guess; their modules have plain ones now."""


def folders() -> Iterator[tuple[str, list[Path]]]:
    for folder in sorted({path.parent for path in PACKAGE.rglob("*.py")}):
        modules = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
        yield folder.relative_to(PACKAGE).as_posix(), modules


def crowded(counts: dict[str, int]) -> list[str]:
    return [
        f"{folder} has {count} modules, at most {MOST_MODULES} may be there"
        for folder, count in counts.items()
        if count > MOST_MODULES
    ]


def test_no_folder_has_more_modules_than_one_can_look_over() -> None:
    assert crowded({folder: len(modules) for folder, modules in folders()}) == []


def test_a_folder_that_grows_is_noticed() -> None:
    assert len(crowded({"engine/runs": MOST_MODULES + 1, "rules/text": MOST_MODULES})) == 1


@pytest.mark.parametrize("floor", OWN_PARTS)
def test_each_floor_has_rooms_of_the_one_list(floor: str) -> None:
    files = (PACKAGE / floor).glob("*/*.*")

    assert {path.parent.name for path in files} - {"__pycache__"} <= ROOMS | OWN_PARTS[floor]


@pytest.mark.parametrize("kind", TESTED_PARTS)
def test_tests_are_in_the_rooms_of_what_they_test(kind: str) -> None:
    folders = {path.parent.name for path in TESTS.glob(f"{kind}/*/*.py")}

    assert folders <= ROOMS | TESTED_PARTS[kind]


def test_the_pages_of_the_web_ui_are_in_rooms() -> None:
    pages = PACKAGE.parents[1] / "web" / "src" / "pages"

    assert {path.parent.name for path in pages.rglob("*.ts*")} <= ROOMS


def test_the_rooms_of_the_engine_are_those_of_its_statements() -> None:
    def rooms(floor: str) -> set[str]:
        return {path.stem for path in (PACKAGE / floor).iterdir()} & ROOMS

    assert rooms("store/sql") <= rooms("engine")


def test_no_module_has_a_name_that_has_to_be_explained() -> None:
    names = Counter(path.stem for path in PACKAGE.rglob("*.py"))

    assert COINED & names.keys() == set()


def test_a_class_name_stands_for_one_idea() -> None:
    homes: dict[str, list[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(path.relative_to(PACKAGE).as_posix())

    assert {name: places for name, places in homes.items() if len(places) > 1} == {}
