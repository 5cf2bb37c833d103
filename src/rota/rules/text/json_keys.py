"""Refuse JSON objects with duplicate keys.

For a duplicate key one reader takes the first value and another the last. Code that checks a
document and code that acts on it must not differ, so a duplicate is an error.
"""

from __future__ import annotations

import json
from typing import Any

from rota.errors import BadInput


class _Twice(Exception):
    """Leaves the reader, with the duplicate key."""


def check_keys(text: bytes | str) -> None:
    """Raise BadInput for a duplicate key in an object; text that is not JSON passes."""
    try:
        _reader.decode(text if isinstance(text, str) else text.decode())
    except _Twice as twice:
        raise BadInput(f"the key {twice.args[0]!r:.80} is given twice in one object") from None
    except (ValueError, RecursionError):
        return  # whoever reads it says what is wrong


def _check(pairs: list[tuple[str, Any]]) -> None:
    if len(dict(pairs)) != len(pairs):
        keys: set[str] = set()
        for key, _ in pairs:
            if key in keys:
                raise _Twice(key)
            keys.add(key)


_reader = json.JSONDecoder(object_pairs_hook=_check, parse_int=float, strict=False)
"""Discards the values that it reads; numbers may have any length."""
