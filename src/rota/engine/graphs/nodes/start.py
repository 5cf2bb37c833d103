"""Starts of nodes: make runs of nodes that may run, with a limit on instances of mapped nodes."""

from __future__ import annotations

from typing import Any

import msgspec

from rota.engine.graphs.earlier_tries import EarlierInstances, earlier_of, with_kept
from rota.engine.graphs.graph_run import GraphRun, policy_for, priority_for, spec_at
from rota.engine.graphs.nodes.results import NodeResults
from rota.engine.graphs.nodes.rows import END, NodeRow, NodeRows, Place
from rota.engine.graphs.redo import carry_over
from rota.engine.graphs.stopping import is_stopping
from rota.engine.values.artifacts import store_large_args
from rota.engine.wakeup_keys import queue_key
from rota.errors import BadGraph, BadInput
from rota.ids import derived_id
from rota.model.graphs.graph import Node
from rota.model.runs.run import NewRun
from rota.rules.graphs.maps import batch_of, instances
from rota.rules.graphs.node_values import arguments_of, items_of
from rota.store.base import Ask, Tx

WINDOW = 2_000
"""The most instances of one mapped node that exist as runs at once; the rest are only counted."""


PAUSED = "paused"
"""The reason of a mapped node whose other instances wait until the run is resumed."""


