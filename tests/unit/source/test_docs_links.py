"""Markdown without reading it: links lead somewhere, every page is reachable, words are kept."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.pages import Page
from tests.support.source import ROOT

LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")
FILES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
PAGES = [path for path in FILES if path.parent in (ROOT, ROOT / "docs")]


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def anchor(heading: str) -> str:
    """The anchor that code hosts make of a heading."""
    kept = re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower())
    return kept.replace(" ", "-")


def links_of(path: Path) -> list[str]:
    return [link for link in LINK.findall(Page(path).prose) if "://" not in link]


def broken_links(path: Path) -> list[str]:
    broken = []
    for link in links_of(path):
        place, _, fragment = link.partition("#")
        target = (path.parent / place).resolve() if place else path
        is_there = target.exists() and target.is_relative_to(ROOT)
        if is_there and fragment:
            is_there = fragment in map(anchor, Page(target).headings())
        if not is_there:
            broken.append(link)
    return broken


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_every_link_leads_to_a_file_and_a_heading(path: Path) -> None:
    assert broken_links(path) == []


def test_a_broken_link_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.unit.source.test_docs_links.ROOT", tmp_path)
    (tmp_path / "b.md").write_text("# Some `heading`\n")
    page = tmp_path / "a.md"
    page.write_text("[x](b.md#some-heading) [y](b.md#other) [z](c.md)\n```\n[q](d.md)\n```\n")

    assert broken_links(page) == ["b.md#other", "c.md"]


def test_every_page_is_reached_from_the_readme() -> None:
    seen: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        path = waiting.pop()
        if path not in seen and path.suffix == ".md":
            seen.add(path)
            waiting += [(path.parent / link.partition("#")[0]).resolve() for link in links_of(path)]

    assert {name_of(path) for path in PAGES} - {name_of(path) for path in seen} == set()


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_a_page_has_one_title_and_begins_with_what_the_reader_gets(path: Path) -> None:
    lines = path.read_text().splitlines()

    assert lines[0].startswith("# ")
    assert not re.match(r"[#|`<>-]", lines[2])
    assert [line for line in Page(path).prose.splitlines() if line.startswith("# ")] == [lines[0]]


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_page_promises_nothing_that_cannot_be_kept(path: Path) -> None:
    assert "exactly-once execution" not in path.read_text().lower()


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_every_make_command_in_the_pages_exists(path: Path) -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))

    named = set(re.findall(r"^make ([a-z-]+)|`make ([a-z-]+)", path.read_text(), re.MULTILINE))

    assert {first or second for first, second in named} <= targets
