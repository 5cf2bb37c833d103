"""The obstacles that keep runs from being claimed, read once for many runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from rota.engine.admission.hold import ActiveHold
from rota.engine.admission.mechanisms import HOLDS
from rota.engine.insight.reasons import seconds
from rota.engine.workers.registry import WorkerRecord, workers
from rota.model.runs.reason import Reason
from rota.model.runs.run import RunView
from rota.store.base import Tx


class ActiveHolds(msgspec.Struct, frozen=True, kw_only=True):
    """The workers and active holds of a namespace, which are the same for all its runs."""

    workers: tuple[WorkerRecord, ...]
    active: tuple[ActiveHold, ...]

    def reasons(self, *, job: str, queue: str) -> list[Reason]:
        """Return what keeps every run of a job in a queue from being claimed."""
        found = [reason for hold in self.active for reason in hold.reasons(job=job, queue=queue)]
        missing = self._missing(job, queue)
        return [*found, missing] if missing else found

    def is_in_the_way(self, *, job: str, queue: str) -> bool:
        """Whether a worker of this queue may start other runs but none of this job."""
        if any(hold.is_of_queue(queue) for hold in self.active):
            return False
        is_held = any(hold.is_of_job(job=job, queue=queue) for hold in self.active)
        return is_held or not all(_knows(each, job) for each in self._serving(queue))

    def is_held(self, run: RunView) -> bool:
        """Whether people see this run as held."""
        return any(hold.marks(run) for hold in self.active)

    def able(self, *, job: str, queue: str) -> list[WorkerRecord]:
        """Return the live workers that could take a run of this job."""
        return [each for each in self._serving(queue) if _knows(each, job)]

    def _serving(self, queue: str) -> list[WorkerRecord]:
        return [each for each in self.workers if queue in each.queues]

    def _missing(self, job: str, queue: str) -> Reason | None:
        if not self.workers:
            return Reason(kind="no_worker", says="no worker is alive; start one", count=0)
        serving = self._serving(queue)
        if not serving:
            other = ", ".join(sorted({name for each in self.workers for name in each.queues}))
            count = counted(self.workers)
            says = f"no live worker serves queue {queue}; {count} alive, serving {other}"
            return Reason(kind="unserved_queue", says=says, count=len(self.workers))
        knowing = [each for each in serving if _knows(each, job)]
        if not knowing:
            says = (
                f"no live worker knows job {job}: {counted(serving)} in queue {queue}, none has it"
                "; start one with an app that defines it"
            )
            return Reason(kind="unknown_job", says=says, count=len(serving))
        if all(each.is_draining for each in knowing):
            says = f"who could take it is shutting down: {counted(knowing)}"
            return Reason(kind="draining", says=says, count=len(knowing))
        if all(each.stalled_at is not None for each in knowing):
            return _stalled(knowing)
        return None


def active_holds(tx: Tx, *, namespace: str) -> ActiveHolds:
    """Read what holds back runs of a namespace; a few reads serve any number of runs."""
    live = tuple(each for each in workers(tx, namespace=namespace) if each.is_alive)
    readers = [hold.active for hold in HOLDS if hold.active is not None]
    found = [active for read in readers if (active := read(tx, namespace)) is not None]
    return ActiveHolds(workers=live, active=tuple(found))


def _stalled(some: Sequence[WorkerRecord]) -> Reason:
    """Return the reason that every worker that could take the run reports failing claims."""
    first = min(some, key=lambda each: each.stalled_at or 0)
    since = seconds(max(0, first.now - (first.stalled_at or first.now)))
    says = (
        f"who could take it makes no progress ({counted(some)}): for {since} each claim of worker "
        f"{first.name} fails: {first.stalled_why}; look at its log"
    )
    return Reason(kind="stalled", says=says, count=len(some))


def _knows(worker: WorkerRecord, job: str) -> bool:
    """Whether a worker has a job. A worker of an older version does not report its jobs: it may."""
    return worker.jobs is None or job in worker.jobs


def counted(some: Iterable[WorkerRecord]) -> str:
    """Return `1 worker` or `3 workers`."""
    count = len(tuple(some))
    return f"{count} worker{'s' if count > 1 else ''}"
