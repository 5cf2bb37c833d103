"""Keys of JSON objects, each once.

Of a key that is given twice, one reader takes the first value and another the last: whoever checks
a document and whoever acts on it must not differ. So nobody guesses which one was meant.
"""

from __future__ import annotations

import json
from typing import Any

from rota.errors import BadInput


class _Twice(Exception):
    """Out of the reader, with the key."""


def check_keys(text: bytes | str) -> None:
    """BadInput names a key that an object has twice; a text that is no JSON passes."""
    try:
        _reader.decode(text if isinstance(text, str) else text.decode())
    except _Twice as twice:
        raise BadInput(f"the key {twice.args[0]!r:.80} is given twice in one object") from None
    except (ValueError, RecursionError):
        return  # whoever reads it says what is wrong


def _check(pairs: list[tuple[str, Any]]) -> None:
    if len(dict(pairs)) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _Twice(key)
            seen.add(key)


_reader = json.JSONDecoder(object_pairs_hook=_check, parse_int=float, strict=False)
"""Makes nothing of what it reads; numbers may have any length."""
