"""Values that expressions read and return: their size, and their form as JSON."""

from __future__ import annotations

import math
from typing import Any


def plain(answer: Any, budget: list[int]) -> Any:
    """Convert an answer to JSON piece by piece: a small answer may stand for an endless one."""
    budget[0] -= 1
    if budget[0] < 0:
        raise ValueError("more than fits into an argument")
    value = answer.value()
    if isinstance(value, list):
        return [plain(each, budget) for each in value]
    if isinstance(value, dict):
        return {_key(key, budget): plain(each, budget) for key, each in value.items()}
    return _scalar(value, budget)


def _key(key: object, budget: list[int]) -> str:
    if not isinstance(key, str):
        raise ValueError(f"an object with the key {key!r:.40}, which is no text")  # noqa: TRY004
    budget[0] -= len(key)
    return key


def _scalar(value: Any, budget: list[int]) -> Any:
    if isinstance(value, str):
        budget[0] -= len(value)
        return value
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise ValueError(f"{value!r:.40}, which JSON cannot hold; use string(...)")


def size(value: Any) -> int:
    """Return the number of characters and values in total."""
    if isinstance(value, dict):
        return 1 + sum(len(key) + size(each) for key, each in value.items())
    if isinstance(value, list):
        return 1 + sum(map(size, value))
    return 1 + len(value) if isinstance(value, str) else 1


def longest(kind: type[str | list[Any]], value: Any) -> int:
    """Return the length of the longest text or list in the value."""
    own = len(value) if isinstance(value, kind) else 0
    if isinstance(value, dict):
        return max((longest(kind, each) for each in (*value, *value.values())), default=0)
    if isinstance(value, list):
        return max(own, *(longest(kind, each) for each in value), 0)
    return own


def zero_in(value: Any) -> str | None:
    """Return the path to a text or key with a zero character; None if there is none."""
    if isinstance(value, str):
        return "" if "\0" in value else None
    parts: Any = ()
    if isinstance(value, dict):
        for key in value:
            if isinstance(key, str) and "\0" in key:
                return f"[{key!r}]"
        parts = value.items()
    elif isinstance(value, list | tuple):
        parts = enumerate(value)
    for key, each in parts:
        if (place := zero_in(each)) is not None:
            return f"[{key!r}]{place}"
    return None
