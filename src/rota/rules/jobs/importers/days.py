"""Day rules: Celery and systemd need both day fields to match, cron needs either."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_LONGEST = 2_000
_STEP = re.compile(r"(.+)/([0-9]{1,4})")


def numbers(
    text: str, low: int, high: int, names: Mapping[str, int] | None = None, *, to: str = "-"
) -> list[int] | None:
    """Return the numbers of a field, None for all; ValueError if it cannot be read.

    Ranges may wrap (`fri-mon`), as Celery allows.
    """
    if text.strip() == "*":
        return None
    if len(text) > _LONGEST:
        raise ValueError(f"{text!r:.40}... is longer than {_LONGEST:,} characters")
    found: set[int] = set()
    for part in text.lower().split(","):
        found |= _part(part.strip(), low, high, names or {}, to)
    return sorted(found)


def _part(part: str, low: int, high: int, names: Mapping[str, int], to: str) -> set[int]:
    stepped = _STEP.fullmatch(part)
    span, step = (stepped[1], int(stepped[2])) if stepped else (part, 1)
    if step == 0:
        raise ValueError(f"{part!r}: a step of zero")
    if span == "*":
        first, last = low, high
    else:
        start, is_range, end = span.partition(to)
        first = _number(start, low, high, names)
        last = _number(end, low, high, names) if is_range else high if stepped else first
    size = high - low + 1
    count = (last - first) % size + 1
    return {low + (first - low + at) % size for at in range(0, count, step)}


def _number(text: str, low: int, high: int, names: Mapping[str, int]) -> int:
    text = text.strip()
    if text in names:
        return names[text]
    if not re.fullmatch(r"[0-9]{1,4}", text) or not low <= int(text) <= high:
        raise ValueError(f"{text!r:.40} is not between {low} and {high}")
    return int(text)


def both_days(
    times: str, days: str, months: str, weekdays: list[int] | None, *, year: str = ""
) -> dict[str, Any]:
    """Return a trigger that fires when both day fields match.

    A cron line fires when either matches, so the firings on other weekdays are removed.
    """
    tail = f" {year}" if year else ""
    if weekdays is None or len(weekdays) == len(WEEKDAYS):
        return {"cron": f"{times} {days} {months} *{tail}"}
    shown = ",".join(WEEKDAYS[day] for day in weekdays)
    if days.startswith("*"):
        return {"cron": f"{times} {days} {months} {shown}{tail}"}
    others = ",".join(WEEKDAYS[day] for day in range(len(WEEKDAYS)) if day not in weekdays)
    return {
        "cron": f"{times} {days} {months} *{tail}",
        "unless": {"cron": f"{times} * {months} {others}{tail}"},
    }
