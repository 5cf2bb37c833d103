"""Argument mismatch: runs whose arguments a worker's function does not take.

During a deploy two versions of a job are alive. A run that the wrong version claimed goes back,
without costing an attempt, into a lane that only workers read whose function takes the arguments of
the run's version. It fails when no such worker is alive.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import NamedTuple

import msgspec

from rota.engine.graphs.graph_run import find_spec
from rota.engine.wakeup_keys import windows_key
from rota.engine.workers.registry import takes_in
from rota.errors import BadInput
from rota.model.runs.reason import Reason
from rota.model.runs.run import RunView, Verdict
from rota.rules.admission.lanes import SPAN, fit_lane_of, is_fit_lane, stretch_of
from rota.rules.jobs.accepted_arguments import takes_of
from rota.store.base import Row, Tx

Lane = tuple[str, int]
"""A queue and the number of one of its lanes."""


class AbleWorker(NamedTuple):
    """A worker that is alive and takes new runs."""

    id: str
    queues: frozenset[str]
    takes: dict[str, str]

    def fits(self, *, job: str, queue: str, takes: str) -> bool:
        return queue in self.queues and self.takes.get(job) == takes


def able_workers(tx: Tx, *, namespace: str) -> list[AbleWorker]:
    """The live workers that have announced which arguments their functions take."""
    return [
        AbleWorker(str(row["id"]), frozenset(json.loads(row["queues"])), takes_in(row["jobs"]))
        for row in tx.all("able_workers", namespace=namespace)
    ]


def spared(tx: Tx, verdicts: Sequence[Verdict], *, namespace: str) -> list[Verdict]:
    """The verdicts, with a release instead of a failure for runs that fit another worker."""
    batch = msgspec.json.encode([each for each in verdicts if each.misfit]).decode()
    able = able_workers(tx, namespace=namespace)
    lanes: dict[int, list[str]] = {}
    for row in tx.all("find_misfits", batch=batch, namespace=namespace):
        takes = _takes(tx, row, namespace)
        others = [each for each in able if each.id != str(row["worker_id"])]
        at = {"job": row["job"], "queue": row["queue"]}
        if takes is not None and any(each.fits(**at, takes=takes) for each in others):
            lanes.setdefault(fit_lane_of(row["job"], takes), []).append(str(row["id"]))
    for lane, ids in sorted(lanes.items()):
        tx.execute("set_lane", ids=json.dumps(ids), shift=lane * SPAN, span=SPAN)
    if lanes:
        tx.notify((windows_key(namespace),))
    moved = {run_id for ids in lanes.values() for run_id in ids}
    return [_given_back(each) if each.run_id in moved else each for each in verdicts]


def _given_back(verdict: Verdict) -> Verdict:
    """Release the run as if it had not been claimed, because no handler has begun."""
    return msgspec.structs.replace(
        verdict, verb="release", kind=None, error=None, reason=None, misfit=False, held_ms=-1
    )


def stranded(
    tx: Tx, lanes: Sequence[Lane], jobs: Collection[str], *, namespace: str
) -> dict[Lane, str]:
    """The lanes whose runs fit no live worker any more, each with the job that waits there.

    A worker that knows the job reads these lanes: its code takes the runs, or they fail with the
    reason.
    """
    able = able_workers(tx, namespace=namespace)
    reasons: dict[Lane, str] = {}
    for queue, lane in lanes:
        part = stretch_of(lane)
        at = {"namespace": namespace, "queue": queue, "start": part.start, "end": part.end}
        row = tx.one("head_of_lane", **at)
        if row is None or row["job"] not in jobs:
            continue
        takes = _takes(tx, row, namespace)
        if takes is None or not any(
            each.fits(job=row["job"], queue=queue, takes=takes) for each in able
        ):
            reasons[queue, lane] = row["job"]
    return reasons


def why_apart(tx: Tx, run: RunView, *, namespace: str) -> Reason | None:
    """Why a run waits in a lane for functions that take its arguments; None if it does not."""
    row = tx.one("place_of_run", id=run.id)
    if row is None or not is_fit_lane((row["rank"] or 0) // SPAN):
        return None
    takes = _takes(tx, row, namespace) or ""
    at = {"job": run.job, "queue": run.queue, "takes": takes}
    count = sum(each.fits(**at) for each in able_workers(tx, namespace=namespace))
    has = f"{count} alive" if count else "none is alive, so that it fails within seconds"
    says = (
        f"it waits for a worker whose code takes the arguments of version {run.version} of job "
        f"{run.job}: {has}"
    )
    return Reason(kind="blocked", says=says, count=count)


def _takes(tx: Tx, row: Row, namespace: str) -> str | None:
    try:
        spec = find_spec(tx, row["job"], row["version"], namespace=namespace)
    except BadInput:  # an unreadable definition counts as unknown
        return None
    return None if spec is None else takes_of(spec)
