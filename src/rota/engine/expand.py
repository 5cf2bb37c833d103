"""Expand: a run of a graph that was claimed becomes rows for its nodes, and runs of the first.

In the transaction of the claim, so that no slot is held and a crash leaves it as it was. The
run itself is suspended until its nodes have ended.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec

from rota.engine.courses import Course, Shape, course_of, remember, shape_of
from rota.engine.nodes import Board, NodeRow, node_row
from rota.engine.restart import place
from rota.engine.step import Step
from rota.engine.turns import let_next, may_begin, takes_turns
from rota.errors import BadGraph, BadInput
from rota.model.graph import Node
from rota.model.run import ErrorDetail, Lease, Verdict
from rota.model.spec import GraphTarget, JobSpec
from rota.store.base import Tx

_spec = msgspec.json.Decoder(JobSpec)


class _Begun(msgspec.Struct, frozen=True):
    run_id: str
    fence: int
    timeout_ms: int | None


def expand(tx: Tx, leases: Sequence[Lease], *, namespace: str) -> list[Verdict]:
    """Begin these runs of graphs; gives the verdicts that follow, for those that cannot begin."""
    begun: dict[str, Course] = {}
    verdicts: list[Verdict] = []
    current = _Current(tx, namespace)
    versions: dict[str, dict[str, int]] = {}
    refused: set[str] = set()
    for lease in leases:
        shape: Shape | None = None
        try:
            shape = shape_of(tx, lease.job, lease.version, namespace=namespace)
            if not may_begin(tx, lease, shape.graph, namespace=namespace):
                continue
            versions[lease.run_id] = current.versions(shape.plan.nodes.values())
            begun[lease.run_id] = course_of(lease.run_id, shape, lease.args)
        except BadInput as error:
            verdicts.append(refusal(lease, error))
            if shape is not None and takes_turns(shape.graph):
                refused.add(lease.job)
    # Who waits for one that cannot begin asks again, when its end is written.
    let_next(tx, refused, namespace=namespace)
    if not begun:
        return verdicts
    tx.execute("suspend_runs", batch=_batch(leases, begun), namespace=namespace)
    step = Step(tx, begun, namespace=namespace, board=Board(tx, leases[0].claimed_at))
    kept = _kept(tx, begun)
    for graph_id, course in begun.items():
        remember(tx, course)
        place(step, course, versions[graph_id], kept.get(graph_id, {}))
    return verdicts + step.run()


def refusal(lease: Lease, error: Exception) -> Verdict:
    """A run that cannot be carried out as it is; another attempt would be in vain."""
    detail = ErrorDetail(type=type(error).__name__, message=str(error)[:2_000])
    return Verdict(
        run_id=lease.run_id,
        fence=lease.fence,
        verb="fail",
        kind="error",
        error=msgspec.json.encode(detail).decode(),
        reason="not worth a retry",
        fired=lease.origin is not None,
        parent_id=lease.parent_id,
        node=lease.node,
        item=lease.item,
    )


def _kept(tx: Tx, begun: dict[str, Course]) -> dict[str, dict[str, NodeRow]]:
    found: dict[str, dict[str, NodeRow]] = {}
    for row in tx.all("existing_nodes", ids=json.dumps(sorted(begun))):
        kept = node_row(row)
        found.setdefault(kept.graph_id, {})[kept.name] = kept
    if found:
        tx.execute("forget_nodes", ids=json.dumps(sorted(found)))
    return found


def _batch(leases: Sequence[Lease], begun: dict[str, Course]) -> str:
    rows = [
        _Begun(lease.run_id, lease.fence, begun[lease.run_id].shape.timeout_ms)
        for lease in leases
        if lease.run_id in begun
    ]
    return msgspec.json.encode(sorted(rows, key=lambda row: row.run_id)).decode()


class _Current:
    """The versions that jobs have now: runs of nodes are pinned to them."""

    def __init__(self, tx: Tx, namespace: str) -> None:
        self._tx = tx
        self._namespace = namespace
        self._known: dict[str, int] = {}

    def versions(self, planned: Any) -> dict[str, int]:
        nodes: list[Node] = [each.node for each in planned]
        names = {node.job or node.graph or "" for node in nodes}
        missing = sorted(names.difference(self._known))
        if missing:
            at = {"namespace": self._namespace, "names": json.dumps(missing)}
            for row in self._tx.all("node_versions", **at):
                self._known[row["name"]] = row["version"]
        for node in nodes:
            job = node.job or node.graph or ""
            if job not in self._known:
                kind = "job" if node.job else "graph"
                raise BadGraph(f"node {node.name!r}: {kind} {job!r} is not on record")
        return {node.name: self._known[node.job or node.graph or ""] for node in nodes}


def is_graph(spec: JobSpec) -> bool:
    return isinstance(spec.target, GraphTarget)
