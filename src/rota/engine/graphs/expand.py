"""Expand: turn a claimed run of a graph into rows for its nodes and runs of its first nodes.

This happens in the transaction of the claim, so it holds no slot, and a crash leaves the run as it
was. The run itself is suspended until its nodes have ended.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import msgspec

from rota.engine.admission.graph_runs import may_begin, release_next, takes_turns
from rota.engine.admission.previous_run import note_success
from rota.engine.failures.batch_isolation import each_apart
from rota.engine.graphs.graph_run import GraphRun, graph_run_of, graph_runs, remember, shape_of
from rota.engine.graphs.nodes.arguments import with_arguments
from rota.engine.graphs.nodes.links import refusal
from rota.engine.graphs.nodes.results import NodeResults
from rota.engine.graphs.nodes.rows import NodeRow, NodeRows, node_row
from rota.engine.graphs.policy import timeout_of
from rota.engine.graphs.propagation import Propagation
from rota.engine.graphs.restart import go_on, place
from rota.engine.graphs.shape import GraphShape
from rota.engine.jobs.pins import Pins
from rota.engine.values.artifacts import given, keep
from rota.engine.values.result_cache import hit, recall, remembering
from rota.errors import BadInput
from rota.model.graphs.graph import Graph
from rota.model.jobs.spec import JobSpec
from rota.model.runs.run import Lease, Verdict
from rota.model.values.artifact import is_pointer
from rota.rules.graphs.node_values import check_types
from rota.store.base import Tx

_spec = msgspec.json.Decoder(JobSpec)


class _Begun(msgspec.Struct, frozen=True):
    run_id: str
    fence: int
    timeout_ms: int | None
    args: str | None
    """The arguments of the run, if they are known only now."""
    policy: str | None


def expand(tx: Tx, leases: Sequence[Lease], *, namespace: str) -> list[Verdict]:
    """Begin these runs of graphs; return the verdicts that follow, such as refusals."""
    if not tx.is_careful:
        return _expand(tx, leases, namespace)
    follow = each_apart(
        tx,
        leases,
        lambda lease: _expand(tx, [lease], namespace),
        instead=lambda lease, error: [refusal(lease, error)],
    )
    return [verdict for verdicts in follow for verdict in verdicts]


def _expand(tx: Tx, leases: Sequence[Lease], namespace: str) -> list[Verdict]:
    begun: dict[str, GraphRun] = {}
    args: dict[str, str] = {}
    policies: dict[str, str | None] = {}
    verdicts: list[Verdict] = []
    pins = Pins(tx, leases, namespace=namespace)
    versions: dict[str, dict[str, int]] = {}
    outer = graph_runs(
        tx, {each.parent_id for each in leases if each.parent_id}, namespace=namespace
    )
    over: list[Graph] = []
    for lease in leases:
        shape: GraphShape | None = None
        try:
            shape = shape_of(tx, lease.job, lease.version, namespace=namespace)
            beside = begun.values()
            if not may_begin(tx, lease, shape.graph, namespace=namespace, begun=beside):
                continue
            around = outer.get(lease.parent_id or "")
            ready = _resolve(tx, lease, around)
            text = ready.args
            memo = recall(tx, (ready,), namespace=namespace).get(lease.run_id)
            if memo is not None:
                verdicts.append(hit(lease, memo))
                over += _waited_for(shape)
                if shape.graph.depends_on_past:
                    note_success(tx, lease.run_id, lease.job, namespace=namespace)
                continue
            versions[lease.run_id], as_of = pins.of(lease, shape, around)
            begun[lease.run_id] = _graph_run(tx, ready, shape, around, as_of)
            policies[lease.run_id] = remembering(ready)
            if text is not lease.args:
                args[lease.run_id] = keep(tx, (text,)).get(text, text)
        except BadInput as error:
            verdicts.append(refusal(lease, error))
            over += _waited_for(shape)
    # Runs that wait for a run that does not begin try again once its end is written.
    release_next(tx, over, namespace=namespace)
    if not begun:
        return verdicts
    batch = _batch(leases, begun, args, policies)
    tx.execute("suspend_runs", batch=batch, namespace=namespace)
    propagation = Propagation(
        tx, begun, namespace=namespace, node_rows=NodeRows(tx, leases[0].claimed_at)
    )
    earlier_nodes = _take_existing_nodes(tx, begun)
    for graph_id, graph_run in begun.items():
        remember(tx, graph_run)
        place(propagation, graph_run, versions[graph_id], earlier_nodes.get(graph_id, {}))
    return verdicts + go_on(tx, propagation, namespace=namespace)


def _graph_run(
    tx: Tx, lease: Lease, shape: GraphShape, outer: GraphRun | None, as_of: int
) -> GraphRun:
    """The graph run of a run that begins; BadArguments if the graph does not take its arguments.

    A submit has checked the arguments already; those from an event or an outer graph are unchecked.
    """
    within = outer, lease.node
    graph_run = graph_run_of(tx, lease.run_id, shape, lease.args, within, lease.origin)
    graph_run.set(policy=lease.policy, as_of=as_of)
    check_types(shape.graph, graph_run.params, shape.kinds)
    return graph_run


def _waited_for(shape: GraphShape | None) -> list[Graph]:
    """The graph in a list if its runs may wait for each other, else an empty list."""
    return [shape.graph] if shape is not None and takes_turns(shape.graph) else []


def _resolve(tx: Tx, lease: Lease, outer: GraphRun | None) -> Lease:
    """The lease with its arguments resolved; those of a node may hold results of other nodes."""
    name = lease.node or ""
    if outer is None:
        return lease
    cache = outer.shape.plan.nodes[name].node.cache
    if name not in outer.late and cache is None:
        return lease
    if is_pointer(lease.args):
        item = given(tx, lease.args, f"an item of node {name!r}")
        lease = msgspec.structs.replace(lease, args=item)
    results = NodeResults(tx)
    results.load_all((outer.graph_id, each) for each in outer.shape.needs[name])
    return with_arguments(lease, outer, results, cache)


def _take_existing_nodes(tx: Tx, begun: dict[str, GraphRun]) -> dict[str, dict[str, NodeRow]]:
    by_graph: dict[str, dict[str, NodeRow]] = {}
    for row in tx.all("existing_nodes", ids=json.dumps(sorted(begun))):
        node = node_row(row)
        by_graph.setdefault(node.graph_id, {})[node.name] = node
    if by_graph:
        tx.execute("forget_nodes", ids=json.dumps(sorted(by_graph)))
    return by_graph


def _batch(
    leases: Sequence[Lease],
    begun: dict[str, GraphRun],
    args: dict[str, str],
    policies: dict[str, str | None],
) -> str:
    rows = [
        _Begun(
            lease.run_id,
            lease.fence,
            timeout_of(begun[lease.run_id].shape, lease.policy),
            args.get(lease.run_id),
            policies[lease.run_id],
        )
        for lease in leases
        if lease.run_id in begun
    ]
    return msgspec.json.encode(sorted(rows, key=lambda row: row.run_id)).decode()
