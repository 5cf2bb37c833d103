"""The form of answers: tables and colours on a terminal, plain text elsewhere, JSON on request."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rota.cli.pages.states import run_word
from rota.cli.safe_text import ESCAPE, ESCAPED, MARK, ONE_LINE, InertStream, console

if TYPE_CHECKING:
    from msgspec import Struct


class Cell(NamedTuple):
    """A text with a rich style, which only a terminal shows."""

    text: str
    style: str


Row = Sequence[str | Cell]

_ID = re.compile(r"[0-9a-f]{8}[0-9a-f-]*")
"""Matches an id, a part of one, a fingerprint or a key.

Broken over two lines, it could not be copied.
"""

STATE_STYLES = {
    "success": "green",
    "failed": "bold red",
    "cancelled": "yellow",
    "skipped": "dim",
    "running": "cyan",
    "paused": "yellow",
    "queued": "blue",
    "scheduled": "magenta",
}


def state_cell(state: str, *, is_paused: bool = False) -> Cell:
    """Return the state of a run or a node, in the word that people use for it."""
    word = run_word(state, is_paused=is_paused)
    return Cell(word, STATE_STYLES.get(word, ""))


def is_fancy(stream: Any = None) -> bool:
    """Whether the stream takes colours and moving pictures."""
    stream = stream or sys.stdout
    is_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return bool(stream.isatty()) and not is_plain


def print_json(documents: Iterable[Mapping[str, Any] | Struct]) -> None:
    """Print one object per line; a view in the form of the API."""
    from rota.model.view import encode

    for document in documents:
        sys.stdout.write(encode(document).decode().translate(ESCAPED) + "\n")


def print_table(columns: Sequence[str], rows: Sequence[Row], *, empty: str) -> None:
    """Print rows under their columns; the text for an empty table goes to stderr."""
    if not rows:
        print(empty, file=sys.stderr)
    elif is_fancy():
        _fancy_table(columns, rows)
    else:
        _plain_table([[name.upper() for name in columns], *rows])


def print_facts(facts: Iterable[tuple[str, str | Cell]]) -> None:
    """Print names and values, one pair per line; pairs without a value are left out."""
    shown = [(name, value) for name, value in facts if _text(value)]
    width = max(len(name) for name, _ in shown)
    for name, value in shown:
        lines = _text(value).splitlines()
        text = ("\n" + " " * (width + 2)).join(lines)
        print(f"{name:<{width}}  {styled(text, value.style) if isinstance(value, Cell) else text}")


def styled(text: str, style: str) -> str:
    """Return the text in colour, if this is a terminal that wants it."""
    if not style or not is_fancy():
        return text
    from rich.style import Style

    before, after = Style.parse(style).render("x").split("x")
    if isinstance(sys.stdout, InertStream):
        before, after = before.replace(ESCAPE, MARK), after.replace(ESCAPE, MARK)
    return before + text + after


def _text(value: str | Cell) -> str:
    return value.text if isinstance(value, Cell) else value


def _plain_table(rows: Sequence[Row]) -> None:
    texts = [[_text(cell).translate(ONE_LINE) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    for row in texts:
        print(
            "  ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True)).rstrip()
        )


def _fancy_table(columns: Sequence[str], rows: Sequence[Row]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for name, column in zip(columns, zip(*rows, strict=True), strict=True):
        texts = [_text(cell) for cell in column]
        if all(not text or _ID.fullmatch(text) for text in texts):
            table.add_column(name, no_wrap=True, min_width=max(map(len, texts)))
        else:
            table.add_column(name, overflow="fold")
    for row in rows:
        cells = (cell if isinstance(cell, Cell) else Cell(cell, "") for cell in row)
        table.add_row(*(Text(text.translate(ONE_LINE), style=style) for text, style in cells))
    console().print(table, crop=False)
