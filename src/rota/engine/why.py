"""Why: what keeps a run from running, as reasons with numbers that people can act on."""

from __future__ import annotations

import json
from collections.abc import Iterable

import msgspec

from rota.engine.breakers import held_jobs
from rota.engine.drains import Drain, drains
from rota.engine.inspect import find, now_ms
from rota.engine.jobs import spec_of
from rota.engine.reasons import Reason
from rota.engine.why_graph import Ask, why_graph, why_node, why_not_begun, why_paused
from rota.engine.workers import WorkerView, workers
from rota.model.run import RunView
from rota.model.spec import PolicyChange
from rota.model.states import FINAL, State
from rota.rules.duration import format_duration
from rota.store.base import Tx

COUNTED = 10_000
"""Runs ahead are counted up to here."""


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """What is the same for all runs of a namespace: who works, what is paused or held back."""

    workers: tuple[WorkerView, ...]
    paused: dict[str, str]
    """Queue to the note of who paused it."""
    held: dict[str, str | None]
    """Job whose breaker is open to the id of its probe."""
    drains: tuple[Drain, ...] = ()

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
        missing = self._missing(job, queue)
        return [*found, missing] if missing else found

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
            count = _workers(self.workers)
            says = f"no live worker serves queue {queue}; {count} alive, serving {other}"
            return Reason(kind="unserved_queue", says=says, count=len(self.workers))
        knowing = [each for each in serving if _knows(each, job)]
        if not knowing:
            says = (
                f"no live worker knows job {job}: {_workers(serving)} in queue {queue}, none has it"
                "; start one with an app that defines it"
            )
            return Reason(kind="unknown_job", says=says, count=len(serving))
        if all(each.is_draining for each in knowing):
            says = f"who could take it is shutting down: {_workers(knowing)}"
            return Reason(kind="draining", says=says, count=len(knowing))
        return None


def scene(tx: Tx, *, namespace: str) -> Scene:
    """A few reads that serve for any number of runs."""
    live = tuple(each for each in workers(tx, namespace=namespace) if each.is_alive)
    rows = tx.all("paused_queues", namespace=namespace)
    return Scene(
        workers=live,
        paused={row["name"]: row["note"] or "" for row in rows},
        held=held_jobs(tx, namespace=namespace),
        drains=drains(tx, namespace=namespace),
    )


def why(tx: Tx, run_id: str, *, namespace: str) -> list[Reason]:
    """Why the run is not running now, most telling first and never empty; UnknownRun if none."""
    run = find(tx, run_id, namespace=namespace)
    if run.state in FINAL:
        said = f": {run.reason}" if run.reason else ""
        return [Reason(kind="ended", says=f"it has ended as {run.state}{said}")]
    if run.state is State.RUNNING:
        return _running(tx, run, namespace)
    if run.state is State.SCHEDULED:
        return _scheduled(tx, run, namespace)
    if run.state is State.QUEUED:
        return _queued(tx, run, namespace)
    if run.state is State.SUSPENDED:
        return why_graph(tx, run, _asker(tx, namespace), namespace=namespace)
    return _held(tx, run, namespace)


def why_of_node(tx: Tx, run_id: str, node: str, *, namespace: str) -> list[Reason]:
    """The same for a node of a run of a graph, which may have no run yet."""
    run = find(tx, run_id, namespace=namespace)
    return why_node(tx, run, node, _asker(tx, namespace), namespace=namespace)


def _asker(tx: Tx, namespace: str) -> Ask:
    return lambda run_id: why(tx, run_id, namespace=namespace)


def _held(tx: Tx, run: RunView, namespace: str) -> list[Reason]:
    """Pending: for a schedule, for other jobs, for runs of its graph, or because that is paused."""
    if run.parent_id is not None:
        return [why_paused(tx, run.parent_id, namespace=namespace)]
    awaited = tx.one("find_awaited", ids=json.dumps([run.id]))
    if awaited is not None:
        note = awaited["note"] or "jobs it depends on; it is looked at any moment"
        return [Reason(kind="blocked", says=f"it waits for {each}") for each in note.split("; ")]
    if run.fence:
        return why_not_begun(tx, run, namespace=namespace)
    if run.schedule_id is not None:
        return _waiting(tx, run)
    return [Reason(kind="blocked", says=f"it is {run.state}: it waits for another run or an event")]


