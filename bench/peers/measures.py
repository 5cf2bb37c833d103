"""The measures: the name and meaning of each, and which direction is better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

WORKERS = 2
SINGLE_SUBMITS = 2_000
LATENCY_SUBMITS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One column of the table; its name is the key in the JSON file."""

    name: str
    heading: str
    meaning: str
    more_is_better: bool = True


MEASURES = (
    Measure(
        name="submit_one",
        heading="submit/s\none by one",
        meaning=f"{SINGLE_SUBMITS:,} submits, one thread, no worker running",
    ),
    Measure(
        name="submit_bulk",
        heading="submit/s\nbulk",
        meaning="calls of 1,000 jobs each, where the peer has a bulk call",
    ),
    Measure(
        name="drain",
        heading="drain/s",
        meaning="backlog of the two above, from the first completion to the last",
    ),
    Measure(
        name="end_to_end",
        heading="end to\nend/s",
        meaning="submitted (in bulk where possible) while the workers run, "
        "from the first submit to the last completion",
    ),
    Measure(
        name="latency_p50_ms",
        heading="start p50\nms",
        meaning=f"{LATENCY_SUBMITS} single submits 20 ms apart to idle workers, "
        "from the call of submit to the start of the handler",
        more_is_better=False,
    ),
    Measure(
        name="latency_p99_ms",
        heading="start p99\nms",
        meaning="the same",
        more_is_better=False,
    ),
    Measure(
        name="idle_rss_mb",
        heading="idle RSS\nMB",
        meaning="resident memory of all worker processes after the work, parents included",
        more_is_better=False,
    ),
)


def medians(rounds: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Take the median of each measure over the rounds that have it."""
    names = [measure.name for measure in MEASURES if any(measure.name in one for one in rounds)]
    return {name: median(one[name] for one in rounds if name in one) for name in names}


def ratios(ours: Mapping[str, float], theirs: Mapping[str, float]) -> dict[str, float]:
    """Return how many times better Rota is, by measure; above 1 is in its favour."""
    return {
        m.name: ours[m.name] / theirs[m.name] if m.more_is_better else theirs[m.name] / ours[m.name]
        for m in MEASURES
        if ours.get(m.name) and theirs.get(m.name)
    }
