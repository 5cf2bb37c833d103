"""Resolve: leases of nodes get their arguments, with the results of other nodes in them.

By reference until here: a result is stored once, however many nodes use it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from rota.engine.courses import Course, courses
from rota.engine.expand import refusal
from rota.engine.node_results import Known
from rota.errors import BadGraph, BadInput
from rota.model.run import Lease, Verdict
from rota.rules.node_values import arguments_of
from rota.store.base import Tx


def resolve(
    tx: Tx, leases: Sequence[Lease], *, namespace: str
) -> tuple[list[Lease], list[Verdict]]:
    """The leases, ready to be carried out; and verdicts for those whose arguments do not exist."""
    parents = {lease.parent_id for lease in leases if lease.parent_id is not None}
    if not parents:
        return list(leases), []
    known = courses(tx, parents, namespace=namespace)
    results = Known(tx)
    results.load(
        (course.graph_id, name)
        for lease in leases
        if (course := known.get(lease.parent_id or "")) and lease.node in course.shape.late
        for name in course.shape.needs[lease.node]
    )
    ready: list[Lease] = []
    refused: list[Verdict] = []
    for lease in leases:
        course = known.get(lease.parent_id or "")
        try:
            ready.append(_resolved(lease, course, results))
        except BadInput as error:
            refused.append(refusal(lease, error))
    return ready, refused


def _resolved(lease: Lease, course: Course | None, results: Known) -> Lease:
    if lease.parent_id is None:
        return lease
    if course is None:
        raise BadGraph(f"node {lease.node!r}: the run of its graph, {lease.parent_id}, is gone")
    name = lease.node or ""
    if name not in course.shape.late:
        return lease
    node = course.shape.plan.nodes[name].node
    item: Any = msgspec.json.decode(lease.args) if lease.item is not None else None
    values = results.values(course, course.shape.needs[name], item=item, position=lease.item or 0)
    args = msgspec.json.encode(arguments_of(node, values)).decode()
    return msgspec.structs.replace(lease, args=args)