def _waiting(tx: Tx, run: RunView) -> list[Reason]:
    row = tx.one("why_waiting", id=run.schedule_id)
    if row is None:
        return [Reason(kind="blocked", says="it waits, and its schedule is gone; cancel it")]
    if row["blocked_by"] is not None:
        says = (
            f"schedule {row['name']} keeps strict order and run {row['blocked_by']} has failed; "
            "run that again, or unblock the schedule"
        )
        return [Reason(kind="blocked", says=says)]
    says = f"it waits until other runs of schedule {row['name']} have ended: {row['running']} now"
    return [Reason(kind="blocked", says=says, count=row["running"])]


def _running(tx: Tx, run: RunView, namespace: str) -> list[Reason]:
    holders = [each for each in workers(tx, namespace=namespace) if each.id == run.worker_id]
    found = []
    if run.cancel_requested:
        found.append(Reason(kind="cancel_requested", says="it runs and was asked to stop"))
    if not holders or not holders[0].is_alive:
        says = "its worker is silent; the run is given back within seconds if any worker is alive"
        return [*found, Reason(kind="silent_worker", says=says)]
    says = f"it runs: attempt {run.attempt} on worker {holders[0].name}"
    return [*found, Reason(kind="running", says=says, count=run.attempt)]


def _scheduled(tx: Tx, run: RunView, namespace: str) -> list[Reason]:
    wait_ms = run.ready_at - now_ms(tx)
    here = scene(tx, namespace=namespace)
    if wait_ms > 0:
        cause = _retry(tx, run, namespace) if run.attempt else "its start was put off"
        says = f"it waits for another {_seconds(wait_ms)} ({cause})"
        found = [Reason(kind="waits", says=says, until=run.ready_at)]
    else:
        says = f"its time came {_seconds(-wait_ms)} ago; a worker moves it to its queue"
        found = [Reason(kind="overdue", says=says, count=-wait_ms)]
    return found + here.obstacles(job=run.job, queue=run.queue)


def _retry(tx: Tx, run: RunView, namespace: str) -> str:
    change = msgspec.json.decode(run.policy, type=PolicyChange) if run.policy else None
    policy = change.retry if change else None
    if policy is None:
        spec = spec_of(tx, run.job, run.version, namespace=namespace)
        policy = spec.retry if spec else None
    limit = f" of {policy.limit}" if policy else ""
    return f"retry {run.failures}{limit}"


def _queued(tx: Tx, run: RunView, namespace: str) -> list[Reason]:
    here = scene(tx, namespace=namespace)
    found = here.obstacles(job=run.job, queue=run.queue)
    ahead = _ahead(tx, run, namespace)
    if ahead:
        found.append(ahead)
    able = here.able(job=run.job, queue=run.queue)
    slots, taken = sum(each.slots for each in able), sum(each.running for each in able)
    if able and taken >= slots:
        says = f"all {slots} slots of the {_workers(able)} that could take it are busy"
        found.append(Reason(kind="busy", says=says, count=slots))
    return found or [Reason(kind="ready", says="nothing: it is next, a worker takes it any moment")]


def _ahead(tx: Tx, run: RunView, namespace: str) -> Reason | None:
    (row,) = tx.all("count_ahead", id=run.id, namespace=namespace, limit=COUNTED + 1)
    count = int(row["runs"])
    if not count:
        return None
    number = f"more than {COUNTED:,}" if count > COUNTED else f"{count:,}"
    says = f"{number} run{'s are' if count > 1 else ' is'} ahead of it in queue {run.queue}"
    return Reason(kind="ahead", says=says, count=count)


def _window(drain: Drain) -> Reason:
    of = f" of job {drain.job}" if drain.job else ""
    where = f" in queue {drain.queue}" if drain.queue else ""
    note = f": {drain.note}" if drain.note else ""
    says = (
        f"maintenance window {drain.name} lets nothing new{of}{where} start for another "
        f"{_seconds(drain.ends_in_ms)}{note}"
    )
    return Reason(kind="window", says=says, until=drain.ends_at)


def _knows(worker: WorkerView, job: str) -> bool:
    """A worker of an older version does not say what it knows; it may."""
    return worker.jobs is None or job in worker.jobs


def _workers(some: Iterable[WorkerView]) -> str:
    count = len(tuple(some))
    return f"{count} worker{'s' if count > 1 else ''}"


def _seconds(ms: int) -> str:
    """Whole seconds from one second up: nobody needs the rest."""
    return format_duration(ms if ms < 1000 else ms // 1000 * 1000)  # noqa: PLR2004  # a second
