"""Builders for contract tests: a run in any state, a worker, a lease, in one line each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import apsw
import psycopg

from rota.engine.runs import find as inspect
from rota.engine.runs.cancel import cancel
from rota.engine.runs.claim import claim
from rota.engine.runs.finish import finish
from rota.engine.runs.submit import submit
from rota.engine.workers.reap import reap
from rota.engine.workers.registry import NewWorker, register
from rota.ids import new_id
from rota.model.runs.run import AttemptView, FinishVerb, Lease, NewRun, RunView, Submitted, Verdict
from rota.model.states import FINAL, State
from rota.rules.admission.lanes import NO_LANES, Lanes
from rota.store.base import Store

START_MS = 1_800_000_000_000
LEASE_MS = 20_000
HOME = "default"
ERROR = '{"type":"ValueError","message":"broken"}'
TABLES = (
    "act", "alert", "alert_channel", "alert_message", "alert_rule", "artifact", "attempt",
    "awaited", "backfill", "blackout", "breaker", "breaker_tally", "calendar", "chain", "chore",
    "counted", "dead_letter", "effect", "event", "firing", "incident", "job", "job_template",
    "job_version", "log_chunk", "memo", "monitor", "monitor_ping", "namespace", "node",
    "past_success", "ping_key", "queue", "release", "request", "run", "run_history", "run_key",
    "run_label", "saved_view", "schedule", "session", "statistic", "ticket", "token",
    "version_change", "worker",
)  # fmt: skip


class Clock:
    """The database's clock in the test's hand."""

    def __init__(self, ms: int = START_MS) -> None:
        self.ms = ms

    def __call__(self) -> int:
        return self.ms

    def advance(self, ms: int) -> None:
        self.ms += ms


def new_run(**fields: Any) -> NewRun:
    given: dict[str, Any] = {"id": new_id(), "job": "noop", "version": 1}
    return NewRun(**given | fields)


def submit_all(store: Store, runs: Sequence[NewRun], *, namespace: str = HOME) -> list[Submitted]:
    return store.write(lambda tx: submit(tx, runs, namespace=namespace))


def given_run(store: Store, *, namespace: str = HOME, **fields: Any) -> str:
    """The id of a run that was just submitted: queued, or scheduled with `delay_ms`."""
    return submit_all(store, [new_run(**fields)], namespace=namespace)[0].id


def given_worker(store: Store, *, namespace: str = HOME, lease_ms: int = LEASE_MS) -> str:
    worker = NewWorker(
        id=new_id(), name="w", host="h", pid=1, queues=("default",), slots=8, version="0"
    )
    store.write(lambda tx: register(tx, worker, namespace=namespace, lease_ms=lease_ms))
    return worker.id


def claim_some(
    store: Store,
    worker_id: str,
    *,
    limit: int = 100,
    queues: Sequence[str] = ("default",),
    jobs: Sequence[str] = ("noop",),
    namespace: str = HOME,
    held: bool = False,
    lanes: Lanes = NO_LANES,
) -> list[Lease]:
    return store.write(
        lambda tx: claim(
            tx,
            namespace=namespace,
            queues=queues,
            jobs=json.dumps(jobs),
            worker_id=worker_id,
            limit=limit,
            held=held,
            lanes=lanes,
        )
    )


def claim_one(store: Store, worker_id: str) -> Lease:
    (lease,) = claim_some(store, worker_id, limit=1)
    return lease


def given_lease(store: Store, *, worker_id: str | None = None, **fields: Any) -> Lease:
    """A fresh run, claimed; it must be the only one that is queued."""
    run_id = given_run(store, **fields)
    jobs = (fields.get("job", "noop"),)
    (lease,) = claim_some(store, worker_id or given_worker(store), limit=1, jobs=jobs)
    assert lease.run_id == run_id
    return lease


def verdict(lease: Lease, verb: FinishVerb = "succeed", **fields: Any) -> Verdict:
    return Verdict(run_id=lease.run_id, fence=lease.fence, verb=verb, **fields)


def finish_all(store: Store, verdicts: Sequence[Verdict], *, namespace: str = HOME) -> list[str]:
    return store.write(lambda tx: finish(tx, verdicts, namespace=namespace))


def finish_with(
    store: Store, lease: Lease, verb: FinishVerb = "succeed", **fields: Any
) -> list[str]:
    """The ids of lost leases: none, or the one given."""
    return finish_all(store, [verdict(lease, verb, **fields)])


def cancel_run(store: Store, run_id: str, **fields: Any) -> State:
    asked = {"namespace": HOME} | fields
    return store.write(lambda tx: cancel(tx, run_id, **asked))


def reap_some(store: Store, *, limit: int = 100, worker_id: str | None = None) -> int:
    return store.write(lambda tx: reap(tx, limit=limit, worker_id=worker_id))


def attempts_of(store: Store, run_id: str) -> list[AttemptView]:
    return store.read(lambda tx: inspect.attempts(tx, run_id, namespace=HOME))


def counts(store: Store) -> dict[State, int]:
    return store.read(lambda tx: inspect.counts(tx, namespace=HOME))


def look(store: Store, run_id: str, *, namespace: str = HOME) -> RunView:
    return store.read(lambda tx: inspect.find(tx, run_id, namespace=namespace))


def state_of(store: Store, run_id: str) -> State:
    return look(store, run_id).state


def given_state(store: Store, state: State) -> str:
    """The id of a run brought to the state, by force where no verb leads there yet."""
    if state is State.SCHEDULED:
        return given_run(store, delay_ms=60_000)
    if state is State.QUEUED:
        return given_run(store)
    lease = given_lease(store)
    endings: dict[State, FinishVerb] = {
        State.SUCCESS: "succeed",
        State.FAILED: "fail",
        State.CANCELLED: "abort",
        State.SKIPPED: "succeed",
    }
    if state in FINAL:
        finish_with(store, lease, endings[state])
    if state in (State.PENDING, State.SUSPENDED):
        force(store, f"update rota.run set state = '{state}', worker_id = null", lease.run_id)
    if state is State.SKIPPED:
        force(store, "update rota.run_history set state = 'skipped'", lease.run_id)
    return lease.run_id


def force(store: Store, change: str, run_id: str) -> None:
    run_sql(store.url, f"{change} where id = '{run_id}'")


def run_sql(url: str, text: str) -> list[tuple[Any, ...]]:
    """The rows of one statement, past the store; `rota.` is dropped on SQLite."""
    if url.startswith("sqlite"):
        connection = apsw.Connection(str(Path(url.removeprefix("sqlite:///"))))
        connection.set_busy_timeout(10_000)  # a worker may be writing
        try:
            return [tuple(row) for row in connection.execute(text.replace("rota.", "rota_"))]
        finally:
            connection.close()
    with psycopg.connect(url) as session:
        cursor = session.execute(text.encode())
        return cursor.fetchall() if cursor.description else []
