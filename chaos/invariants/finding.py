"""The result of an invariant: the number of things checked, and the violations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The number of `checked` objects; each violation is one line with the rows that show it."""

    checked: int
    violations: tuple[str, ...] = ()


def finding(checked: int, violations: Iterable[str]) -> Finding:
    return Finding(checked=checked, violations=tuple(violations))
