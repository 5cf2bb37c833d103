"""Read systemd unit files: sections of keys that may repeat."""

from __future__ import annotations

import re

from rota.errors import BadFile
from rota.rules.jobs.importers.text import TextLine, read_lines

_SECTION = re.compile(r"\[([^\]]+)\]")
_BLANKS = " \t\r"

Unit = dict[str, list[str]]
Sections = dict[str, Unit]


def read_unit(data: bytes, file: str) -> Sections:
    """Return values by section and key, in order; an empty value discards those before it."""
    sections: Sections = {}
    current: Unit | None = None
    for number, line in _whole_lines(read_lines(data, file), file):
        match = _SECTION.fullmatch(line)
        if match:
            current = sections.setdefault(match[1], {})
            continue
        key, is_pair, value = line.partition("=")
        if current is None or not is_pair or not key.strip(_BLANKS):
            raise BadFile(f"{file}:{number}: {line!r:.60} is neither a [Section] nor a Key=value")
        values = current.setdefault(key.strip(_BLANKS), [])
        if value.strip(_BLANKS):
            values.append(value.strip(_BLANKS))
        else:
            values.clear()
    return sections


def _whole_lines(lines: list[TextLine], file: str) -> list[tuple[int, str]]:
    """Return the lines without comments, continued ones joined; comments may have any encoding."""
    whole: list[tuple[int, str]] = []
    joined, start = "", 0
    for line in lines:
        text = line.text.strip(_BLANKS)
        if text.startswith(("#", ";")) or (not text and not joined):
            continue
        if not line.is_utf8:
            raise BadFile(f"{file}:{line.number}: not UTF-8 text")
        start = start if joined else line.number
        if text.endswith("\\"):
            joined += text[:-1] + " "
            continue
        whole.append((start, (joined + text).strip(_BLANKS)))
        joined = ""
    if joined:
        whole.append((start, joined.strip(_BLANKS)))
    return [each for each in whole if each[1]]