class NodeStarts:
    """The nodes to start in one transaction."""

    def __init__(self, tx: Tx, node_rows: NodeRows, *, namespace: str) -> None:
        self._tx = tx
        self._node_rows = node_rows
        self._namespace = namespace
        self._asking: list[tuple[GraphRun, NodeRow]] = []
        self._runs: list[NewRun] = []
        self._refills: dict[Place, tuple[GraphRun, NodeRow]] = {}
        self._refused: list[tuple[GraphRun, NodeRow, str]] = []
        self._complete: list[NodeRow] = []
        self._full: dict[str, GraphRun] = {}
        self._freed: dict[str, int] = {}

    @property
    def is_waiting(self) -> bool:
        waiting = self._asking, self._full, self._refills, self._refused, self._complete
        return any(waiting)

    def allow(self, graph_run: GraphRun, row: NodeRow) -> None:
        """Start a node that its parents let run, or keep it ready in a paused or full run."""
        node = graph_run.shape.plan.nodes[row.name].node
        if row.state == "held":
            row.state = "ready"
            self._node_rows.change(row)
        elif graph_run.shape.graph.max_nodes is not None:
            row.state = "ready"
            self._node_rows.change(row)
            self._full[graph_run.graph_id] = graph_run
        elif node.when is None and node.map is None:
            self.start(graph_run, row)
        else:
            row.state = "active"
            self._asking.append((graph_run, row))

    def begin(self, graph_run: GraphRun, row: NodeRow) -> None:
        """Start a ready node, or set it aside until its condition and list are read."""
        node = graph_run.shape.plan.nodes[row.name].node
        if node.when is None and node.map is None:
            self.start(graph_run, row)
        else:
            row.state = "active"
            self._asking.append((graph_run, row))

    def take_asking(self) -> list[tuple[GraphRun, NodeRow]]:
        """Take the nodes that have a condition or a list to read."""
        asking, self._asking = self._asking, []
        return asking

    def take_refused(self) -> list[tuple[GraphRun, NodeRow, str]]:
        """Take the nodes that cannot begin or go on for lack of a value, each with the reason."""
        refused, self._refused = self._refused, []
        return refused

    def take_complete(self) -> list[NodeRow]:
        """Take the mapped nodes that have nothing left to do."""
        complete, self._complete = self._complete, []
        return complete

    def start(self, graph_run: GraphRun, row: NodeRow) -> None:
        """Make the run of an unmapped node; refuse the node if its arguments cannot be made."""
        row.state = "active"
        self._node_rows.change(row)
        try:
            args = self._arguments(graph_run, row)
            run_id = self._id(row, None)
            self._runs.append(self._run(graph_run, row, run_id, args, None))
            earlier = earlier_of(row.earlier)
            if earlier is not None and earlier.child is not None:
                self._carry_over(earlier.child, run_id, row)
        except BadInput as error:
            self._refused.append((graph_run, row, str(error)))
        else:
            row.run_id = run_id

    def _arguments(self, graph_run: GraphRun, row: NodeRow) -> str:
        plain = graph_run.shape.plain.get(row.name)
        if plain is not None:
            return plain
        if row.name in graph_run.late:
            return "{}"
        node = graph_run.shape.plan.nodes[row.name].node
        return _encode(node, arguments_of(node, NodeResults(self._tx).values(graph_run, ())))

    def spread(self, graph_run: GraphRun, row: NodeRow, items: list[Any]) -> None:
        """Begin a mapped node with its items; BadInput if an item makes no arguments."""
        node = graph_run.shape.plan.nodes[row.name].node
        batch = node.map.batch if node.map else 1
        row.width, row.made, row.ended, row.bad = instances(len(items), batch=batch), 0, 0, 0
        row.state = "active"
        earlier = earlier_of(row.earlier)
        if earlier is not None and earlier.width > row.width:
            row.earlier = None  # it is another list
        self._node_rows.change(row)
        try:
            self._fill(graph_run, row, items)
        except BadInput:
            row.width = row.made = row.ended = row.bad = None  # it has not begun
            raise

    def refill(self, graph_run: GraphRun, row: NodeRow) -> None:
        """Check whether ended instances of a mapped node make room for others."""
        if (row.made or 0) < (row.width or 0) and row.reason != PAUSED:
            self._refills[row.place] = graph_run, row

    def give_place(self, graph_run: GraphRun) -> None:
        """Free the place of an ended node in a run that limits how many nodes run at once."""
        self._full[graph_run.graph_id] = graph_run
        self._freed[graph_run.graph_id] = self._freed.get(graph_run.graph_id, 0) + 1

    def fill_places(self) -> None:
        """Begin ready nodes while there is room; the row of the run's end counts running nodes."""
        full, self._full = self._full, {}
        if not full:
            return
        self._node_rows.lock((graph_id, END) for graph_id in full)
        self._node_rows.flush()
        for graph_id, graph_run in full.items():
            end = self._node_rows.rows[graph_id, END]
            running = max(0, (end.made or 0) - self._freed.pop(graph_id, 0))
            room = (graph_run.shape.graph.max_nodes or 0) - running
            ready = self._node_rows.lock_ready(graph_id, limit=room) if room > 0 else []
            if end.state != "paused":
                for row in ready:
                    self.begin(graph_run, row)
                running += len(ready)
            end.made = running
            self._node_rows.change(end)

    def fill_maps(self) -> None:
        """Make the instances of mapped nodes for which there is room now."""
        refills, self._refills = self._refills, {}
        for graph_run, row in refills.values():
            if row.is_final or is_stopping(row):
                continue
            try:
                self._refill(graph_run, row)
            except BadInput as error:
                self._refused.append((graph_run, row, str(error)))

    def make(self) -> list[Ask]:
        """The statements that insert all runs."""
        if not self._runs:
            return []
        self._tx.offer({run.id: queue_key(self._namespace, run.queue) for run in self._runs})
        batch = msgspec.json.encode(store_large_args(self._tx, self._runs)).decode()
        self._runs = []
        params = {"batch": batch, "namespace": self._namespace}
        return [("insert_children", params)]

    def _refill(self, graph_run: GraphRun, row: NodeRow) -> None:
        node = graph_run.shape.plan.nodes[row.name].node
        live = (row.made or 0) - (row.ended or 0)
        limit = self._window(graph_run, row)
        if live > limit // 2 and limit == WINDOW:
            return  # read a long list again only when it pays
        results = NodeResults(self._tx)
        asks = graph_run.shape.asks[row.name]
        results.load_all((row.graph_id, name) for name in asks)
        self._fill(graph_run, row, items_of(node, results.values(graph_run, asks)))

    def _window(self, graph_run: GraphRun, row: NodeRow) -> int:
        mapped = graph_run.shape.plan.nodes[row.name].node.map
        cap = mapped.concurrency if mapped and mapped.concurrency else WINDOW
        return min(cap, WINDOW)

    def _fill(self, graph_run: GraphRun, row: NodeRow, items: list[Any]) -> None:
        node = graph_run.shape.plan.nodes[row.name].node
        batch = node.map.batch if node.map else 1
        index, ended = row.made or 0, row.ended or 0
        width, window = row.width or 0, self._window(graph_run, row)
        is_late = row.name in graph_run.late
        params, past = NodeResults(self._tx), EarlierInstances(self._tx, row)
        runs: list[NewRun] = []
        carried: list[tuple[str, str]] = []
        while index < width:
            if past.has(index):  # even beyond the limit on running instances
                index, ended = index + 1, ended + 1
                continue
            if index - ended >= window:
                break
            places = batch_of(index, items=len(items), batch=batch)
            item = items[places[0]] if batch == 1 else [items[at] for at in places]
            if is_late:
                args = _encode(node, item)
            else:
                values = params.values(graph_run, (), item=item, position=index)
                args = _encode(node, arguments_of(node, values))
            run_id = self._id(row, index, len(runs))
            runs.append(self._run(graph_run, row, run_id, args, index))
            if node.graph is not None and (before := past.run_of(index)):
                carried.append((before, run_id))
            index += 1
        self._runs += runs  # all or none: a node that fails leaves no instances behind
        for old, new in carried:
            self._carry_over(old, new, row)
        row.earlier = with_kept(row.earlier, ended - (row.ended or 0))
        row.made, row.ended = index, ended
        self._node_rows.change(row)
        if ended >= width:
            self._complete.append(row)

    def _carry_over(self, old: str, new: str, row: NodeRow) -> None:
        """Let the new run of an inner graph continue from the work of an earlier run."""
        carry_over(self._tx, old, new, row.version or 0, namespace=self._namespace)

    def _id(self, row: NodeRow, index: int | None, more: int = 0) -> str:
        text = f"{row.graph_id}/{row.name}/{index}/{row.run_id}"
        # A later try gets later ids, whatever the clock says, because the last one counts.
        earlier = earlier_of(row.earlier)
        later = 2 * earlier.tries if earlier else 0
        return derived_id(self._node_rows.now + later, len(self._runs) + more, text)

    def _run(
        self, graph_run: GraphRun, row: NodeRow, run_id: str, args: str, index: int | None
    ) -> NewRun:
        node = graph_run.shape.plan.nodes[row.name].node
        job = node.job or node.graph or ""
        spec = spec_at(self._tx, job, row.version or 0, namespace=self._namespace)
        return NewRun(
            id=run_id,
            job=job,
            version=row.version or 0,
            queue=node.queue or spec.queue,
            priority=priority_for(row.name, node, spec, graph_run.shape),
            args=args,
            expires_ms=spec.expires_ms,
            at_most_once=spec.delivery == "at_most_once",
            policy=policy_for(node, spec, graph_run),
            parent_id=row.graph_id,
            node=row.name,
            item=index,
            origin=graph_run.origin,
        )


def _encode(node: Node, value: Any) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise BadGraph(f"node {node.name!r}: what it is to be given is no JSON: {error}") from error
