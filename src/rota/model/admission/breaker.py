"""A circuit: the state of a job's breaker, and the attempts that it is judged by.

The rule is `Breaker` in model.spec; rules.failures.breaker decides what follows from both.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from rota.clock import Moment
from rota.model.jobs.spec import Breaker
from rota.model.view import Body, View

CircuitState = Literal["closed", "open", "half_open"]
ProbeFate = Literal["waits", "good", "bad", "gone"]
"""The fate of a probe: waiting or running, ended well or badly, or gone without being tried."""


class Circuit(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a job's breaker; runs are held back unless it is closed."""

    state: CircuitState = "closed"
    turn: int = 0
    """Grows with each change; guards the change, and tallies of older turns do not count."""
    opened_at: int | None = None
    probe_at: int | None = None
    """The time when a probe may start, while open."""
    cools: int = 0
    """The number of probes in a row that ended badly; each doubles the wait for the next."""
    stays: bool = False
    """Whether it is open until a person closes it."""
    probe_id: str | None = None
    """The one run that may be claimed, while half open."""
    note: str | None = None


class Tally(msgspec.Struct, frozen=True):
    """The attempts that ended in the bucket of time that starts at `at`."""

    at: int
    good: int
    bad: int


class BreakerBody(Body):
    """When runs are held back: this share of at least so many attempts in a window ended badly."""

    share: float
    least: int
    window: str | float = "1m"
    cool: str | float = "30s"
    cool_cap: str | float = "10m"
    pauses: bool = False

    def rule(self) -> Breaker:
        """In the form that definitions have."""
        return Breaker(**msgspec.structs.asdict(self))


class BreakerView(View, frozen=True):
    """The breaker of a job that has a rule or is held back by hand."""

    job: str
    state: CircuitState
    rule: str | None
    """The rule, such as `50% of 20 in 1m`; None when a person holds a job without one."""
    good: int
    bad: int
    """Attempts in its window that ended well and badly, while it is closed."""
    held: int
    """Queued runs that are not started, among the first 20,000 of the namespace."""
    opened_at: Moment | None
    probe_at: Moment | None
    """When a probe may start, while it is open."""
    probe_id: str | None
    """The run that is the probe, while it is half open."""
    stays: bool
    """Open until a person closes it."""
    note: str | None
    changed_at: Moment
    verbs: tuple[str, ...] = ()
    """The verbs that the caller may use on it now."""


class BreakerChange(View, frozen=True):
    """The change of a breaker by a person."""

    job: str
    state: Literal["open", "closed"]
    changed: bool
    """False when it was so before."""
