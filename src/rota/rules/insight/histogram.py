"""Histograms of times: counts in steps that grow by 22 %, small enough to keep and to add up."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

STEPS_OF_E = 5
"""As in `count_times`: a step is `floor(5 ln(1 + ms))`."""

Spread = Mapping[int, int]
"""How many times fall into each step."""


def added(spreads: Iterable[Spread]) -> dict[int, int]:
    """All of them together."""
    total: dict[int, int] = {}
    for spread in spreads:
        for step, count in spread.items():
            total[step] = total.get(step, 0) + count
    return total


def quantile_ms(spread: Spread, share: float) -> int | None:
    """The time that this share does not exceed, in the middle of its step; None without any."""
    count = sum(spread.values())
    if not count:
        return None
    wanted, seen = math.ceil(share * count), 0
    for step in sorted(spread):
        seen += spread[step]
        if seen >= wanted:
            break
    return round(math.exp((step + 0.5) / STEPS_OF_E) - 1)
