"""The order of a queue: a smaller rank goes first, and ties go to the older id."""

from __future__ import annotations

import re

from rota.errors import BadOption
from rota.model.jobs.spec import PRIORITIES

CREDIT_MS = 60_000
"""Milliseconds that one level of priority takes off a run's rank."""

LOWEST, HIGHEST = -100, 100
_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")


def rank_ms(*, ready_at_ms: int, priority: int) -> int:
    """Return the time at which a run became ready, less a credit for each level of priority.

    Nothing starves: a run is overtaken only by runs of higher priority that became ready less than
    CREDIT_MS times the difference in levels later: 20 minutes for `high` over `low`, and never more
    than 200 minutes (3 h 20 min).
    """
    return ready_at_ms - CREDIT_MS * priority


def parse_priority(value: object) -> int:
    """Read a level from -100 to 100, given as a number or as high, medium or low."""
    if isinstance(value, str):
        word = value.strip().lower()
        if word in PRIORITIES:
            return PRIORITIES[word]
        level = int(word) if _NUMBER.fullmatch(word) else None
    else:
        level = value if isinstance(value, int) and not isinstance(value, bool) else None
    if level is None or not LOWEST <= level <= HIGHEST:
        words = ", ".join(PRIORITIES)
        raise BadOption(
            f"priority {value!r:.64} is not one of {words}, nor a number {LOWEST} to {HIGHEST}"
        )
    return level


def priority_name(level: int) -> str:
    """Return the word for a priority level, or the number if the level has no word."""
    return next((word for word, number in PRIORITIES.items() if number == level), str(level))
