"""Why: the reasons that keep a run from running, with numbers that people can act on."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rota.engine.admission.active_holds import active_holds, counted
from rota.engine.admission.mechanisms import HOLDS
from rota.engine.insight.reasons import seconds
from rota.engine.insight.why_graph import Ask, why_graph, why_node
from rota.engine.jobs.definitions import spec_of
from rota.engine.runs.argument_mismatch import why_apart
from rota.engine.runs.find import find, now_ms
from rota.engine.values.stored_text import error_of, read
from rota.engine.workers.registry import WorkerRecord, workers
from rota.errors import BadInput
from rota.model.jobs.spec import PolicyChange, RetryPolicy
from rota.model.runs.reason import Reason
from rota.model.runs.run import RunView
from rota.model.states import FINAL, State
from rota.rules.text.duration import format_duration
from rota.store.base import Tx

_policy = msgspec.json.Decoder(PolicyChange)
LONG_MS = 60_000
"""A worker looks once a second: it will not take a run that it has left for this long."""
COUNTED = 10_000
"""Runs ahead are counted up to this number."""


def why(tx: Tx, run_id: str, *, namespace: str) -> list[Reason]:
    """Return why a run is not running now, most telling first, never empty; UnknownRun if none."""
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
    """Return why a node of a graph run, which may have no run yet, is not running now."""
    run = find(tx, run_id, namespace=namespace)
    return why_node(tx, run, node, _asker(tx, namespace), namespace=namespace)


def _asker(tx: Tx, namespace: str) -> Ask:
    return lambda run_id: why(tx, run_id, namespace=namespace)


def _held(tx: Tx, run: RunView, namespace: str) -> list[Reason]:
    """Return why a pending run waits, from the hold that knows it."""
    says = f"it is {run.state}: it waits for another run or an event"
    return _why_held(tx, run, namespace) or [Reason(kind="blocked", says=says)]


def _why_held(tx: Tx, run: RunView, namespace: str) -> list[Reason]:
    """Return the reasons of the first hold that keeps this very run, not its job and queue."""
    answers = (hold.why(tx, run, namespace) for hold in HOLDS if hold.why is not None)
    return next((reasons for reasons in answers if reasons), [])


def _running(tx: Tx, run: RunView, namespace: str) -> list[Reason]:
    holders = [each for each in workers(tx, namespace=namespace) if each.id == run.worker_id]
    found = []
    if run.cancel_requested:
        says = "it is running and has been asked to stop"
        found.append(Reason(kind="cancel_requested", says=says))
    if not holders or not holders[0].is_alive:
        says = "its worker no longer answers; if any worker is alive, it is queued again in seconds"
        return [*found, Reason(kind="silent_worker", says=says)]
    says = f"it is running: attempt {run.attempt} on worker {holders[0].name}"
    return [*found, Reason(kind="running", says=says, count=run.attempt)]


def _ready(tx: Tx, run: RunView, namespace: str) -> list[Reason]:
    """Return that a worker holds the run: it is next there, or returns to its queue in a moment."""
    holders = [each for each in workers(tx, namespace=namespace) if each.id == run.worker_id]
    if not holders or not holders[0].is_alive:
        return []
    says = f"worker {holders[0].name} has claimed it and starts it as soon as a slot is free"
    return [Reason(kind="ready", says=says)]


def _scheduled(tx: Tx, run: RunView, namespace: str) -> list[Reason]:
    wait_ms = run.ready_at.ms - now_ms(tx)
    here = active_holds(tx, namespace=namespace)
    if wait_ms > 0:
        cause = _retry(tx, run, namespace) if run.attempt else "it was asked to start later"
        says = f"it waits {seconds(wait_ms)} more ({cause})"
        found = [Reason(kind="waits", says=says, until=run.ready_at)]
    else:
        says = (
            f"it has been due for {seconds(-wait_ms)}; a worker is about to put it into its queue"
        )
        found = [Reason(kind="overdue", says=says, count=-wait_ms)]
    return found + here.reasons(job=run.job, queue=run.queue)


def _retry(tx: Tx, run: RunView, namespace: str) -> str:
    policy = _retry_policy(run)
    if policy is None:
        spec = spec_of(tx, run.job, run.version, namespace=namespace)
        policy = spec.retry if spec else None
    limit = f" of {policy.limit}" if policy else ""
    row = tx.one("find_run", id=run.id, namespace=namespace)
    error = error_of(row["error"]) if row else None
    asked_ms = error.asked_ms if error else 0
    asked = f"a wait of {format_duration(asked_ms)} was asked for" if asked_ms else ""
    cut = f"; {asked}, but retry_cap allows less" if asked else ""
    return f"retry {run.failures}{limit}{cut}"


def _retry_policy(run: RunView) -> RetryPolicy | None:
    """Return the retry policy of the run itself; None if it has none or it cannot be read."""
    try:
        change = read(_policy, str(run.policy), "the policy of the run") if run.policy else None
    except BadInput:
        return None
    return change.retry if change else None


def _queued(tx: Tx, run: RunView, namespace: str) -> list[Reason]:
    here = active_holds(tx, namespace=namespace)
    found = here.reasons(job=run.job, queue=run.queue) + _why_held(tx, run, namespace)
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


def _next(run: RunView, able: Sequence[WorkerRecord], now: int) -> Reason:
    """Return that nothing keeps the run; if that lasts, that no worker takes it."""
    waited_ms = now - max([run.ready_at.ms, *(each.started_at for each in able)])
    if waited_ms < LONG_MS:
        says = "nothing: it is next, and a worker is about to take it"
        return Reason(kind="ready", says=says)
    says = (
        f"it has been next for {seconds(waited_ms)}, and no worker with a free slot "
        f"({counted(able)}) takes it; read their logs, or run `rota doctor`"
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
