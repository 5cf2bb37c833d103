"""Holds: what keeps all runs of a job in a queue from being claimed, read once for many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from rota.engine.admission.closed_windows import ClosedWindow, drains
from rota.engine.failures.breakers.control import held_jobs
from rota.engine.identity.namespaces import find_namespace
from rota.engine.insight.reasons import Reason
from rota.engine.workers.registry import WorkerView, workers
from rota.errors import UnknownNamespace
from rota.model.run import RunView
from rota.model.states import State
from rota.rules.text.duration import format_duration
from rota.store.base import Tx


class Holds(msgspec.Struct, frozen=True, kw_only=True):
    """What is the same for all runs of a namespace: who works, what is paused or held back."""

    workers: tuple[WorkerView, ...]
    paused: dict[str, str]
    """Queue to the note of who paused it."""
    held: dict[str, str | None]
    """Job whose breaker is open to the id of its probe."""
    drains: tuple[ClosedWindow, ...] = ()
    quota: Reason | None = None
    """The namespace runs as much as its quota allows."""

    def obstacles(self, *, job: str, queue: str) -> list[Reason]:
        """What keeps every run of a job in a queue from being claimed."""
        found = []
        if job in self.held:
            says = f"the breaker of job {job} is open; see `rota breakers`"
            found.append(Reason(kind="held", says=says))
        if queue in self.paused:
            note = f": {self.paused[queue]}" if self.paused[queue] else ""
            found.append(Reason(kind="paused", says=f"queue {queue} is paused{note}"))
        found += [_window(each) for each in self.drains if each.holds(job=job, queue=queue)]
        found += [self.quota] if self.quota is not None else []
        missing = self._missing(job, queue)
        return [*found, missing] if missing else found

    def is_in_the_way(self, *, job: str, queue: str) -> bool:
        """Whether a worker of this queue may start other runs, and not those of this job."""
        if queue in self.paused:
            return False
        windows = [each for each in self.drains if each.job == job]
        is_closed = any(each.holds(job=job, queue=queue) for each in windows)
        is_known = all(_knows(each, job) for each in self._serving(queue))
        return job in self.held or is_closed or not is_known

    def holds(self, run: RunView) -> bool:
        """Whether a breaker keeps this run from being claimed; its probe is let through."""
        is_queued = run.state is State.QUEUED
        return is_queued and run.job in self.held and self.held[run.job] != run.id

    def able(self, *, job: str, queue: str) -> list[WorkerView]:
        """Live workers that could take the run."""
        return [each for each in self._serving(queue) if _knows(each, job)]

    def _serving(self, queue: str) -> list[WorkerView]:
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


def holds(tx: Tx, *, namespace: str) -> Holds:
    """A few reads that serve for any number of runs."""
    live = tuple(each for each in workers(tx, namespace=namespace) if each.is_alive)
    rows = tx.all("paused_queues", namespace=namespace)
    return Holds(
        workers=live,
        paused={row["name"]: row["note"] or "" for row in rows},
        held=held_jobs(tx, namespace=namespace),
        drains=drains(tx, namespace=namespace),
        quota=_quota(tx, namespace),
    )


def _quota(tx: Tx, namespace: str) -> Reason | None:
    try:
        most = find_namespace(tx, namespace).quotas.running
    except UnknownNamespace:  # one that nobody has put on record has no quotas
        return None
    if most is None:
        return None
    used = tx.all("count_running", namespace=namespace)[0]["runs"]
    if used < most:
        return None
    says = f"namespace {namespace} runs {used} of the {most} runs that its quota allows at once"
    return Reason(kind="quota", says=says, count=most)


def _window(drain: ClosedWindow) -> Reason:
    of = f" of job {drain.job}" if drain.job else ""
    where = f" in queue {drain.queue}" if drain.queue else ""
    note = f": {drain.note}" if drain.note else ""
    says = (
        f"maintenance window {drain.name} lets nothing new{of}{where} start for another "
        f"{seconds(drain.ends_in_ms)}{note}"
    )
    return Reason(kind="window", says=says, until=drain.ends_at)


def _stalled(some: Sequence[WorkerView]) -> Reason:
    """All that could take it fail at each look for runs, and say so themselves."""
    first = min(some, key=lambda each: each.stalled_at or 0)
    since = seconds(max(0, first.now - (first.stalled_at or first.now)))
    says = (
        f"who could take it makes no progress ({counted(some)}): for {since} each claim of worker "
        f"{first.name} fails: {first.stalled_why}; look at its log"
    )
    return Reason(kind="stalled", says=says, count=len(some))


def _knows(worker: WorkerView, job: str) -> bool:
    """A worker of an older version does not say what it knows; it may."""
    return worker.jobs is None or job in worker.jobs


def counted(some: Iterable[WorkerView]) -> str:
    """`1 worker`, `3 workers`."""
    count = len(tuple(some))
    return f"{count} worker{'s' if count > 1 else ''}"


def seconds(ms: int) -> str:
    """Whole seconds from one second up: nobody needs the rest."""
    return format_duration(ms if ms < 1000 else ms // 1000 * 1000)  # noqa: PLR2004  # a second
