"""Unit files of systemd: sections of keys that may come several times."""

from __future__ import annotations

import re

from rota.errors import BadFile

MAX_BYTES = 1024 * 1024
_SECTION = re.compile(r"\[([^\]]+)\]")

Unit = dict[str, list[str]]


def read_unit(data: bytes, file: str) -> dict[str, Unit]:
    """Values by section and key, in order; an empty one forgets those before it."""
    if len(data) > MAX_BYTES:
        raise BadFile(f"{file}: {len(data):,} bytes are more than {MAX_BYTES:,}")
    sections: dict[str, Unit] = {}
    current: Unit | None = None
    for number, line in _lines(data, file):
        found = _SECTION.fullmatch(line)
        if found:
            current = sections.setdefault(found[1], {})
            continue
        key, is_pair, value = line.partition("=")
        if current is None or not is_pair or not key.strip():
            raise BadFile(f"{file}:{number}: {line!r:.60} is neither a [Section] nor a Key=value")
        values = current.setdefault(key.strip(), [])
        if value.strip():
            values.append(value.strip())
        else:
            values.clear()
    return sections


def _lines(data: bytes, file: str) -> list[tuple[int, str]]:
    """Those that say something, continued ones joined."""
    try:
        raw = data.decode().splitlines()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadFile(f"{file}:{line}: not UTF-8 text") from error
    found: list[tuple[int, str]] = []
    held, start = "", 0
    for number, whole in enumerate(raw, start=1):
        text = whole.strip()
        if text.startswith(("#", ";")) or (not text and not held):
            continue
        start = start if held else number
        if text.endswith("\\"):
            held += text[:-1] + " "
            continue
        found.append((start, (held + text).strip()))
        held = ""
    if held:
        found.append((start, held.strip()))
    return [each for each in found if each[1]]
