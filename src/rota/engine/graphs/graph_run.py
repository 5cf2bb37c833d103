"""A run of a graph: what the engine must know of it besides where its nodes stand.

The plan, the jobs of its nodes and what the run was given never change while it runs, so each
process reads them once.
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
from rota.model.graph import Node
from rota.model.spec import GraphTarget, JobSpec, PolicyChange, failure_of
from rota.rules.failures.on_failure import told_by
from rota.rules.graphs import plan_graph
from rota.rules.graphs.node_values import bind_parameters
from rota.rules.jobs.stored_signature import kinds_of
from rota.rules.text.duration import parse_duration
from rota.store.base import Row, Tx

REMEMBERED = 20_000
"""Runs of graphs whose course a process keeps."""
WIDE = 4_096
"""Parameters of more characters than this are put into arguments when a worker takes a node."""

_spec = msgspec.json.Decoder(JobSpec)
_given = msgspec.json.Decoder(dict[str, Any])


class GraphRun:
    """One run of a graph."""

    def __init__(  # what is known of a run when it begins
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
        """Which instant of which schedule it is for, as JSON text; its nodes are for the same."""
        self.is_fresh = False
        """Whether its nodes are carried out even if their results are known."""
        self.as_of = 0
        """When it was submitted; of a graph inside of another when the outermost was."""
        self.asked = shape.asked | shape.result_needs if is_asked else shape.asked
        """As of the shape; all that makes its result, if a graph around it asks for that."""
        self.late = shape.late | shape.given if wide else shape.late
        """As of the shape; large parameters are not copied into the runs of nodes either."""

        self.failure_of: str | None = None
        """The failed run that it tells of; its nodes do, too."""

    def set(self, *, policy: str | None, as_of: int) -> None:
        """What else is known of the run."""
        self.is_fresh, self.as_of = is_fresh(policy), as_of
        self.failure_of = failure_of(policy)


def policy_for(node: Node, spec: JobSpec, graph_run: GraphRun) -> str | None:
    """What a node changes of its job's policies, as JSON text."""
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
    """The plan of a graph's version; BadGraph if the job is no graph."""
    at = ("shape", namespace, job, version)
    found: GraphShape | None = tx.memo.get(at)
    if found is None:
        spec = spec_at(tx, job, version, namespace=namespace)
        if not isinstance(spec.target, GraphTarget):
            raise BadGraph(f"job {job!r} in version {version} is no graph")
        plan, is_quiet = plan_graph(spec.target.graph), told_by(spec) is None
        found = tx.memo[at] = GraphShape(plan, kinds=kinds_of(spec), is_quiet=is_quiet)
    return found


def spec_at(tx: Tx, job: str, version: int, *, namespace: str) -> JobSpec:
    """A definition, remembered."""
    found = find_spec(tx, job, version, namespace=namespace)
    if found is None:
        raise BadGraph(f"job {job!r} has no version {version}")
    return found


def find_spec(tx: Tx, job: str, version: int, *, namespace: str) -> JobSpec | None:
    """The same, or None."""
    at = ("spec", namespace, job, version)
    found: JobSpec | None = tx.memo.get(at)
    if found is None:
        row = tx.one("load_spec", namespace=namespace, name=job, version=version)
        if row is not None:
            what = f"the definition of job {job!r} in version {version}"
            found = tx.memo[at] = read(_spec, row["spec"], what)
    return found


def graph_runs(tx: Tx, graph_ids: Collection[str], *, namespace: str) -> dict[str, GraphRun]:
    """The courses of these runs; one that is gone, or is not ours, is left out."""
    known = _remembered(tx)
    missing = [graph_id for graph_id in graph_ids if graph_id not in known]
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
    return {graph_id: known[graph_id] for graph_id in graph_ids if graph_id in known}


def submitted_at(tx: Tx, row: Row) -> int:
    """When what this run does was first asked for: a rerun does again what the first one did."""
    first, rerun_of = int(row["created_at"]), row["rerun_of"]
    while rerun_of is not None:
        found = tx.one("find_submit", id=str(rerun_of))
        if found is None:  # its history is pruned
            break
        first, rerun_of = int(found["created_at"]), found["rerun_of"]
    return first


def graph_run_of(  # what one row of a run has
    tx: Tx,
    graph_id: str,
    shape: GraphShape,
    args: str,
    within: tuple[GraphRun | None, str | None],
    origin: str | None,
) -> GraphRun:
    """BadArguments for what the graph does not take; `within`: the graph around it, its node."""
    outer, node = within
    text = given(tx, args, f"what run {graph_id} was given")
    params = bind_parameters(shape.graph, read(_given, text, "what the run was given"))
    is_asked = outer is not None and node in outer.asked
    wide = len(text) > WIDE
    return GraphRun(graph_id, shape, params, is_asked=is_asked, wide=wide, origin=origin)


def remember(tx: Tx, graph_run: GraphRun) -> None:
    known = _remembered(tx)
    while len(known) >= REMEMBERED:
        known.pop(next(iter(known)), None)
    known[graph_run.graph_id] = graph_run


def remembered(tx: Tx, graph_ids: Collection[str]) -> list[GraphRun]:
    """Of these runs, those that are graphs and known; nothing is read for the others."""
    known = _remembered(tx)
    return [known[graph_id] for graph_id in graph_ids if graph_id in known]


def _remembered(tx: Tx) -> dict[str, GraphRun]:
    found: dict[str, GraphRun] = tx.memo.setdefault("courses", {})
    return found
