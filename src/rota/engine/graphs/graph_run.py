"""Graph runs: the facts about a run of a graph that do not change while it runs.

The plan, the jobs of the nodes and the arguments of the run never change while it runs, so each
process reads them once. The states of the nodes are in their rows.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from rota.engine.graphs.shape import GraphShape
from rota.engine.values.artifacts import given
from rota.engine.values.result_cache import is_fresh
from rota.engine.values.stored_text import read
from rota.errors import BadGraph
from rota.model.graphs.graph import Node
from rota.model.jobs.spec import GraphTarget, JobSpec, PolicyChange, failure_of
from rota.rules.failures.on_failure import told_by
from rota.rules.graphs import plan_graph
from rota.rules.graphs.node_values import bind_parameters
from rota.rules.jobs.stored_signature import kinds_of
from rota.rules.text.duration import parse_duration
from rota.store.base import Row, Tx

REMEMBERED = 20_000
"""The number of graph runs that a process keeps in memory."""
WIDE = 4_096
"""Parameters of more characters than this are put into arguments only when a node is claimed."""

_spec = msgspec.json.Decoder(JobSpec)
_given = msgspec.json.Decoder(dict[str, Any])


class GraphRun:
    """One run of a graph."""

    def __init__(  # all facts known when a run begins
        self,
        graph_id: str,
        shape: GraphShape,
        params: Mapping[str, Any],
        *,
        is_asked: bool,
        wide: bool,
        origin: str | None,
    ) -> None:
        self.graph_id = graph_id
        self.shape = shape
        self.params = params
        self.origin = origin
        """The schedule and instant that the run and its nodes are for, as JSON text."""
        self.is_fresh = False
        """Whether its nodes run even if their results are cached."""
        self.as_of = 0
        """When the run was submitted; for a graph inside another, when the outermost one was."""
        self.asked = shape.asked | shape.result_needs if is_asked else shape.asked
        """`asked` of the shape, plus the nodes of its result if an outer graph needs the result."""
        self.late = shape.late | shape.given if wide else shape.late
        """`late` of the shape, plus nodes that take parameters if the parameters are large."""

        self.failure_of: str | None = None
        """The id of the failed run that this run and its nodes report on; None if there is none."""

    def set(self, *, policy: str | None, as_of: int) -> None:
        """Set the facts that come from the run's policy and the time of its submit."""
        self.is_fresh, self.as_of = is_fresh(policy), as_of
        self.failure_of = failure_of(policy)


def policy_for(node: Node, spec: JobSpec, graph_run: GraphRun) -> str | None:
    """The changes that a node makes to its job's policies, as JSON text; None if there are none."""
    is_plain = node.retries is None and node.timeout is None and node.isolation is None
    if is_plain and not graph_run.is_fresh and graph_run.failure_of is None:
        return None
    retry = spec.retry
    change = PolicyChange(
        retry=None if node.retries is None else msgspec.structs.replace(retry, limit=node.retries),
        timeout_ms=None if node.timeout is None else parse_duration(node.timeout),
        isolation=node.isolation,
        fresh=graph_run.is_fresh,
        failure_of=graph_run.failure_of,
    )
    return msgspec.json.encode(change).decode()


def priority_for(name: str, node: Node, spec: JobSpec, shape: GraphShape) -> int:
    if node.priority == "critical_path":
        return shape.urgency[name]
    return spec.priority if node.priority is None else node.priority


def shape_of(tx: Tx, job: str, version: int, *, namespace: str) -> GraphShape:
    """The shape of a version of a graph; BadGraph if the job is not a graph."""
    at = ("shape", namespace, job, version)
    shape: GraphShape | None = tx.memo.get(at)
    if shape is None:
        spec = spec_at(tx, job, version, namespace=namespace)
        if not isinstance(spec.target, GraphTarget):
            raise BadGraph(f"job {job!r} in version {version} is no graph")
        plan, is_quiet = plan_graph(spec.target.graph), told_by(spec) is None
        shape = tx.memo[at] = GraphShape(plan, kinds=kinds_of(spec), is_quiet=is_quiet)
    return shape


