"""Sizes: text for people, bytes for machines."""

from __future__ import annotations

import re

from rota.errors import BadOption

_SIZE = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,3})?)\s?([KMGT]?)i?B", re.IGNORECASE)
_STEPS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
_MAX_CHARS = 32


def parse_size(value: str | int) -> int:
    """Return the bytes of `512MB`, `1.5GB` or a number; a KB is 1024 bytes, as for memory."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    is_text = isinstance(value, str) and len(value) <= _MAX_CHARS
    match = _SIZE.fullmatch(str(value).strip()) if is_text else None
    if match is None:
        raise BadOption(f"{value!r:.64} is not a size; write 512MB, 1.5GB or a number of bytes")
    return int(float(match[1]) * 1024 ** _STEPS[match[2].upper()])
