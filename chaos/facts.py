"""The remains of a chaos run, as plain facts for the checker."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from chaos.calllog import Logged


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A row of history."""

    run_id: str
    job: str
    state: str
    attempt: int
    failures: int
    crashes: int
    fence: int
    started_ms: int | None
    finished_ms: int
    number: int
    planned_failures: int = 0
    """The number of first attempts of a `flaky` run that were meant to fail."""
    key: str | None = None
    result: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """An attempt that did not succeed."""

    run_id: str
    number: int
    fence: int
    kind: str
    worker_id: str | None
    started_ms: int | None
    ended_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A row that a handler wrote, in our transaction or beside a receipt."""

    run_id: str
    fence: int
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """The start of a handler."""

    run_id: str
    fence: int
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The limits of a job."""

    limit: int
    delay_ms: int
    is_transactional: bool = False
    has_receipt: bool = False
    at_most_once: bool = False


@dataclass(frozen=True, kw_only=True)
class Facts:
    """Everything the checker looks at."""

    policies: Mapping[str, Policy]
    ended: list[Ended] = field(default_factory=list)
    live: list[str] = field(default_factory=list)
    """Runs that had not ended when the time to drain was over."""
    tried: list[Tried] = field(default_factory=list)
    effects: list[Written] = field(default_factory=list)
    receipts: list[Written] = field(default_factory=list)
    begun: list[Begun] = field(default_factory=list)
    calls: list[Logged] = field(default_factory=list)
    seen: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Endings that the observer saw during the run: state, fence, time."""
    looks: int = 0
    stuck: list[str] = field(default_factory=list)
    """Live runs that the observer found without a waker."""
    sessions: Mapping[str, int] = field(default_factory=dict)
    """The most sessions that the server held at once for each process, by session name."""
    amnesties: tuple[int, ...] = ()
    """The times at which reaping resumed after a gap."""
    drain_ms: int = 0
    drain_limit_ms: int = 0

    @cached_property
    def by_id(self) -> dict[str, Ended]:
        return {end.run_id: end for end in self.ended}

    @cached_property
    def attempts(self) -> dict[str, list[Tried]]:
        """Failed attempts of each run, by fence."""
        found: dict[str, list[Tried]] = defaultdict(list)
        for each in sorted(self.tried, key=lambda each: each.fence):
            found[each.run_id].append(each)
        return found
