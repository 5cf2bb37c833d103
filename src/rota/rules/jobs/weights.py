"""Weights: the shares of a job's runs that go to its versions."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from rota.errors import BadOption
from rota.rules.text.checks import whole_number

MOST = 20
"""The most versions that share the runs of a job."""
HEAVIEST = 1_000_000
_DIGITS = 13
"""Digits of a hexadecimal digest: 52 bits, which a float holds; `rota.point_of` in SQL agrees."""


def check_weights(weights: Mapping[int, int]) -> dict[int, int]:
    """Return the weights in order of versions; no weights end the sharing."""
    if len(weights) > MOST:
        raise BadOption(f"weights: {len(weights)} versions are more than {MOST}")
    for version, weight in weights.items():
        whole_number(f"weights of version {version}", weight, 0, HEAVIEST)
    if weights and not sum(weights.values()):
        raise BadOption("weights: all of them are 0; give one version more, or leave all out")
    return dict(sorted(weights.items()))


def choose(weights: Mapping[int, int], point: float) -> int:
    """Return the version at a point of [0, 1); a version whose weight grows keeps its points."""
    place = point * sum(weights.values())
    for version, weight in weights.items():
        place -= weight
        if place < 0:
            return version
    return max(version for version, weight in weights.items() if weight)


def point_of(text: str) -> float:
    """Return the point of a key in [0, 1): equal keys always go to the same version."""
    digest = hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
    return int(digest, 16) / float(16**_DIGITS)
