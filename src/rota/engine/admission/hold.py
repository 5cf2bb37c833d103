"""A hold: one way in which runs are kept from starting, with all its functions and texts.

The list of all holds is in `mechanisms.py`. Claims, `rota why`, the obstacles in lists of runs, the
limits of a queue and the documentation read that list and name no hold themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import msgspec

from rota.model.admission.queue import QueueLimit
from rota.model.runs.reason import Kind, Reason
from rota.model.runs.run import Lease, RunView, Verdict
from rota.rules.admission.lanes import Lanes
from rota.store.base import Tx

Shut = tuple[str | None, str | None]
"""A job and a queue from which nothing may start now; None stands for every job or queue."""


class Wanted(msgspec.Struct, kw_only=True):
    """The runs that a worker wants to claim; holds remove from it what may not start."""

    namespace: str
    worker_id: str
    limit: int
    """The maximum number of runs."""
    is_ahead: bool
    """Whether the worker claims beyond its free slots, so that the runs do not begin yet."""
    jobs: dict[str, Sequence[str]]
    """The jobs that may start from each queue, in the order of the claim."""
    jobs_text: str
    """A JSON list of all jobs, for a claim from which nothing was removed."""
    is_narrowed: bool = False
    lanes: Lanes
    shut: Collection[Shut] = ()
    has_quota: bool = False
    """Whether a quota limits how many runs of the namespace are carried out at once."""
    max_runs: Mapping[str, int] = {}
    """The graphs with a limit on the runs under way at once, with that limit."""

    def leave_out(self, job: str | None, queue: str | None = None) -> None:
        """Leave this job in this queue out of the claim; None stands for every job or queue."""
        self.is_narrowed = True
        for each, names in self.jobs.items():
            if queue in (None, each):
                self.jobs[each] = [] if job is None else [name for name in names if name != job]


class ActiveHold:
    """The state of a hold in one namespace, read once for any number of runs."""

    def reasons(self, *, job: str, queue: str) -> list[Reason]:
        """Return why this hold keeps every run of a job in a queue waiting; mostly empty."""
        raise NotImplementedError

    def is_of_job(self, *, job: str, queue: str) -> bool:
        """Whether the hold keeps runs of this job back while others of the queue may start."""
        del job, queue
        return False

    def is_of_queue(self, queue: str) -> bool:
        """Whether the queue starts nothing at all until a person allows it."""
        del queue
        return False

    def marks(self, run: RunView) -> bool:
        """Whether people see this run as held."""
        del run
        return False


class Hold(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of hold. A field is None where the hold has no part in that step."""

    name: str
    reason: Kind
    """The kind of the reason that `rota why` gives for it."""
    keeps: str
    """The runs that it keeps back, for the documentation."""
    until: str
    """The change that frees them, for the documentation."""
    asked: tuple[str, ...]
    """The code that checks it: statements by name, functions as `module.name` within the engine."""
    released_by: tuple[str, ...]
    """The functions that free its runs; empty if claims merely find the hold gone."""
    needs: str | None = None
    """The fact without which a claim cannot meet this hold, and does not check it: a field of
    `Wanted` for a hold that narrows claims, of `ClaimFacts` for one that holds runs back."""
    narrow: Callable[[Tx, Wanted], None] | None = None
    """Removes from a claim what may not start."""
    hold_back: Callable[[Tx, Sequence[Lease], str], list[Lease]] | None = None
    """Makes claimed runs of a namespace wait; returns the leases that may start."""
    is_freed_by: Callable[[Verdict], bool] | None = None
    """Whether the end of a run may free others; plain successes are watched for nothing."""
    free: Callable[[Tx, Sequence[Verdict], str], None] | None = None
    """Lets runs start that waited for the end of these; in the transaction that ends them."""
    active: Callable[[Tx, str], ActiveHold | None] | None = None
    """Reads its state in a namespace; None if it holds nothing back there."""
    stuck: Callable[[Tx, Collection[str], str], set[str]] | None = None
    """Returns which of these jobs can start no run now; for a hold that is not `active`."""
    why: Callable[[Tx, RunView, str], list[Reason]] | None = None
    """Returns why this pending or queued run waits; empty if this hold is not the cause."""
    limits: Callable[[Tx, str, str], Iterable[QueueLimit]] | None = None
    """Returns what it means for a queue, for the page of the queue."""
