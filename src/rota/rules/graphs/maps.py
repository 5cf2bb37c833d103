"""Mapped nodes in numbers: instances, batches and tolerated failures."""

from __future__ import annotations

import re
from typing import NamedTuple

from rota.errors import BadOption

MAX_ITEMS = 100_000
_SHARE = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,6})?)\s?%")


class Tolerance(NamedTuple):
    """Failed instances that do not fail the node: a number, or a share of all."""

    number: int = 0
    share: float = 0.0

    def bears(self, *, failed: int, total: int) -> bool:
        """Whether the node can still succeed; checked after each failure, to end it early."""
        return failed <= max(self.number, int(self.share * total + 1e-9))


def parse_tolerance(value: object) -> Tolerance:
    """Read a tolerance such as `3` or `"5%"`."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_ITEMS:
        return Tolerance(number=value)
    match = _SHARE.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None or float(match[1]) > 100:  # noqa: PLR2004  # per cent
        raise BadOption(f'tolerate={value!r:.64} is not a number of failures, nor "5%" of all')
    return Tolerance(share=float(match[1]) / 100)


def instances(items: int, *, batch: int) -> int:
    """Return the number of instances for a list of this many items."""
    return -(-items // batch)


def batch_of(index: int, *, items: int, batch: int) -> range:
    """Return the positions of the items that one instance gets."""
    return range(index * batch, min(items, (index + 1) * batch))
