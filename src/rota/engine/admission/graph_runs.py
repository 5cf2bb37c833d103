"""Runs of one graph that wait for each other, by `max_runs` and `depends_on_past`.

A claim skips graphs that are full. Whether a claimed run may begin is decided when it begins
(`engine/graphs/expand.py`), under the lock of its job.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

from rota.engine.admission.hold import Wanted
from rota.engine.admission.previous_run import (
    PastFailed,
    next_turns,
    note_success,
    run_before,
)
from rota.engine.admission.release import release
from rota.engine.failures.batch_isolation import set_aside
from rota.engine.graphs.graph_run import GraphRun, find_spec, remembered
from rota.engine.insight.reasons import at_once
from rota.engine.jobs.definitions import current_specs
from rota.errors import BadInput
from rota.model.graphs.graph import Graph
from rota.model.jobs.spec import GraphTarget, JobSpec
from rota.model.runs.reason import Reason
from rota.model.runs.run import Lease, RunView, Verdict
from rota.model.states import State
from rota.rules.jobs.claim_facts import claim_facts
from rota.store.base import Row, Tx

_ENDS_GRAPH = ("cancel", "complete", "fail_graph", "skip", "expire", "refuse")
SHOWN = 5
"""The number of runs that a reason names."""


def may_begin(
    tx: Tx, lease: Lease, graph: Graph, *, namespace: str, begun: Collection[GraphRun]
) -> bool:
    """Whether it is this run's turn; if not, it waits. Raises PastFailed if that can never be.

    `begun` are the runs that begin in the same transaction: they are not on record yet.
    """
    if not takes_turns(graph):
        return True
    tx.one("lock_job", namespace=namespace, name=lease.job)
    beside = sum(graph_run.shape.graph.name == graph.name for graph_run in begun)
    if _is_full(tx, lease, graph, namespace, beside) or _follows_live(tx, lease, graph, namespace):
        tx.execute("defer_run", id=lease.run_id, fence=lease.fence)
        return False
    return True


def ends_graph_run(verdict: Verdict) -> bool:
    """Whether a verdict may end the run of a graph, for which others may wait."""
    return verdict.verb in _ENDS_GRAPH


def release_others(tx: Tx, verdicts: Collection[Verdict], namespace: str) -> None:
    """Let the next runs of these graphs try again, once runs that they wait for have ended.

    The graph of a run that never began, or that another process began, is looked up.
    """
    run_ids = {verdict.run_id for verdict in verdicts}
    graphs = {graph_run.graph_id: graph_run.shape.graph for graph_run in remembered(tx, run_ids)}
    strange = run_ids - graphs.keys()
    if strange:
        for row in tx.all("find_graphs", ids=json.dumps(sorted(strange))):
            spec = _spec_of(tx, row)
            if spec is not None and isinstance(spec.target, GraphTarget):
                graphs[str(row["id"])] = spec.target.graph
    for verdict in verdicts:
        graph = graphs.get(verdict.run_id)
        if verdict.verb == "complete" and graph is not None and graph.depends_on_past:
            note_success(tx, verdict.run_id, graph.name, namespace=namespace)
    release_next(
        tx, [graph for graph in graphs.values() if takes_turns(graph)], namespace=namespace
    )


def _spec_of(tx: Tx, row: Row) -> JobSpec | None:
    """Return the job of a run. None as well if it cannot be read: the run must be able to end."""
    try:
        return find_spec(tx, row["job"], row["version"], namespace=row["namespace"])
    except BadInput as error:
        set_aside(f"job {row['job']} in version {row['version']}", error)
        return None


def release_next(tx: Tx, graphs: Collection[Graph], *, namespace: str) -> None:
    """Let the oldest waiting run of each of these graphs try again.

    Where runs depend on the past, every run whose turn it may be tries again: a rerun is newer than
    its place in the order.
    """
    ordered = {graph.name for graph in graphs if graph.depends_on_past}
    for job in sorted({graph.name for graph in graphs}):
        at = {"namespace": namespace, "job": job}
        tx.one("lock_job", namespace=namespace, name=job)
        if job in ordered:
            waiting = next_turns(tx.all("waiting_turns", **at))
            is_any = release(tx, runs=waiting)
        else:
            rows = tx.all("let_next", **at)
            is_any = release(tx, queues=[(row["namespace"], row["queue"]) for row in rows])
        if not is_any:
            untouched = _queues_of(tx, job, namespace)
            release(tx, queues=[(namespace, queue) for queue in untouched])


def _queues_of(tx: Tx, job: str, namespace: str) -> set[str]:
    """Return the queue of a graph; claims skipped its runs because the graph was full."""
    specs = current_specs(tx, [job], namespace=namespace)
    return {spec.queue for _, spec in specs.values()}


def full_graphs(tx: Tx, max_runs: Mapping[str, int], *, namespace: str) -> set[str]:
    """Return the graphs among these that have `max_runs` runs under way."""
    if not max_runs:
        return set()
    rows = tx.all("count_begun_of", namespace=namespace, jobs=json.dumps(sorted(max_runs)))
    return {row["job"] for row in rows if row["runs"] >= max_runs[row["job"]]}


def full_among(tx: Tx, jobs: Collection[str], namespace: str) -> set[str]:
    """Return the jobs among these that are graphs with `max_runs` runs under way."""
    specs = current_specs(tx, jobs, namespace=namespace)
    limits = {name: claim_facts(spec).max_runs for name, (_, spec) in specs.items()}
    max_runs = {name: limit for name, limit in limits.items() if limit is not None}
    return full_graphs(tx, max_runs, namespace=namespace)


def leave_full_graphs(tx: Tx, claim_request: Wanted) -> None:
    """Leave out of the claim the graphs that have `max_runs` runs under way."""
    for job in full_graphs(tx, claim_request.max_runs, namespace=claim_request.namespace):
        claim_request.leave_out(job)


def why_turn_waits(tx: Tx, run: RunView, namespace: str) -> list[Reason]:
    """Return why a run of a graph waits for other runs of it, whether it was claimed or skipped."""
    if run.state is State.QUEUED:
        graph = _graph_of(tx, run, namespace)
        return _why_full(tx, run, graph, namespace) if graph is not None else []
    if not run.fence:
        return []
    graph = _graph_of(tx, run, namespace)
    if graph is None:
        return [Reason(kind="blocked", says=f"it is {run.state}: it waits for another run")]
    reasons: list[Reason] = []
    if graph.depends_on_past:
        before = run_before(tx, run.id, run.job, namespace=namespace)
        if before is not None:
            says = f"it depends on the run before it, {before.run_id}, which is {before.state}"
            reasons.append(Reason(kind="blocked", says=says))
    return reasons + _why_limited(tx, run, graph, namespace)


def _graph_of(tx: Tx, run: RunView, namespace: str) -> Graph | None:
    spec = find_spec(tx, run.job, run.version, namespace=namespace)
    if spec is None or not isinstance(spec.target, GraphTarget):
        return None
    return spec.target.graph


def _why_full(tx: Tx, run: RunView, graph: Graph, namespace: str) -> list[Reason]:
    limits = {} if graph.max_runs is None else {run.job: graph.max_runs}
    is_full = full_graphs(tx, limits, namespace=namespace)
    return _why_limited(tx, run, graph, namespace) if is_full else []


def _why_limited(tx: Tx, run: RunView, graph: Graph, namespace: str) -> list[Reason]:
    if graph.max_runs is None:
        return []
    rows = tx.all("begun_runs", namespace=namespace, job=run.job, limit=SHOWN)
    begun = ", ".join(str(row["id"]) for row in rows)
    says = f"{at_once(graph.max_runs, 'run')} of graph {run.job}; running now: {begun}"
    return [Reason(kind="blocked", says=says, count=graph.max_runs)]


def takes_turns(graph: Graph) -> bool:
    """Whether a run of the graph may have to wait for other runs of it."""
    return graph.max_runs is not None or graph.depends_on_past


def _is_full(tx: Tx, lease: Lease, graph: Graph, namespace: str, beside: int) -> bool:
    if graph.max_runs is None:
        return False
    (row,) = tx.all("count_begun", namespace=namespace, job=lease.job)
    return int(row["runs"]) + beside >= graph.max_runs


def _follows_live(tx: Tx, lease: Lease, graph: Graph, namespace: str) -> bool:
    if not graph.depends_on_past:
        return False
    before = run_before(tx, lease.run_id, lease.job, namespace=namespace)
    if before is None or before.is_live:
        return before is not None
    raise PastFailed(
        f"the run before it, {before.run_id}, ended as {before.state}, and the graph depends on "
        "its past; rerun that one, then this one"
    )
