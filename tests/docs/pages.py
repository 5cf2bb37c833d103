"""Pages as data: the fenced blocks, headings, tables and links of README.md and docs/.

How a block is run is told by its language, its title and a hidden mark above it:

    ```python                     runs, with the other blocks of the page, as one program
    ```python title="shop.py"     becomes a file in the folder of the page
    ```toml title="rota.toml"     the same
    ```sh                         its `rota`, `python` and `curl` commands run, one after the other
    <!-- test: background -->     the command is started, and stopped at the end of the page
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.support.source import ROOT

_FENCE = re.compile(
    r"(?:^<!-- test: (?P<mark>[a-z]+) -->\n\n?)?"
    r"^```(?P<language>[a-z]*)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)
_CODE_SPAN = re.compile(r"`([^`]+)`")


@dataclass(frozen=True, kw_only=True)
class Block:
    """A fenced block and where it stands."""

    page: str
    line: int
    language: str
    title: str
    mark: str
    text: str

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


@dataclass(frozen=True)
class Page:
    """One Markdown file."""

    path: Path

    @property
    def name(self) -> str:
        return str(self.path.relative_to(ROOT))

    @property
    def text(self) -> str:
        return self.path.read_text()

    @property
    def prose(self) -> str:
        """The text without its fenced blocks."""
        return _FENCE.sub("", self.text)

    def blocks(self) -> list[Block]:
        text = self.text
        return [
            Block(
                page=self.name,
                line=text.count("\n", 0, found.start("text")) + 1,
                language=found["language"],
                title=found["title"] or "",
                mark=found["mark"] or "",
                text=found["text"],
            )
            for found in _FENCE.finditer(text)
        ]

    def headings(self) -> list[str]:
        return [found[2] for found in _HEADING.finditer(self.prose)]

    def section(self, heading: str) -> str:
        """What stands under a heading, down to the next of the same or a higher level."""
        lines = self.text.splitlines()
        at = next(i for i, line in enumerate(lines) if line.lstrip("#") == f" {heading}")
        level = lines[at].index(" ")
        fenced = False
        kept = []
        for line in lines[at + 1 :]:
            fenced ^= line.startswith("```")
            found = None if fenced else _HEADING.match(line)
            if found and len(found[1]) <= level:
                break
            kept.append(line)
        return "\n".join(kept)


def pages() -> list[Page]:
    """README.md and the pages of docs/; decision records are not documentation of use."""
    return [Page(ROOT / "README.md"), *map(Page, sorted((ROOT / "docs").glob("*.md")))]


def page(name: str) -> Page:
    return Page(ROOT / name)


def table_under(section: str, *, first: str) -> Iterator[list[str]]:
    """The rows of the table whose first column is headed `first`, cell by cell."""
    is_ours = False
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            is_ours = False
        elif cells[0] == first:
            is_ours = True
        elif is_ours and not set(line) <= set("|-: "):
            yield cells


def code_in(cell: str) -> list[str]:
    """The texts in backticks."""
    return _CODE_SPAN.findall(cell)
