"""A hold: one way in which runs are kept from starting, and everything that is to be known of it.

The list of all holds is in `mechanisms.py`. Claims, `rota why`, the obstacles in lists of runs, the
limits of a queue and the documentation read that list and name no hold themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from rota.model.admission.queue import QueueLimit
from rota.model.run import Lease, RunView
from rota.model.runs.reason import Kind, Reason
from rota.rules.admission.lanes import Lanes
from rota.store.base import Tx

HoldName = Literal[
    "breaker", "queue pause", "maintenance window", "quota", "graph pause", "dependencies",
    "graph runs", "overlap",
]  # fmt: skip
Fact = Literal["shut", "has_quota", "max_runs", "dependents"]
"""What a worker knows of holds and tells with its claim; a field of `Wanted`."""
Shut = tuple[str | None, str | None]
"""A job and a queue of which nothing may start now; None stands for all of them."""


class Wanted(msgspec.Struct, kw_only=True):
    """What a worker wants to claim; holds take away from it what may not start."""

    namespace: str
    worker_id: str
    limit: int
    """How many runs at most."""
    is_ahead: bool
    """More than the worker has free slots: they have not begun yet."""
    jobs: dict[str, Sequence[str]]
    """By queue, in the order of the claim, the jobs that may start from it."""
    jobs_text: str
    """A JSON list of all jobs, for a claim from which nothing was taken away."""
    is_narrowed: bool = False
    lanes: Lanes
    shut: Collection[Shut] = ()
    has_quota: bool = False
    """Only so many runs of the namespace may be carried out at once."""
    max_runs: Mapping[str, int] = {}
    """Graphs of which only so many runs may be under way at once."""
    dependents: Collection[str] = ()
    """Jobs that depend on others."""

    def leave_out(self, job: str | None, queue: str | None = None) -> None:
        """Claim nothing of this job from this queue; None stands for all of them."""
        self.is_narrowed = True
        for each, known in self.jobs.items():
            if queue in (None, each):
                self.jobs[each] = [] if job is None else [name for name in known if name != job]


class ActiveHold:
    """A hold as it is now in one namespace, read once for any number of runs."""

    def reasons(self, *, job: str, queue: str) -> list[Reason]:
        """What every run of a job in a queue waits for because of it; mostly nothing."""
        raise NotImplementedError

    def is_of_job(self, *, job: str, queue: str) -> bool:
        """Whether it holds runs of this job back while others of the queue may start."""
        del job, queue
        return False

    def is_of_queue(self, queue: str) -> bool:
        """Whether nothing at all starts from the queue until a person says so."""
        del queue
        return False

    def marks(self, run: RunView) -> bool:
        """Whether people are shown this very run as held."""
        del run
        return False


class Hold(msgspec.Struct, frozen=True, kw_only=True):
    """One mechanism. What it has no part in is None."""

    name: HoldName
    reason: Kind
    """The kind of the reason that `rota why` gives for it."""
    keeps: str
    """What it keeps back, for the documentation."""
    until: str
    """What frees it, for the documentation."""
    asked: tuple[str, ...]
    """Who asks it: statements by name, functions as `module.name` within the engine."""
    released: tuple[str, ...]
    """The functions that free it; empty if claims just find it gone."""
    needs: Fact | None = None
    """The fact without which a claim cannot meet this hold, so that it is not asked."""
    narrow: Callable[[Tx, Wanted], None] | None = None
    """Takes away from a claim what may not start."""
    hold_back: Callable[[Tx, Sequence[Lease], Wanted], list[Lease]] | None = None
    """Makes runs wait that were claimed; gives the leases that may start."""
    active: Callable[[Tx, str], ActiveHold | None] | None = None
    """Reads how it is now in a namespace; None if it holds nothing back there."""
    stuck: Callable[[Tx, Collection[str], str], set[str]] | None = None
    """Of these jobs, those of which no run may start now; for a hold that is not `active`."""
    why: Callable[[Tx, RunView, str], list[Reason]] | None = None
    """Why this very run waits, pending or queued; nothing if that is not because of it."""
    limits: Callable[[Tx, str, str], Iterable[QueueLimit]] | None = None
    """What it means for a queue, for the page of the queue."""
