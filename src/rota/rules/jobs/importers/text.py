"""Read the lines of a file that people wrote by hand on some old machine."""

from __future__ import annotations

from typing import NamedTuple

from rota.errors import BadFile

MAX_BYTES = 1024 * 1024
_BOM = b"\xef\xbb\xbf"
_WIDE = (b"\xff\xfe", b"\xfe\xff")


class TextLine(NamedTuple):
    """One line without its end."""

    number: int
    text: str
    is_utf8: bool
    """False if the bytes are not UTF-8 and were read as Latin-1, which is a guess."""
    had_cr: bool
    """Whether the line ended with CR LF, as on Windows."""


def read_lines(data: bytes, file: str) -> list[TextLine]:
    """Split at line feeds and nowhere else: a form feed is a part of its line.

    One line in an old encoding does not make the others unreadable. A byte order mark is no part of
    the first line.
    """
    if len(data) > MAX_BYTES:
        raise BadFile(f"{file}: {len(data):,} bytes are more than {MAX_BYTES:,}")
    if data.startswith(_WIDE):
        raise BadFile(f"{file}: this is UTF-16; save it as UTF-8")
    result = []
    for number, raw in enumerate(data.removeprefix(_BOM).split(b"\n"), start=1):
        line = raw.removesuffix(b"\r")
        try:
            text, is_utf8 = line.decode(), True
        except UnicodeDecodeError:
            text, is_utf8 = line.decode("latin-1"), False
        result.append(TextLine(number, text, is_utf8, had_cr=line != raw))
    return result
