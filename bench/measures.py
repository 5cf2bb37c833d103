"""The measures: their names, their units, and the promise for each store."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Literal, Protocol

StoreName = Literal["sqlite", "postgres"]
Figures = dict[str, float]
STORES: tuple[StoreName, ...] = ("sqlite", "postgres")


class Subject(Protocol):
    """A subject of measurement: the bare database or Rota, each on its own store."""

    def submit_single_1(self) -> Figures: ...
    def submit_single_8(self) -> Figures: ...
    def submit_bulk(self) -> Figures: ...
    def drain(self) -> Figures: ...
    def end_to_end(self) -> Figures: ...
    def latency(self) -> Figures: ...
    def close(self) -> None: ...


STEPS = (
    "latency",
    "submit_single_1",
    "submit_single_8",
    "submit_bulk",
    "drain",
    "end_to_end",
)
"""The order of measures: idle comes before the bursts, after which PostgreSQL still tidies up, and
the runs that are submitted singly and in bulk are the backlog that is drained later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A promise; `of_limit` compares with the raw limit of the same run."""

    at_least: float | None = None
    at_most: float | None = None
    of_limit: float | None = None

    def is_met(self, value: float, limit: float | None) -> bool:
        """Whether all parts hold; a part that needs an unmeasured limit holds."""
        return (
            (self.at_least is None or value >= self.at_least)
            and (self.at_most is None or value <= self.at_most)
            and self.keeps_ratio(value, limit)
        )

    def keeps_ratio(self, value: float, limit: float | None) -> bool:
        """Whether the part holds that does not depend on the speed of the machine."""
        return self.of_limit is None or not limit or value / limit >= self.of_limit

    def __str__(self) -> str:
        parts = (
            None if self.at_least is None else f">= {self.at_least:,g}",
            None if self.at_most is None else f"<= {self.at_most:,g}",
            None if self.of_limit is None else f">= {self.of_limit:g} of limit",
        )
        return ", ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One line of the table; the name is the key in the JSON file."""

    name: str
    title: str
    targets: Mapping[StoreName, Target] = field(default_factory=dict)
    stores: tuple[StoreName, ...] = STORES
    is_ratio: bool = False
    """Whether its value is a ratio, and so independent of the speed of the machine."""


def _both(target: Target) -> dict[StoreName, Target]:
    return {"sqlite": target, "postgres": target}


