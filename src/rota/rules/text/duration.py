"""Durations: text for people, milliseconds for the store."""

from __future__ import annotations

import math
import re
from datetime import timedelta

from rota.errors import BadDuration

UNIT_MS = {
    "w": 7 * 86_400_000,
    "d": 86_400_000,
    "h": 3_600_000,
    "m": 60_000,
    "s": 1_000,
    "ms": 1,
}
MAX_MS = 36_500 * UNIT_MS["d"]
"""A hundred years: anything further is a typing error, and overflows dates."""

_NUMBER = r"[0-9]{1,15}(?:\.[0-9]{1,9})?"
_PARTS = re.compile(
    r"\s*".join(rf"(?:(?P<{unit}>{_NUMBER})\s?{unit}(?![a-z]))?" for unit in UNIT_MS)
)
_PLAIN = re.compile(_NUMBER)
_MAX_CHARS = 64
_FORMS = "write 500ms, 90s, 10m, 1h30m, 7d or 2w, or a number of seconds"


def parse_duration(text: str | float | timedelta) -> int:
    """Return the milliseconds of `500ms`, `90s`, `1h30m`, `2w`, a timedelta or a number of seconds.

    Units go from large to small, each at most once. Finer than a millisecond is rounded; negative,
    endless or more than a hundred years raises BadDuration.
    """
    ms = _parse(text)
    if ms is None or not math.isfinite(ms) or ms < 0:
        raise BadDuration(f"{_shown(text)} is not a duration; {_FORMS}")
    if ms > MAX_MS:
        raise BadDuration(f"{_shown(text)} is longer than a hundred years")
    return round(ms)


def _parse(value: str | float | timedelta) -> float | None:
    if isinstance(value, timedelta):
        return value / timedelta(milliseconds=1)
    if isinstance(value, str):
        return _parse_text(value.strip()) if len(value) <= _MAX_CHARS else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # Bounded before it is multiplied: an int of a thousand digits does not fit a float.
    return max(-1, min(value, MAX_MS)) * 1_000


def _parse_text(text: str) -> float | None:
    if _PLAIN.fullmatch(text):
        return float(text) * 1_000
    match = _PARTS.fullmatch(text)
    if not text or match is None:
        return None
    parts = match.groupdict()
    return sum(float(parts[unit]) * size for unit, size in UNIT_MS.items() if parts[unit])


def _shown(value: object) -> str:
    if isinstance(value, int) and abs(value) > MAX_MS:
        return "a number this large"
    shown = repr(value)
    return shown if len(shown) <= _MAX_CHARS else f"{shown[:_MAX_CHARS]}..."


def format_duration(ms: int) -> str:
    """Return a duration for people, such as `1h 30m` or `250 ms`; parse_duration can read it."""
    parts = []
    for unit in ("d", "h", "m", "s"):
        count, ms = divmod(ms, UNIT_MS[unit])
        if count:
            parts.append(f"{count}{unit}")
    if ms:
        parts.append(f"{ms} ms")
    return " ".join(parts) or "0s"
