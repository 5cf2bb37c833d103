"""The amount of work in a benchmark."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

CHUNK = 1_000
"""Runs handed over in one bulk submit, by Rota and by the raw limit alike."""
CLIENTS = 8
"""Threads or connections that submit one run at a time."""
SMALLEST = 100
SMALL = 1_000
"""Bursts below this size only check that everything works, not the speed."""
LEAST = "ROTA_BENCH_LEAST"
"""The variable that sets this least size for benchmarks in separate processes."""
T = TypeVar("T")


def chosen(full: T, quick: T, least: T, *, is_quick: bool) -> T:
    """Return the size for a separate benchmark: full, quick or least."""
    if os.environ.get(LEAST):
        return least
    return quick if is_quick else full


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Counts of one round, and the number of rounds whose median is shown."""

    jobs: int = 40_000
    singles: int = 2_000
    latency: int = 300
    claims: int = 20_000
    backlog: int = 1_000_000
    idle_runs: int = 1_000
    rounds: int = 3

    def changed(self, *, jobs: int | None, rounds: int | None) -> Sizes:
        """Return sizes with other bursts and rounds; smaller bursts shrink all else as well."""
        sizes = self if rounds is None else replace(self, rounds=rounds)
        if jobs is None:
            return sizes
        return replace(
            sizes,
            jobs=jobs,
            singles=min(self.singles, jobs),
            latency=min(self.latency, max(20, jobs // 10)),
            claims=min(self.claims, jobs),
            backlog=min(self.backlog, 25 * jobs),
            idle_runs=min(self.idle_runs, jobs),
        )


FULL = Sizes()
QUICK = Sizes(jobs=10_000, singles=1_000, latency=150, claims=10_000, backlog=100_000, rounds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleSizes:
    """The number of schedules stored and firing, and the time to watch each part."""

    stored: Mapping[str, int]
    """The number of stored schedules, by the store's dialect."""
    seconds: int
    herd: int = 10_000
    """Schedules that are due at one instant."""
    per_second: int = 1_000
    """Firings per second, of the stored schedules."""
    submits: int = 200
    """Plain submits, whose latency stands beside that of a schedule."""
    idle_s: float = 10.0


FULL_SCHEDULES = ScheduleSizes(stored={"postgres": 10_000_000, "sqlite": 1_000_000}, seconds=30)
QUICK_SCHEDULES = ScheduleSizes(
    stored={"postgres": 100_000, "sqlite": 20_000}, seconds=8, submits=50
)
LEAST_SCHEDULES = ScheduleSizes(
    stored={"postgres": 500, "sqlite": 500},
    seconds=2,
    herd=100,
    per_second=50,
    submits=5,
    idle_s=7.0,  # a scheduler with nothing to do looks every 5 s
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowSizes:
    """The number of graphs that run, and the size of the map."""

    graphs: int = 10_000
    rounds: int = 20
    """Chains and fans, one after the other."""
    items: int = 100_000
    checks: int = 20
    """How often a graph is checked; a large one three times at most."""


FULL_FLOWS = FlowSizes()
QUICK_FLOWS = FlowSizes(graphs=100, rounds=3, items=3_000, checks=1)
LEAST_FLOWS = FlowSizes(graphs=10, rounds=1, items=300, checks=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSizes:
    """The number of requests to one server process."""

    singles: int = 20_000
    reads: int = 25_000
    bulks: int = 200
    pages: int = 30
    backlog: int = 1_000_000
    """Future runs, and as many in history, when pages are read."""
    readers: int = 200
    changes: int = 500
    rate: float = 100.0
    """Changes a second while readers listen."""


FULL_HTTP = HttpSizes()
QUICK_HTTP = HttpSizes(singles=3_000, reads=4_000, bulks=30, pages=10, backlog=50_000, changes=100)
LEAST_HTTP = HttpSizes(
    singles=200, reads=200, bulks=2, pages=2, backlog=1_000, readers=20, changes=20
)
