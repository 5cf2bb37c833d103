"""Arguments of nodes: put the results of other nodes into the arguments of leases.

Until here arguments refer to results: a result is stored once, however many nodes use it. The
transaction of the claim does not read large values or long lists: it marks the lease, and
`resolve_later` returns what is needed to complete it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from rota.engine.failures.batch_isolation import each_apart
from rota.engine.graphs.graph_run import GraphRun, graph_runs, spec_at
from rota.engine.graphs.nodes.links import refusal
from rota.engine.graphs.nodes.results import NodeResults
from rota.engine.graphs.nodes.rows import Place
from rota.engine.values.artifacts import load_kept
from rota.engine.values.result_cache import hit, recall, with_memo
from rota.engine.values.stored_text import read
from rota.errors import BadGraph, BadInput
from rota.model.graphs.graph import Cache
from rota.model.runs.run import Lease, Verdict
from rota.model.values.artifact import is_pointer
from rota.rules.graphs.expressions.cel import Values
from rota.rules.graphs.node_values import arguments_of
from rota.store.base import Tx

_any = msgspec.json.Decoder()
_arguments = msgspec.json.Decoder(dict[str, Any])
WIDEST = 1_000
"""The results of mapped nodes with more instances than this are read after the claim."""


def resolve(
    tx: Tx, leases: Sequence[Lease], *, namespace: str
) -> tuple[list[Lease], list[Verdict]]:
    """Return the leases to carry out, and verdicts on the other leases.

    The others are leases whose arguments do not exist or whose result is already cached.
    """
    if not tx.is_careful:
        return _resolve(tx, leases, namespace)
    resolved = each_apart(
        tx,
        leases,
        lambda lease: _resolve(tx, [lease], namespace),
        instead=lambda lease, error: ([], [refusal(lease, error)]),
    )
    return [each for ready, _ in resolved for each in ready], [
        each for _, bad in resolved for each in bad
    ]


def _resolve(tx: Tx, leases: Sequence[Lease], namespace: str) -> tuple[list[Lease], list[Verdict]]:
    parents = {lease.parent_id for lease in leases if lease.parent_id is not None}
    outer_runs = graph_runs(tx, parents, namespace=namespace) if parents else {}
    results = NodeResults(tx, widest=WIDEST)
    results.load(
        place
        for lease in leases
        if (graph_run := outer_runs.get(lease.parent_id or ""))
        for place in _places(lease, graph_run)
    )
    ready: list[Lease] = []
    verdicts: list[Verdict] = []
    for lease in leases:
        graph_run = outer_runs.get(lease.parent_id or "")
        try:
            cache = cache_of(tx, lease, graph_run, namespace=namespace)
            ready.append(_fill(lease, graph_run, results, cache))
        except BadInput as error:
            verdicts.append(refusal(lease, error))
    memos = recall(tx, ready, namespace=namespace)
    if memos:
        verdicts += [hit(lease, memos[lease.run_id]) for lease in ready if lease.run_id in memos]
        ready = [lease for lease in ready if lease.run_id not in memos]
    return ready, verdicts


def cache_of(tx: Tx, lease: Lease, graph_run: GraphRun | None, *, namespace: str) -> Cache | None:
    """The cache settings of a lease's node, or else of its job; None if neither has any."""
    own = graph_run.shape.plan.nodes[lease.node or ""].node.cache if graph_run else None
    return own or spec_at(tx, lease.job, lease.version, namespace=namespace).cache


