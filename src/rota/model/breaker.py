"""A circuit: where the breaker of a job stands, and what it is judged by.

The rule is `Breaker` in model.spec; what follows from both is decided in rules.failures.breaker.
"""

from __future__ import annotations

from typing import Literal

import msgspec

CircuitState = Literal["closed", "open", "half_open"]
ProbeFate = Literal["waits", "good", "bad", "gone"]
"""A probe waits in its queue or runs; ended well or badly; or left without having been tried."""


class Circuit(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a job's breaker; runs are held back unless it is closed."""

    state: CircuitState = "closed"
    turn: int = 0
    """Grows with each change; guards the change, and tallies of older turns do not count."""
    opened_at: int | None = None
    probe_at: int | None = None
    """When a probe may go, while open."""
    cools: int = 0
    """Probes in a row that ended badly; each doubles the wait for the next."""
    stays: bool = False
    """Open until a person closes it."""
    probe_id: str | None = None
    """The one run that may be claimed, while half open."""
    note: str | None = None


class Tally(msgspec.Struct, frozen=True):
    """Attempts that ended in the bucket of time that starts at `at`."""

    at: int
    good: int
    bad: int


class BreakerView(msgspec.Struct, frozen=True, kw_only=True):
    """A breaker as people see it; `good` and `bad` are of its window, while it is closed."""

    job: str
    state: CircuitState
    rule: str | None
    """As text, such as `50% of 20 in 1m`; None when a person holds a job that has no rule."""
    good: int
    bad: int
    held: int
    """Queued runs that are not handed out."""
    opened_at: int | None
    probe_at: int | None
    probe_id: str | None
    stays: bool
    note: str | None
    changed_at: int
    now: int
