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
NARROW, READABLE, GAP = 12, 28, 2
"""Columns of so many characters are never folded; wider ones want so many; the space between."""

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


def id_cell(run_id: str) -> Cell:
    """Return the id of a run: its random end on a terminal, all of it elsewhere."""
    from rota.handles.runs.ids import SHORT

    return Cell(run_id[-SHORT:] if is_fancy() else run_id, "bold")


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


def print_table(
    columns: Sequence[str], rows: Sequence[Row], *, empty: str, spare: Sequence[str] = ()
) -> None:
    """Print rows under their columns; the text for an empty table goes to stderr.

    A terminal shows no empty column; if it is narrow, none of the `spare` ones that are too many.
    """
    if not rows:
        print(empty, file=sys.stderr)
    elif is_fancy():
        _fancy_table(columns, rows, spare)
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


def _cell(value: str | Cell) -> Cell:
    return value if isinstance(value, Cell) else Cell(value, "")


def _plain_table(rows: Sequence[Row]) -> None:
    texts = [[_text(cell).translate(ONE_LINE) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    for row in texts:
        print(
            "  ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True)).rstrip()
        )


def _fancy_table(columns: Sequence[str], rows: Sequence[Row], spare: Sequence[str]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    out = console()
    texts = [[_text(row[at]) for row in rows] for at in range(len(columns))]
    shown = _fitting(columns, texts, out.width, spare)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for at in shown:
        if _is_narrow(texts[at]):
            width = max(map(len, [columns[at], *texts[at]]))
            table.add_column(columns[at], no_wrap=True, min_width=min(width, out.width))
        else:
            table.add_column(columns[at], overflow="fold")
    for row in rows:
        cells = (_cell(row[at]) for at in shown)
        table.add_row(*(Text(text.translate(ONE_LINE), style=style) for text, style in cells))
    out.print(table, crop=False)


def _fitting(
    columns: Sequence[str], texts: Sequence[Sequence[str]], width: int, spare: Sequence[str]
) -> list[int]:
    """Return the places of columns with a text; without spare ones, first to last, if it is tight.

    A list on a narrow terminal is read for its names and errors, which folded to a few characters
    nobody can read.
    """
    shown = [at for at, column in enumerate(texts) if any(column)] or [0]
    for name in spare:
        taken = sum(_wanted(columns[at], texts[at]) + GAP for at in shown)
        if taken <= width:
            break
        shown = [at for at in shown if columns[at] != name]
    return shown


def _wanted(name: str, texts: Sequence[str]) -> int:
    longest = max(map(len, [name, *texts]))
    return longest if _is_narrow(texts) else min(longest, READABLE)


def _is_narrow(texts: Sequence[str]) -> bool:
    """Whether the texts are ids, or so short that folding them would save nothing."""
    return all(len(text) <= NARROW or _ID.fullmatch(text) for text in texts)
