"""Sizes: text for people, bytes for machines."""

from __future__ import annotations

import re

from rota.errors import BadOption

_SIZE = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,3})?)\s?([KMGT]?)i?B", re.IGNORECASE)
_STEPS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
_MAX_CHARS = 32


def parse_size(given: str | int) -> int:
    """Return the bytes of `512MB`, `1.5GB` or a number; a KB is 1024 bytes, as for memory."""
    if isinstance(given, int) and not isinstance(given, bool) and given >= 0:
        return given
    is_text = isinstance(given, str) and len(given) <= _MAX_CHARS
    found = _SIZE.fullmatch(str(given).strip()) if is_text else None
    if found is None:
        raise BadOption(f"{given!r:.64} is not a size; write 512MB, 1.5GB or a number of bytes")
    return int(float(found[1]) * 1024 ** _STEPS[found[2].upper()])