class Unresolved:
    """A lease whose arguments are not complete yet, and the values they need."""

    def __init__(
        self, lease: Lease, graph_run: GraphRun | None, results: NodeResults, cache: Cache | None
    ) -> None:
        self.lease = lease
        self._graph_run = graph_run
        self._results = results
        self._cache = cache
        self._texts: dict[str, str] = {}

    def apart(self) -> set[str]:
        """Pointers to the values that are still to be fetched."""
        own = {self.lease.args} if is_pointer(self.lease.args) else set()
        return (own | self._results.apart()) - self._texts.keys()

    def fill(self, texts: Mapping[str, str]) -> None:
        self._texts.update(texts)
        self._results.fill(texts)

    def resolved(self) -> Lease:
        """The lease with its arguments; BadInput if they cannot be made."""
        args = self._texts.get(self.lease.args, self.lease.args)
        lease = msgspec.structs.replace(self.lease, args=args, is_open=False)
        return completed(lease, self._graph_run, self._results, self._cache)


def resolve_later(tx: Tx, lease: Lease, *, namespace: str) -> Unresolved:
    """Load what a marked lease needs; reads only, outside the transaction of the claim."""
    graph_run = None
    results = NodeResults(tx)
    if lease.parent_id is not None:
        graph_run = graph_runs(tx, [lease.parent_id], namespace=namespace).get(lease.parent_id)
        if graph_run is None:
            raise _gone(lease)
        results.load(_places(lease, graph_run))
    cache = cache_of(tx, lease, graph_run, namespace=namespace) if lease.is_open else None
    unresolved = Unresolved(lease, graph_run, results, cache)
    unresolved.fill(load_kept(tx, unresolved.apart()))
    return unresolved


def completed(
    lease: Lease, graph_run: GraphRun | None, results: NodeResults, cache: Cache | None
) -> Lease:
    """The lease with its arguments and the cache key of its result, if these come only now."""
    if graph_run is not None and (lease.node in graph_run.late or cache is not None):
        return with_arguments(lease, graph_run, results, cache)
    if cache is None:
        return lease
    args = read(_arguments, lease.args, "the arguments of the run")
    return with_memo(lease, cache, args, Values({}, {}, params=args))


def with_arguments(
    lease: Lease, graph_run: GraphRun, results: NodeResults, cache: Cache | None
) -> Lease:
    """The lease of a node, with all values filled into its arguments."""
    name = lease.node or ""
    node = graph_run.shape.plan.nodes[name].node
    is_late = name in graph_run.late
    params: Any = read(_any, lease.args, f"what node {name!r} was given")
    item = params if lease.item is not None and is_late else None
    values = results.values(
        graph_run, graph_run.shape.needs[name], item=item, position=lease.item or 0
    )
    args: dict[str, Any] = arguments_of(node, values) if is_late else params
    if is_late:
        lease = msgspec.structs.replace(lease, args=msgspec.json.encode(args).decode())
    if cache is None:
        return lease
    if cache is not node.cache:
        values = Values({}, {}, params=args)  # a job's cache key knows only the arguments
    return with_memo(lease, cache, args, values)


def whose(lease: Lease) -> str:
    if lease.node is None:
        return "an argument of the run"
    return f"an argument of node {lease.node!r}"


def _places(lease: Lease, graph_run: GraphRun) -> list[Place]:
    return [(graph_run.graph_id, name) for name in graph_run.shape.needs[lease.node or ""]]


def _fill(
    lease: Lease, graph_run: GraphRun | None, results: NodeResults, cache: Cache | None
) -> Lease:
    if lease.parent_id is None:
        needs_reading = cache is not None and is_pointer(lease.args)
    elif graph_run is None:
        raise _gone(lease)
    else:
        name = lease.node or ""
        if name in graph_run.asked:
            lease = msgspec.structs.replace(lease, is_asked=True)
        if name not in graph_run.late and cache is None:
            return lease
        is_whole = results.is_whole(_places(lease, graph_run))
        needs_reading = is_pointer(lease.args) or not is_whole
    if needs_reading:
        return msgspec.structs.replace(lease, is_open=True)
    return completed(lease, graph_run, results, cache)


def _gone(lease: Lease) -> BadGraph:
    return BadGraph(f"node {lease.node!r}: the run of its graph, {lease.parent_id}, is gone")
