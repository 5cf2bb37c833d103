"""Render figures in the text format of Prometheus (version 0.0.4)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from rota.rules.insight.histogram import STEPS_OF_E, Spread

MEDIA_TYPE = "text/plain; version=0.0.4"
Labels = Mapping[str, str]
BOUNDS_MS = tuple(
    round(1000 * mantissa * 10**power) for power in range(-2, 5) for mantissa in (1, 2.5, 5)
)
"""The bounds of histograms: 10 ms to 14 hours, as finely as steps of 22 % allow."""


class Sample(NamedTuple):
    """One line; the suffix names a part of a histogram."""

    labels: Labels
    value: float
    suffix: str = ""


class Family(NamedTuple):
    """All lines of one metric name."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    about: str
    samples: Sequence[Sample]


def render(families: Iterable[Family]) -> str:
    """Return the whole page; a family without lines is left out."""
    return "".join(f"{line}\n" for each in families if each.samples for line in _lines(each))


def histogram(labels: Labels, spread: Spread, sum_ms: float | None = None) -> list[Sample]:
    """Return the histogram of times in seconds; each time counts as the middle of its step."""
    middles = {step: math.exp((step + 0.5) / STEPS_OF_E) - 1 for step in spread}
    samples = [
        Sample(
            {**labels, "le": f"{bound / 1000:g}"},
            sum(spread[step] for step, middle in middles.items() if middle <= bound),
            "_bucket",
        )
        for bound in BOUNDS_MS
    ]
    count = sum(spread.values())
    if sum_ms is None:
        sum_ms = sum(spread[step] * middle for step, middle in middles.items())
    ends = Sample({**labels, "le": "+Inf"}, count, "_bucket")
    return [*samples, ends, Sample(labels, sum_ms / 1000, "_sum"), Sample(labels, count, "_count")]


def _lines(family: Family) -> Iterator[str]:
    yield f"# HELP {family.name} {_escaped(family.about)}"
    yield f"# TYPE {family.name} {family.kind}"
    for labels, value, suffix in family.samples:
        said = ",".join(f'{key}="{_quoted(text)}"' for key, text in labels.items())
        yield f"{family.name}{suffix}{{{said}}} {_number(value)}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _quoted(text: str) -> str:
    return _escaped(text).replace('"', '\\"')


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(round(value, 6))