def spec_at(tx: Tx, job: str, version: int, *, namespace: str) -> JobSpec:
    """The definition of a job's version, kept in memory; BadGraph if there is none."""
    spec = find_spec(tx, job, version, namespace=namespace)
    if spec is None:
        raise BadGraph(f"job {job!r} has no version {version}")
    return spec


def find_spec(tx: Tx, job: str, version: int, *, namespace: str) -> JobSpec | None:
    """The definition of a job's version, kept in memory; None if there is none."""
    at = ("spec", namespace, job, version)
    spec: JobSpec | None = tx.memo.get(at)
    if spec is None:
        row = tx.one("load_spec", namespace=namespace, name=job, version=version)
        if row is not None:
            what = f"the definition of job {job!r} in version {version}"
            spec = tx.memo[at] = read(_spec, row["spec"], what)
    return spec


def graph_runs(tx: Tx, graph_ids: Collection[str], *, namespace: str) -> dict[str, GraphRun]:
    """The graph runs by id, without those that are gone or belong to another namespace."""
    remembered_runs = _memo(tx)
    missing = [graph_id for graph_id in graph_ids if graph_id not in remembered_runs]
    if missing:
        rows = [
            row
            for row in tx.all("find_graphs", ids=json.dumps(missing))
            if row["namespace"] == namespace
        ]
        outer = {str(row["parent_id"]) for row in rows if row["parent_id"] is not None}
        around = graph_runs(tx, outer, namespace=namespace) if outer else {}
        for row in rows:
            shape = shape_of(tx, row["job"], row["version"], namespace=namespace)
            parent = around.get(str(row["parent_id"]))
            within = parent, row["node"]
            graph_run = graph_run_of(tx, str(row["id"]), shape, row["args"], within, row["origin"])
            as_of = submitted_at(tx, row) if parent is None else parent.as_of
            graph_run.set(policy=row["policy"], as_of=as_of)
            remember(tx, graph_run)
    return {
        graph_id: remembered_runs[graph_id] for graph_id in graph_ids if graph_id in remembered_runs
    }


def submitted_at(tx: Tx, row: Row) -> int:
    """When the work of a run was first submitted: for a rerun, when its original was."""
    first, rerun_of = int(row["created_at"]), row["rerun_of"]
    while rerun_of is not None:
        submit_row = tx.one("find_submit", id=str(rerun_of))
        if submit_row is None:  # its history is pruned
            break
        first, rerun_of = int(submit_row["created_at"]), submit_row["rerun_of"]
    return first


def graph_run_of(  # the columns of a run's row
    tx: Tx,
    graph_id: str,
    shape: GraphShape,
    args: str,
    within: tuple[GraphRun | None, str | None],
    origin: str | None,
) -> GraphRun:
    """Build a graph run; BadArguments for arguments that the graph does not take.

    `within` is the outer graph run and the node of it that this run carries out.
    """
    outer, node = within
    text = given(tx, args, f"what run {graph_id} was given")
    params = bind_parameters(shape.graph, read(_given, text, "what the run was given"))
    is_asked = outer is not None and node in outer.asked
    wide = len(text) > WIDE
    return GraphRun(graph_id, shape, params, is_asked=is_asked, wide=wide, origin=origin)


def remember(tx: Tx, graph_run: GraphRun) -> None:
    by_id = _memo(tx)
    while len(by_id) >= REMEMBERED:
        by_id.pop(next(iter(by_id)), None)
    by_id[graph_run.graph_id] = graph_run


def remembered(tx: Tx, graph_ids: Collection[str]) -> list[GraphRun]:
    """The graph runs of these ids that this process has in memory; reads nothing from the store."""
    by_id = _memo(tx)
    return [by_id[graph_id] for graph_id in graph_ids if graph_id in by_id]


def _memo(tx: Tx) -> dict[str, GraphRun]:
    by_id: dict[str, GraphRun] = tx.memo.setdefault("courses", {})
    return by_id
