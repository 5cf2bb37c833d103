"""Propagation: apply the ends of nodes to the nodes after them, in waves until nothing changes."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from rota.engine.failures.batch_isolation import keepable
from rota.engine.graphs.complete import GraphOutcome, complete
from rota.engine.graphs.failure_modes import fail_fast, stop
from rota.engine.graphs.graph_run import GraphRun
from rota.engine.graphs.nodes.endings import ENDINGS, NodeEnding
from rota.engine.graphs.nodes.mapped import instance_ended
from rota.engine.graphs.nodes.results import NodeResults
from rota.engine.graphs.nodes.rows import (
    END,
    MAX_REASON,
    STATES,
    WAITING,
    NodeRow,
    NodeRows,
    Place,
    error_text,
)
from rota.engine.graphs.nodes.start import NodeStarts
from rota.engine.graphs.shape import DECIDING
from rota.engine.graphs.stopping import Stopping, end_stopped, is_stopping
from rota.engine.values.artifacts import given
from rota.engine.values.stored_text import read
from rota.errors import BadInput
from rota.model.runs.run import ErrorDetail, Verdict
from rota.rules.graphs.joins import Ending, JoinDecision, ending_of, judge
from rota.rules.graphs.node_values import is_wanted, items_of
from rota.rules.graphs.outcome import branch_skips, short_circuit_skips
from rota.store.base import Tx

_SETUP_FIELDS = {
    Ending.SUCCESS: "setup_success",
    Ending.FAILED: "setup_failed",
    Ending.UPSTREAM_FAILED: "setup_failed",
    Ending.SKIPPED: "setup_skipped",
    Ending.REMOVED: "setup_success",
}


_any = msgspec.json.Decoder()


class Propagation:
    """The consequences of the node endings in one transaction."""

    def __init__(
        self,
        tx: Tx,
        by_id: dict[str, GraphRun],
        *,
        namespace: str,
        node_rows: NodeRows | None = None,
    ) -> None:
        self.tx = tx
        self._namespace = namespace
        self.graph_runs = by_id
        self.node_rows = node_rows or NodeRows(tx)
        self.starts = NodeStarts(tx, self.node_rows, namespace=namespace)
        self._wave: dict[Place, Ending] = {}
        self._settling: list[NodeRow] = []
        self._judged: dict[Place, None] = {}
        self._over: list[str] = []
        self.verdicts: list[Verdict] = []

    def take(self, each: NodeEnding) -> None:
        """Apply the end of a run to its node; ignore a run that the node no longer has."""
        row = self.node_rows.rows.get((each.graph_id, each.node))
        if row is None or row.is_final:
            return
        if each.item is not None:
            instance_ended(self, row, each)
        elif row.run_id == each.run_id:
            self._node_ended(row, each)

    def judge(self, places: Iterable[Place]) -> None:
        """Evaluate the joins of these nodes even though none of their parents has ended now."""
        self._judged |= dict.fromkeys(places)

    def end(
        self,
        row: NodeRow,
        ending: Ending,
        reason: str | None = None,
        error: ErrorDetail | None = None,
    ) -> None:
        """End the node with this ending."""
        graph_run = self.graph_runs[row.graph_id]
        if row.state == "active" and graph_run.shape.graph.max_nodes is not None:
            self.starts.give_place(graph_run)
        row.state, row.reason = ending.value, keepable(reason)[:MAX_REASON] if reason else None
        if ending is Ending.FAILED:
            row.result = error_text(error, reason) if row.name in graph_run.shape.errors else None
        self.node_rows.change(row)
        self._wave[row.place] = ending

    def run(self) -> GraphOutcome:
        """Propagate until nothing changes, then write all rows. Call it through `restart.go_on`."""
        while self._wave or self._judged or self.starts.is_waiting:
            self._count()
            self._settle()
            self._judge()
            self._begin()
            self._end_complete()
            if not (self._wave or self._judged):
                self.starts.fill_places()
                self.starts.fill_maps()
            self._fail_refused()
        self.node_rows.flush(self.starts.make())
        if not self._over:
            return GraphOutcome(self.verdicts, {})
        over = complete(self, self._over)
        return GraphOutcome([*self.verdicts, *over.verdicts], over.restarts)

    def _node_ended(self, row: NodeRow, each: NodeEnding) -> None:
        if is_stopping(row):
            end_stopped(self, row)
            return
        graph_run = self.graph_runs[each.graph_id]
        ending, reason, detail = ENDINGS[each.state], each.reason, each.error
        kind = graph_run.shape.plan.nodes[row.name].node.kind
        skips: list[str] = []
        if ending is Ending.SUCCESS:
            if row.name in graph_run.shape.wanted:
                row.result = each.result
            if kind in DECIDING:
                try:
                    text = given(self.tx, each.result or "null", f"the result of node {row.name!r}")
                    skips = _skips(graph_run, row.name, kind, text)
                except BadInput as error:
                    detail = ErrorDetail(type=type(error).__name__, message=str(error))
                    ending, reason = Ending.FAILED, str(error)
        self.end(row, ending, reason, detail)
        if skips:
            self._skip(graph_run, skips, f"{kind} {row.name} left it out")
        if ending is Ending.FAILED:
            fail_fast(self, graph_run, row)

    def _skip(self, graph_run: GraphRun, names: Iterable[str], reason: str) -> None:
        places = [(graph_run.graph_id, name) for name in names]
        self.node_rows.lock(places)
        for place in places:
            row = self.node_rows.rows[place]
            if row.state in WAITING:
                self.end(row, Ending.SKIPPED, reason)

    def _count(self) -> None:
        """Add the nodes of this wave to the counts of their children and dependents."""
        wave, self._wave = self._wave, {}
        self.node_rows.lock(self._heirs(wave))
        for (graph_id, name), ending in wave.items():
            shape = self.graph_runs[graph_id].shape
            for child in shape.children[name]:
                row = self.node_rows.rows[graph_id, child]
                if name in shape.plan.nodes[child].setups:
                    row.add(ending.value, _SETUP_FIELDS[ending])
                else:
                    row.add(ending.value)
                self.node_rows.change(row)
                self._judged[row.place] = None
            for other in shape.dependents.get(name, ()):
                row = self.node_rows.rows[graph_id, other]
                row.add(_SETUP_FIELDS[ending])
                self.node_rows.change(row)
                self._judged[row.place] = None
            own = self.node_rows.rows[graph_id, name]
            if own.settled >= len(shape.plan.nodes[name].parents):
                self._settling.append(own)

    def _heirs(self, wave: Iterable[Place]) -> list[Place]:
        places: list[Place] = []
        for graph_id, name in wave:
            shape = self.graph_runs[graph_id].shape
            places += [(graph_id, each) for each in shape.children[name]]
            places += [(graph_id, each) for each in shape.dependents.get(name, ())]
        return places

    def _settle(self) -> None:
        """Settle nodes that have ended with all nodes above them; with the last one, the run ends.

        A join may let a node end before its parents, so its own end does not imply theirs.
        """
        while self._settling:
            settled, self._settling = self._settling, []
            self.node_rows.lock(self._below(settled))
            for row in settled:
                shape = self.graph_runs[row.graph_id].shape
                for child in shape.children[row.name]:
                    heir = self.node_rows.rows[row.graph_id, child]
                    heir.add("settled")
                    self.node_rows.change(heir)
                    if (
                        heir.is_final
                        and heir.place not in self._wave
                        and heir.settled == len(shape.plan.nodes[child].parents)
                    ):
                        self._settling.append(heir)
                if not shape.children[row.name]:
                    end = self.node_rows.rows[row.graph_id, END]
                    end.add("settled")
                    self.node_rows.change(end)
                    if end.settled == shape.sinks:
                        self._over.append(row.graph_id)

    def _below(self, rows: Iterable[NodeRow]) -> list[Place]:
        places: list[Place] = []
        for row in rows:
            children = self.graph_runs[row.graph_id].shape.children[row.name]
            places += [(row.graph_id, child) for child in children or (END,)]
        return places

    def _judge(self) -> None:
        judged, self._judged = self._judged, {}
        for place in judged:
            row = self.node_rows.rows[place]
            if row.state not in STATES:
                reason = f"its state on record is {row.state!r:.40}, and there is none of that name"
                self._fail(self.graph_runs[row.graph_id], row, reason)
            if row.state not in WAITING:
                continue
            planned = self.graph_runs[row.graph_id].shape.plan.nodes[row.name]
            is_teardown = planned.node.kind == "teardown"
            word = judge(planned.join, row.joined(planned), is_teardown=is_teardown)
            if word is JoinDecision.RUN:
                self.starts.allow(self.graph_runs[row.graph_id], row)
            elif word is not JoinDecision.WAIT:
                self.end(row, ending_of(word), _because(word))

    def _fail_refused(self) -> None:
        """Fail only the nodes whose arguments refer to values that do not exist."""
        for graph_run, row, reason in self.starts.take_refused():
            self._fail(graph_run, row, reason)

    def _end_complete(self) -> None:
        """End mapped nodes with nothing to do: no items, or all items done before."""
        for row in self.starts.take_complete():
            if not row.is_final:
                self.end(row, Ending.SUCCESS, None if row.width else "there were no items")

    def _fail(self, graph_run: GraphRun, row: NodeRow, reason: str) -> None:
        if row.width is None:
            self.end(row, Ending.FAILED, reason, ErrorDetail(type="BadGraph", message=reason))
            row.run_id = None  # it may be from an earlier try; this time nothing ran
        else:
            stop(self, row, Stopping(ending=Ending.FAILED, reason=reason, type="BadGraph"))
        fail_fast(self, graph_run, row)

    def _begin(self) -> None:
        """Begin nodes that may run: evaluate their conditions, read the lists of mapped nodes."""
        asking = self.starts.take_asking()
        if not asking:
            return
        self.node_rows.flush()
        results = NodeResults(self.tx)
        results.load_all(
            (row.graph_id, name)
            for graph_run, row in asking
            for name in graph_run.shape.asks[row.name]
        )
        for graph_run, row in asking:
            node = graph_run.shape.plan.nodes[row.name].node
            try:
                values = results.values(graph_run, graph_run.shape.asks[row.name])
                if not is_wanted(node, values):
                    self.end(row, Ending.SKIPPED, f"its condition is false: {node.when}")
                elif node.map is None:
                    self.starts.start(graph_run, row)
                else:
                    self.starts.spread(graph_run, row, items_of(node, values))
            except BadInput as error:
                self._fail(graph_run, row, str(error))


def _skips(graph_run: GraphRun, name: str, kind: str, result: str) -> list[str]:
    skips = branch_skips if kind == "branch" else short_circuit_skips
    return skips(graph_run.shape.plan, name, read(_any, result, f"the result of node {name!r}"))


def _because(word: JoinDecision) -> str:
    return "by its parents" if word is JoinDecision.SKIP else "a node before it failed"
