"""Every page is executed from top to bottom: its Python, its files, its commands."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.docs import pages, shell
from tests.docs.pages import Block, Page
from tests.docs.program import Program
from tests.docs.shell import Shell

SERVER = "postgresql://rota@db/rota"
"""The address of PostgreSQL in the pages; here it means the server of the tests."""
_LOGIN = re.compile(r"postgresql://(\w+)@db/rota\b")
FIRST = ("README.md", "docs/quickstart.md")
"""Where readers begin: here `rota` starts from nothing each time, as it does for them."""

MANY = 40
"""Commands that take more than about three seconds together."""


def _is_run(block: Block) -> bool:
    if block.language == "sh":
        return shell.is_run(block)
    return block.language == "python" or bool(block.title)


def _params() -> Iterator[object]:
    for page in pages.pages():
        blocks = [block for block in page.blocks() if _is_run(block)]
        if blocks:
            needs_server = any(SERVER in block.text for block in blocks)
            marks = [pytest.mark.postgres] if needs_server else []
            if sum(len(shell.commands(each)) for each in blocks if each.language == "sh") >= MANY:
                marks.append(pytest.mark.slow)
            yield pytest.param(page, id=page.name, marks=marks)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty current folder on the module path, as a reader would have it."""
    known = set(sys.modules)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("ROTA_URL", "ROTA_APP", "ROTA_NAMESPACE"):
        monkeypatch.delenv(name, raising=False)
    yield tmp_path
    for name in set(sys.modules) - known:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.mark.parametrize("page", list(_params()))
def test_the_examples_of_a_page_do_what_it_says(
    page: Page, folder: Path, request: pytest.FixtureRequest
) -> None:
    blocks = [block for block in page.blocks() if _is_run(block)]
    if any(SERVER in block.text for block in blocks):
        url = request.getfixturevalue("postgres_url")
        blocks = [replace(block, text=_with_server(block, url)) for block in blocks]

    run_blocks(blocks, folder)


def _with_server(block: Block, url: str) -> str:
    """With the address of the tests for that of the page; logins of other names stay others."""

    def meant(found: re.Match[str]) -> str:
        who = "postgres" if found[1] == "rota" else found[1]
        there = url.replace("postgres@", f"{who}@", 1)
        return shlex.quote(there) if block.language == "sh" else there

    return _LOGIN.sub(meant, block.text)


def run_blocks(blocks: list[Block], folder: Path) -> None:
    """Run blocks as one page; whatever they started is stopped."""
    name = f"docs_{re.sub(r'[^a-z]', '_', blocks[0].page.lower())}"
    python = "".join(block.text for block in blocks if block.language == "python")
    has_worker = "app.worker(" in python or any(block.mark == "background" for block in blocks)
    program = Program(name, brings_worker=has_worker)
    terminal = Shell(folder, is_cold=blocks[0].page in FIRST)
    is_well = False
    try:
        for block in blocks:
            if block.title:
                (folder / block.title).write_text(block.text)
            elif block.language == "python":
                program.run(block)
            elif block.mark == "background":
                terminal.start(block)
            else:
                terminal.run(block)
        is_well = True
    finally:
        program.close()
        terminal.close(is_well=is_well)