MEASURES = (
    Measure(name="submit_single_1", title="single submit/s, 1 thread"),
    Measure(
        name="submit_single_8",
        title="single submit/s, 8 threads",
        targets=_both(Target(of_limit=0.5)),
    ),
    Measure(name="submit_bulk", title="bulk submit/s", targets=_both(Target(at_least=50_000))),
    Measure(name="drain", title="drain/s"),
    Measure(
        name="end_to_end",
        title="end to end/s",
        targets={
            "sqlite": Target(at_least=15_000, of_limit=0.3),
            "postgres": Target(of_limit=0.6),
        },
    ),
    Measure(
        name="latency_p50_ms",
        title="submit to start, idle, p50 ms",
        targets={"sqlite": Target(at_most=1), "postgres": Target(at_most=2)},
    ),
    Measure(
        name="latency_p99_ms",
        title="submit to start, idle, p99 ms",
        targets={"sqlite": Target(at_most=4), "postgres": Target(at_most=6)},
    ),
    Measure(name="urgent_wait_ms", title="urgent behind 1,000 slow runs of 100 ms: waits, ms"),
    Measure(
        name="urgent_turns",
        title="that in slow runs",
        targets=_both(Target(at_most=2)),
        is_ratio=True,
    ),
    *(
        measure
        for kind, title in {
            "unknown": "1 M runs of an unknown job in front",
            "breaker": "1 M behind a breaker in front",
            "window": "1 M in a maintenance window in front",
            "max_runs": "1 M of a graph at its max_runs in front",
        }.items()
        for measure in (
            Measure(
                name=f"blocked_{kind}",
                title=f"{title}: others, beside an empty queue",
                targets=_both(Target(at_least=0.95)),
                is_ratio=True,
            ),
            Measure(name=f"blocked_{kind}_s", title="out of the way after, s"),
        )
    ),
    Measure(name="claim_empty", title="claim + finish/s, empty tables"),
    Measure(name="claim_full", title="claim + finish/s, full tables"),
    Measure(
        name="claim_ratio",
        title="full / empty",
        targets=_both(Target(at_least=0.9)),
        is_ratio=True,
    ),
    Measure(
        name="cold_start_s",
        title="rota up: start to first job, s",
        targets=_both(Target(at_most=1.2)),
    ),
    Measure(name="logging", title="end to end/s in one process, 5 log lines a run"),
    Measure(
        name="logging_kept",
        title="of that without lines",
        targets=_both(Target(at_least=0.8)),
        is_ratio=True,
    ),
    # Of the whole: its four processes are forked, and RSS counts what they share four times.
    Measure(
        name="memory_pss_mb",
        title="rota up: idle memory, PSS MB",
        targets=_both(Target(at_most=110)),
    ),
    Measure(name="memory_rss_mb", title="sum of the RSS of its processes, MB"),
    Measure(
        name="second_p50_ms",
        title="every second: lateness p50 ms",
        targets=_both(Target(at_most=2)),
    ),
    Measure(
        name="second_p99_ms",
        title="every second: lateness p99 ms",
        targets=_both(Target(at_most=6)),
    ),
    Measure(name="schedules_stored", title="schedules stored"),
    Measure(
        name="crowd_queued_p50_ms",
        title="1,000 a second beside them: p50 ms",
        targets=_both(Target(at_most=20)),
    ),
    Measure(
        name="crowd_queued_p99_ms",
        title="1,000 a second beside them: p99 ms",
        targets=_both(Target(at_most=250)),
    ),
    Measure(
        name="herd_queued_ms",
        title="10,000 at one instant: queued, ms",
        targets=_both(Target(at_most=2_000)),
    ),
    Measure(
        name="scheduler_idle_percent",
        title="idle scheduler, % of a core",
        targets=_both(Target(at_most=1)),
    ),
    Measure(
        name="graph_check_ms",
        title="check a graph of 1,000 nodes, ms",
        targets=_both(Target(at_most=50)),
    ),
    Measure(
        name="graph_check_large_s",
        title="check a graph of 100,000 nodes, s",
        targets=_both(Target(at_most=2)),
    ),
    Measure(
        name="graph_hop_ms",
        title="chain of 20 nodes, ms a hop",
        targets={"sqlite": Target(at_most=1.5), "postgres": Target(at_most=2)},
    ),
    Measure(
        name="graph_fan_ms",
        title="fan of 200 nodes and a join, ms",
        targets=_both(Target(at_most=80)),
    ),
    Measure(
        name="graph_nodes",
        title="10,000 graphs of 10 nodes: nodes/s",
        targets={"postgres": Target(at_least=4_000)},
    ),
    Measure(
        name="map_s",
        title="map of 100,000 items, s",
        targets=_both(Target(at_most=30)),
    ),
    Measure(name="map_peak_mb", title="the worker at most, RSS MB"),
    Measure(
        name="http_submit",
        title="HTTP: single submit/s, 16 connections",
        targets=_both(Target(at_least=1_500)),
    ),
    Measure(
        name="http_submit_p99_ms",
        title="HTTP: single submit, p99 ms",
        targets=_both(Target(at_most=50)),
    ),
    Measure(
        name="http_bulk",
        title="HTTP: bulk submit, runs/s",
        targets=_both(Target(at_least=20_000)),
    ),
    Measure(
        name="http_read",
        title="HTTP: status reads/s",
        targets=_both(Target(at_least=2_500)),
    ),
    Measure(
        name="http_page_ms",
        title="HTTP: filtered page, full tables, ms",
        targets=_both(Target(at_most=100)),
    ),
    Measure(name="stream_p50_ms", title="200 stream readers: change seen, p50 ms"),
    Measure(
        name="stream_max_ms",
        title="200 stream readers: change seen, last ms",
        targets=_both(Target(at_most=500)),
    ),
    Measure(name="direct_end_to_end", title="two worker processes: end to end/s"),
    Measure(name="remote_end_to_end", title="the same through one server: end to end/s"),
    Measure(name="remote_kept", title="of that with a database", is_ratio=True),
    Measure(name="direct_latency_p50_ms", title="one worker process: submit to start, p50 ms"),
    Measure(name="direct_latency_p99_ms", title="one worker process: submit to start, p99 ms"),
    Measure(name="remote_latency_p50_ms", title="the same through a server: p50 ms"),
    Measure(name="remote_latency_p99_ms", title="the same through a server: p99 ms"),
    Measure(name="pooled_end_to_end", title="behind PgBouncer: end to end/s", stores=("postgres",)),
    Measure(name="pooled_kept", title="of that without it", stores=("postgres",), is_ratio=True),
    Measure(
        name="pooled_latency_p50_ms",
        title="behind PgBouncer: submit to start, p50 ms",
        stores=("postgres",),
        targets={"postgres": Target(at_most=50)},
    ),
    Measure(
        name="pooled_latency_p99_ms",
        title="behind PgBouncer: submit to start, p99 ms",
        stores=("postgres",),
    ),
)


def medians(rounds: Sequence[Figures]) -> Figures:
    """Return the median of each measure over the rounds that have it."""
    names = {name for figures in rounds for name in figures}
    return {
        measure.name: median(figures[measure.name] for figures in rounds if measure.name in figures)
        for measure in MEASURES
        if measure.name in names
    }


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that this share of all values does not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def latency_figures(waits_ns: Sequence[float]) -> Figures:
    return {
        "latency_p50_ms": percentile(waits_ns, 0.5) / 1e6,
        "latency_p99_ms": percentile(waits_ns, 0.99) / 1e6,
    }
