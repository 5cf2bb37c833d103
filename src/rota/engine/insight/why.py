"""Why: what keeps a run from running, as reasons with numbers that people can act on."""

from __future__ import annotations

import json
from collections.abc import Sequence

import msgspec

from rota.engine.admission.holds import counted, holds, seconds
from rota.engine.insight.reasons import Reason
from rota.engine.insight.why_graph import Ask, why_graph, why_node, why_not_begun, why_paused
from rota.engine.jobs.definitions import spec_of
from rota.engine.runs.argument_mismatch import why_apart
from rota.engine.runs.find import find, now_ms
from rota.engine.values.stored_text import read
from rota.engine.workers.registry import WorkerView, workers
from rota.errors import BadInput
from rota.model.run import Origin, RunView
from rota.model.spec import PolicyChange, RetryPolicy
from rota.model.states import FINAL, State
from rota.rules.text.duration import format_duration
from rota.store.base import Tx

_policy = msgspec.json.Decoder(PolicyChange)
LONG_MS = 60_000
"""A worker looks once a second: what it has not taken for so long, it does not take."""
COUNTED = 10_000
"""Runs ahead are counted up to here."""
_origin = msgspec.json.Decoder(Origin)


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
        return _ready(tx, run, namespace) or _queued(tx, run, namespace)
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
    blocked = Reason(kind="blocked", says=says, count=row["running"])
    if row["state"] != "paused" or _is_by_hand(run):
        return [blocked]
    note = f": {row['note']}" if row["note"] else ""
    says = f"schedule {row['name']} is paused{note}; resume it"
    return [Reason(kind="paused", says=says), *([blocked] if row["running"] else [])]


def _is_by_hand(run: RunView) -> bool:
    return run.origin is not None and _origin.decode(run.origin).kind == "manual"


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


def _ready(tx: Tx, run: RunView, namespace: str) -> list[Reason]:
    """A worker holds it: it is next there, or goes back into its queue within a moment."""
    holders = [each for each in workers(tx, namespace=namespace) if each.id == run.worker_id]
    if not holders or not holders[0].is_alive:
        return []
    says = f"worker {holders[0].name} holds it ready: it is next when a slot is free there"
    return [Reason(kind="ready", says=says)]


def _scheduled(tx: Tx, run: RunView, namespace: str) -> list[Reason]:
    wait_ms = run.ready_at - now_ms(tx)
    here = holds(tx, namespace=namespace)
    if wait_ms > 0:
        cause = _retry(tx, run, namespace) if run.attempt else "its start was put off"
        says = f"it waits for another {seconds(wait_ms)} ({cause})"
        found = [Reason(kind="waits", says=says, until=run.ready_at)]
    else:
        says = f"its time came {seconds(-wait_ms)} ago; a worker moves it to its queue"
        found = [Reason(kind="overdue", says=says, count=-wait_ms)]
    return found + here.obstacles(job=run.job, queue=run.queue)


def _retry(tx: Tx, run: RunView, namespace: str) -> str:
    policy = _retry_policy(run)
    if policy is None:
        spec = spec_of(tx, run.job, run.version, namespace=namespace)
        policy = spec.retry if spec else None
    limit = f" of {policy.limit}" if policy else ""
    asked_ms = run.error.asked_ms if run.error else 0
    cut = f"; {format_duration(asked_ms)} were asked for, retry_cap allows less" if asked_ms else ""
    return f"retry {run.failures}{limit}{cut}"


def _retry_policy(run: RunView) -> RetryPolicy | None:
    """What the run itself says of retries; nothing if that cannot be read."""
    try:
        change = read(_policy, run.policy, "the policy of the run") if run.policy else None
    except BadInput:
        return None
    return change.retry if change else None


def _queued(tx: Tx, run: RunView, namespace: str) -> list[Reason]:
    here = holds(tx, namespace=namespace)
    found = here.obstacles(job=run.job, queue=run.queue)
    apart = why_apart(tx, run, namespace=namespace)
    if apart:
        found.append(apart)
    ahead = _ahead(tx, run, namespace)
    if ahead:
        found.append(ahead)
    able = here.able(job=run.job, queue=run.queue)
    slots, taken = sum(each.slots for each in able), sum(each.running for each in able)
    if able and taken >= slots:
        says = f"all {slots} slots of the {counted(able)} that could take it are busy"
        found.append(Reason(kind="busy", says=says, count=slots))
    return found or [_next(run, here.able(job=run.job, queue=run.queue), now_ms(tx))]


def _next(run: RunView, able: Sequence[WorkerView], now: int) -> Reason:
    """Nothing keeps it; if that has been so for long, those who should take it are to blame."""
    waited_ms = now - max([run.ready_at, *(each.started_at for each in able)])
    if waited_ms < LONG_MS:
        says = "nothing: it is next, a worker takes it any moment"
        return Reason(kind="ready", says=says)
    says = (
        f"it has been next for {seconds(waited_ms)}, and no worker with a free slot "
        f"({counted(able)}) takes it; look at their logs, or at `rota doctor`"
    )
    return Reason(kind="stalled", says=says, count=len(able))


def _ahead(tx: Tx, run: RunView, namespace: str) -> Reason | None:
    (row,) = tx.all("count_ahead", id=run.id, namespace=namespace, limit=COUNTED + 1)
    count = int(row["runs"])
    if not count:
        return None
    number = f"more than {COUNTED:,}" if count > COUNTED else f"{count:,}"
    says = f"{number} run{'s are' if count > 1 else ' is'} ahead of it in queue {run.queue}"
    return Reason(kind="ahead", says=says, count=count)
