"""Resolve: leases of nodes get their arguments, with the results of other nodes in them.

By reference until here: a result is stored once, however many nodes use it. What is large or
long is not read in the transaction of the claim: its lease is marked, and `resolve_later` gives
all that is needed to complete it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from rota.engine.courses import Course, courses
from rota.engine.keep import load_kept
from rota.engine.kin import refusal
from rota.engine.node_results import Known
from rota.engine.nodes import Place
from rota.errors import BadGraph, BadInput
from rota.model.artifact import is_pointer
from rota.model.run import Lease, Verdict
from rota.rules.node_values import arguments_of
from rota.store.base import Tx

WIDEST = 1_000
"""Results of more instances than this are read after the claim."""


def resolve(
    tx: Tx, leases: Sequence[Lease], *, namespace: str
) -> tuple[list[Lease], list[Verdict]]:
    """The leases, ready to be carried out; and verdicts for those whose arguments do not exist."""
    parents = {lease.parent_id for lease in leases if lease.parent_id is not None}
    if not parents:
        return list(leases), []
    known = courses(tx, parents, namespace=namespace)
    results = Known(tx, widest=WIDEST)
    results.load(
        place
        for lease in leases
        if (course := known.get(lease.parent_id or ""))
        for place in _places(lease, course)
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


class Unresolved:
    """A lease whose arguments are still to be made, and what they are made of."""

    def __init__(self, lease: Lease, course: Course | None, results: Known) -> None:
        self.lease = lease
        self._course = course
        self._results = results
        self._texts: dict[str, str] = {}

    def apart(self) -> set[str]:
        """Pointers to what is to be fetched."""
        own = {self.lease.args} if is_pointer(self.lease.args) else set()
        return (own | self._results.apart()) - self._texts.keys()

    def fill(self, texts: Mapping[str, str]) -> None:
        self._texts.update(texts)
        self._results.fill(texts)

    def resolved(self) -> Lease:
        """The lease with its arguments; BadInput if they cannot be made."""
        args = self._texts.get(self.lease.args, self.lease.args)
        lease = msgspec.structs.replace(self.lease, args=args, is_open=False)
        if self._course is None or lease.node not in self._course.late:
            return lease
        return with_arguments(lease, self._course, self._results)


def resolve_later(tx: Tx, lease: Lease, *, namespace: str) -> Unresolved:
    """What a marked lease needs; only reads, and not in the transaction of the claim."""
    course = None
    results = Known(tx)
    if lease.parent_id is not None:
        course = courses(tx, [lease.parent_id], namespace=namespace).get(lease.parent_id)
        if course is None:
            raise _gone(lease)
        results.load(_places(lease, course))
    unresolved = Unresolved(lease, course, results)
    unresolved.fill(load_kept(tx, unresolved.apart()))
    return unresolved


def with_arguments(lease: Lease, course: Course, results: Known) -> Lease:
    """With arguments in which all values are known."""
    name = lease.node or ""
    node = course.shape.plan.nodes[name].node
    item: Any = msgspec.json.decode(lease.args) if lease.item is not None else None
    values = results.values(course, course.shape.needs[name], item=item, position=lease.item or 0)
    args = msgspec.json.encode(arguments_of(node, values)).decode()
    return msgspec.structs.replace(lease, args=args)


def whose(lease: Lease) -> str:
    if lease.node is None:
        return "an argument of the run"
    return f"an argument of node {lease.node!r}"


def _places(lease: Lease, course: Course) -> list[Place]:
    return [(course.graph_id, name) for name in course.shape.needs[lease.node or ""]]


def _resolved(lease: Lease, course: Course | None, results: Known) -> Lease:
    if lease.parent_id is None:
        return lease
    if course is None:
        raise _gone(lease)
    name = lease.node or ""
    if name in course.asked:
        lease = msgspec.structs.replace(lease, is_asked=True)
    if name not in course.late:
        return lease
    if is_pointer(lease.args) or not results.is_whole(_places(lease, course)):
        return msgspec.structs.replace(lease, is_open=True)
    return with_arguments(lease, course, results)


def _gone(lease: Lease) -> BadGraph:
    return BadGraph(f"node {lease.node!r}: the run of its graph, {lease.parent_id}, is gone")
