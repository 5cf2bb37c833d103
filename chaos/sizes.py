"""The size of a chaos run: work, faults and the settings of its workers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

WORKERS = 4
MOST_OUT = 2
"""Workers that may be stopped, cut off or gone at a time; half of them always continue."""
WIRED_WORKERS = 2
"""Workers that reach PostgreSQL through a proxy that can be cut; so does the first client."""
CLIENTS = 2
FEWEST_FAILOVERS = 3
"""The least number of failovers, as a promoted server must also be failed over from."""


MODES = ("plain", "pooler", "standby")
"""PostgreSQL alone, behind PgBouncer, and with a synchronous standby."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """One chaos run. Faults are counts by kind (`chaos.faults`); times are seconds."""

    jobs: int
    faults: Mapping[str, int]
    pause_s: tuple[float, float]
    """The range of pauses between two faults."""
    lease_ms: int
    worker: Mapping[str, Any] = field(default_factory=dict)
    """Options of workers; empty means `rota worker` with its defaults and 16 slots."""
    look_s: float = 1.0
    """Seconds between two looks of the observer."""
    drain_s: float = 90.0
    """After the last fault everything must have ended within this and two leases."""
    has_pooler: bool = False
    """Whether all processes reach PostgreSQL through PgBouncer, which is killed as well."""
    has_standby: bool = False
    """Whether PostgreSQL has a synchronous standby, which takes over repeatedly."""

    def scaled(self, jobs: int) -> Sizes:
        """Return sizes for another number of jobs, with faults in proportion."""
        share = jobs / self.jobs
        faults = {kind: max(1, round(count * share)) for kind, count in self.faults.items()}
        return replace(self, jobs=jobs, faults=MappingProxyType(faults))

    def in_mode(self, mode: str) -> Sizes:
        """Return sizes for one of the `MODES`, with the faults that belong to it."""
        if mode == "pooler":
            return self.behind_pooler()
        return self.with_standby() if mode == "standby" else self

    def behind_pooler(self) -> Sizes:
        """Return sizes for a run through PgBouncer, which is killed as often as PostgreSQL."""
        faults = {**self.faults, "crash_pooler": self.faults["crash_postgres"]}
        return replace(self, faults=MappingProxyType(faults), has_pooler=True)

    def with_standby(self) -> Sizes:
        """Return sizes with a synchronous standby: several failovers, and commits that hang."""
        often = max(FEWEST_FAILOVERS, self.faults["crash_postgres"])
        faults = {**self.faults, "fail_over": often, "silence_standby": -(-often // 2)}
        return replace(self, faults=MappingProxyType(faults), has_standby=True)


SHORT = Sizes(
    jobs=5_000,
    faults=MappingProxyType(
        {
            "kill_worker": 12,
            "kill_child": 8,
            "vanish": 2,
            "stop_worker": 10,
            "pause_worker": 8,
            "kill_client": 4,
            "crash_postgres": 3,
            "cut": 4,
            "silence": 2,
            "restart_worker": 3,
        }
    ),
    pause_s=(0.5, 1.3),
    lease_ms=3_000,
    worker=MappingProxyType(
        {
            "lease_ms": 3_000,
            "heartbeat_ms": 600,
            "margin_ms": 800,
            "grace_ms": 800,
            "poll_ms": 300,
            "drain_ms": 4_000,
        }
    ),
)

# With the settings that people have: a stop past the lease takes more than 20 s.
LONG = Sizes(
    jobs=250_000,
    faults=MappingProxyType(
        {
            "kill_worker": 200,
            "kill_child": 160,
            "vanish": 20,
            "stop_worker": 50,
            "pause_worker": 160,
            "kill_client": 40,
            "crash_postgres": 40,
            "cut": 60,
            "silence": 20,
            "restart_worker": 30,
        }
    ),
    pause_s=(0.8, 2.6),
    lease_ms=20_000,
    look_s=5.0,
    drain_s=180.0,
)
