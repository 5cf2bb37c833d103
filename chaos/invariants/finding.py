"""What an invariant says: how many things it looked at, and which of them break it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """`checked` objects; each violation is one line with the rows that show it."""

    checked: int
    violations: tuple[str, ...] = ()


def finding(checked: int, violations: Iterable[str]) -> Finding:
    return Finding(checked=checked, violations=tuple(violations))
