"""Rates: so many in a time, as the distance between two."""

from __future__ import annotations

import pytest

from rota.errors import BadOption
from rota.rules.text.rate import parse_rate


@pytest.mark.parametrize(
    ("text", "gap_ms"),
    [("10/s", 100), ("1/s", 1000), ("90/m", 2000 / 3), ("0.5/s", 2000), (" 2 / h ", 1_800_000),
     ("1 per d", 86_400_000)],
)  # fmt: skip
def test_a_rate_is_a_distance(text: str, gap_ms: float) -> None:
    assert parse_rate(text) == pytest.approx(gap_ms)


@pytest.mark.parametrize("text", ["", "10", "0/s", "-1/s", "10/w", "s/10", "1e9/s", "9" * 70])
def test_a_bad_rate_is_refused(text: str) -> None:
    with pytest.raises(BadOption, match="write 10/s"):
        parse_rate(text)
