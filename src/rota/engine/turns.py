"""Turns: runs of one graph that wait for others of it, by `max_runs` and `depends_on_past`."""

from __future__ import annotations

from collections.abc import Collection

from rota.engine.courses import remembered
from rota.engine.keys import queue_key
from rota.errors import BadGraph
from rota.model.graph import Graph
from rota.model.run import Lease
from rota.model.states import FINAL, State
from rota.rules.order import CREDIT_MS
from rota.store.base import Tx


def may_begin(tx: Tx, lease: Lease, graph: Graph, *, namespace: str) -> bool:
    """Whether it is this run's turn; if not, it waits. BadGraph if it can never be."""
    if graph.max_runs is None and not graph.depends_on_past:
        return True
    tx.one("lock_job", namespace=namespace, name=lease.job)
    if _is_full(tx, lease, graph, namespace) or _follows_live(tx, lease, graph, namespace):
        tx.execute("defer_run", id=lease.run_id, fence=lease.fence)
        return False
    return True


def let_others(tx: Tx, run_ids: Collection[str], *, namespace: str) -> None:
    """Runs have ended: if they were graphs whose others wait, the next ones may try again."""
    jobs = {
        course.shape.graph.name
        for course in remembered(tx, run_ids)
        if course.shape.graph.max_runs is not None or course.shape.graph.depends_on_past
    }
    for job in sorted(jobs):
        tx.one("lock_job", namespace=namespace, name=job)
        rows = tx.all("let_next", namespace=namespace, job=job, credit_ms=CREDIT_MS)
        tx.notify({queue_key(row["namespace"], row["queue"]) for row in rows})


def _is_full(tx: Tx, lease: Lease, graph: Graph, namespace: str) -> bool:
    if graph.max_runs is None:
        return False
    (row,) = tx.all("count_begun", namespace=namespace, job=lease.job)
    return int(row["runs"]) >= graph.max_runs


def _follows_live(tx: Tx, lease: Lease, graph: Graph, namespace: str) -> bool:
    if not graph.depends_on_past:
        return False
    row = tx.one("run_before", namespace=namespace, job=lease.job, id=lease.run_id)
    if row is None or row["state"] in (State.SUCCESS, State.SKIPPED):
        return False
    if row["state"] in FINAL:
        raise BadGraph(
            f"the run before it, {row['id']}, ended as {row['state']}, and the graph depends on "
            "its past; run that again, then this one"
        )
    return True
