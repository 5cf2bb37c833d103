"""Histograms of times in steps that grow by 22 %, small enough to keep and to add up."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

STEPS_OF_E = 5
"""The step of a time is `floor(5 ln(1 + ms))`, which `count_times` uses as well."""

Spread = Mapping[int, int]
"""The number of times in each step."""


def added(spreads: Iterable[Spread]) -> dict[int, int]:
    """Return the sum of several histograms."""
    total: dict[int, int] = {}
    for spread in spreads:
        for step, count in spread.items():
            total[step] = total.get(step, 0) + count
    return total


def quantile_ms(spread: Spread, share: float) -> int | None:
    """Return the middle of the step that this share of times does not exceed; None without any."""
    count = sum(spread.values())
    if not count:
        return None
    rank, below = math.ceil(share * count), 0
    for step in sorted(spread):
        below += spread[step]
        if below >= rank:
            break
    return round(math.exp((step + 0.5) / STEPS_OF_E) - 1)
