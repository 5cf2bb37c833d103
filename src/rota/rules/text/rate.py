"""Rates: text for people, a distance in milliseconds for the store."""

from __future__ import annotations

import re

from rota.errors import BadOption
from rota.rules.text.duration import UNIT_MS

_RATE = re.compile(r"\s*([0-9]{1,9}(?:\.[0-9]{1,3})?)\s*(?:/|per)\s*(s|m|h|d)\s*")


def parse_rate(text: str) -> float:
    """Return the milliseconds between two events at `10/s`, `90/m`, `5/h` or `1/d`."""
    found = _RATE.fullmatch(text)
    many = float(found[1]) if found else 0.0
    if found is None or many <= 0:
        raise BadOption(f"{text!r:.64} is not a rate; write 10/s, 90/m, 5/h or 1/d")
    return UNIT_MS[found[2]] / many
