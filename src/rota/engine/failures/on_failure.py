"""On failure: submit a run of the job that a job names in `on_failure`, when it failed for good.

The run is submitted in the transaction that ends the failed run. Its id is derived from that run,
so each failed run has one, however often an ending is sent. How it ends changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from rota.engine.failures.batch_isolation import set_aside
from rota.engine.failures.failed_runs import bounded, detail_of
from rota.engine.graphs.graph_run import find_spec
from rota.engine.jobs.definitions import current_specs
from rota.engine.runs.find import find_all
from rota.engine.runs.submit import submit
from rota.errors import BadInput, UnknownJob
from rota.ids import derived_id
from rota.model.failures.failure import Failure
from rota.model.jobs.spec import JobSpec, PolicyChange, failure_of
from rota.model.runs.run import NO_TYPE, NewRun, Origin, RunView
from rota.model.states import State
from rota.rules.failures.on_failure import arguments_for, told_by
from rota.store.base import Row, Tx

MAX_MESSAGE = 2_000
_origin = msgspec.json.Decoder(Origin)


def tell_failures(tx: Tx, rows: Sequence[Row], *, namespace: str) -> None:
    """Submit a run for each of these failed runs whose job names another one.

    A run that was submitted this way is not followed itself, nor are nodes of graphs in it: there
    can be no endless chain.
    """
    handlers = [
        (row, name)
        for row in rows
        if failure_of(row["policy"]) is None and (name := _told_by(tx, row, namespace))
    ]
    if not handlers:
        return
    specs = current_specs(tx, {name for _, name in handlers}, namespace=namespace)
    runs: list[NewRun] = []
    for row, name in handlers:
        if name in specs:
            version, spec = specs[name]
            runs.append(_failure_run(row, version, spec, namespace))
        else:
            set_aside(f"on_failure of job {row['job']}", UnknownJob(name, specs))
    if runs:
        submit(tx, runs, namespace=namespace, is_repeat=True)


def told_run(tx: Tx, run: RunView) -> RunView | None:
    """Return the run that was submitted because this one failed; None if none was or it is gone."""
    if run.state is not State.FAILED or run.finished_at is None or run.failure_of is not None:
        return None
    told_id = _told_id(run.id, run.finished_at.ms)
    return find_all(tx, [told_id], namespace=run.namespace).get(told_id)


def _told_by(tx: Tx, row: Row, namespace: str) -> str | None:
    try:
        spec = find_spec(tx, row["job"], row["version"], namespace=namespace)
    except BadInput as error:
        set_aside(f"on_failure of job {row['job']} in version {row['version']}", error)
        return None
    return None if spec is None else told_by(spec)


def _told_id(run_id: str, failed_at: int) -> str:
    return derived_id(failed_at, 0, f"on_failure {run_id}")


def _failure_run(row: Row, version: int, spec: JobSpec, namespace: str) -> NewRun:
    run_id = str(row["id"])
    args = arguments_for(spec, _failure(row, namespace))
    return NewRun(
        id=_told_id(run_id, row["finished_at"]),
        job=spec.name,
        version=version,
        queue=spec.queue,
        priority=spec.priority,
        args=msgspec.json.encode(args, order="sorted").decode(),
        expires_ms=spec.expires_ms,
        at_most_once=spec.delivery == "at_most_once",
        labels=spec.run_labels,
        policy=msgspec.json.encode(PolicyChange(failure_of=run_id)).decode(),
    )


def _failure(row: Row, namespace: str) -> Failure:
    error = detail_of(row["error"])
    run_id, reason = str(row["id"]), row["reason"] or ""
    origin = _origin.decode(row["origin"]) if row["origin"] else None
    return Failure(
        run_id=run_id,
        job=row["job"],
        version=row["version"],
        namespace=namespace,
        attempt=row["attempt"],
        reason=bounded(reason, MAX_MESSAGE),
        error_type=bounded(error.type if error else NO_TYPE, MAX_MESSAGE),
        error_message=bounded(error.message if error else reason, MAX_MESSAGE),
        failed_at=_moment(row["finished_at"]),
        logs=f"rota logs {run_id}",
        schedule=origin.schedule if origin else None,
        scheduled_for=_moment(origin.scheduled_for) if origin else None,
        graph_run=str(row["parent_id"]) if row["parent_id"] else None,
        node=row["node"],
    )


def _moment(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)
