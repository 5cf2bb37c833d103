"""Compare JSON texts by value."""

from __future__ import annotations

import json
from typing import Any

EXACT = 2**53
"""Up to this number, each whole number has a float of its own."""


def same_json(one: str, other: str) -> bool:
    """Whether both texts hold equal values: keys in any order, and 2 is 2.0; true is not 1."""
    return one == other or _canonical(one) == _canonical(other)


def _canonical(text: str) -> str:
    try:
        value = json.loads(text, parse_float=_number)
        return json.dumps(value, sort_keys=True, separators=(",", ":"))
    except (ValueError, RecursionError):
        return text  # no JSON, or none that we can walk along: the same only as it is written


def _number(text: str) -> Any:
    value = float(text)
    return int(value) if value.is_integer() and abs(value) <= EXACT else value
