"""Complete: end the run of a graph once all of its nodes have ended."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import msgspec

from rota.engine.graphs.graph_run import GraphRun
from rota.engine.graphs.nodes.links import verdict_facts
from rota.engine.graphs.nodes.results import NodeResults
from rota.engine.graphs.nodes.rows import END, MAX_REASON, TRIPPED, DecidedEnd, NodeRows, decided
from rota.engine.graphs.policy import retries_of
from rota.engine.values.result_cache import noted
from rota.errors import BadInput, PayloadTooLarge
from rota.model.runs.run import Verdict
from rota.rules.graphs.joins import Ending
from rota.rules.graphs.node_values import result_of
from rota.rules.graphs.outcome import outcome_of
from rota.store.base import Row, Tx

MAX_MADE_BYTES = 16_000_000
"""The limit of a graph result built from many node results; each of these has its own limit."""


class FailedNode(NamedTuple):
    """A node that failed, or was given up because a node before it failed."""

    name: str
    reason: str | None
    is_own: bool


class Propagating(Protocol):
    """The part of a propagation that this module uses."""

    tx: Tx
    node_rows: NodeRows
    graph_runs: dict[str, GraphRun]


class GraphOutcome(NamedTuple):
    """The consequences of a propagation; `restart.go_on` begins the restarts for its caller."""

    verdicts: list[Verdict]
    restarts: dict[str, int]
    """The runs of graphs to begin again, each with the database time of its restart."""


def complete(propagation: Propagating, over: Sequence[str]) -> GraphOutcome:
    """Decide how these runs end, from the nodes that count, and which of them begin again."""
    ids = json.dumps(sorted(over))
    bad: dict[str, list[FailedNode]] = {}
    causes: dict[str, list[FailedNode]] = {}
    ran: set[str] = set()
    for row in propagation.tx.all("bad_nodes", ids=ids):
        graph_id = str(row["graph_id"])
        planned = propagation.graph_runs[graph_id].shape.plan.nodes[row["name"]]
        if planned.node.kind == "notify":
            continue  # its own row shows that it failed
        if row["run_id"] is not None or row["width"] is not None:
            ran.add(graph_id)
        each = FailedNode(row["name"], row["reason"], is_own=row["state"] == "failed")
        if planned.counts:
            bad.setdefault(graph_id, []).append(each)
        if each.is_own:
            causes.setdefault(graph_id, []).append(each)
    rows = propagation.tx.all("lock_graphs", ids=ids)
    results = NodeResults(propagation.tx)
    results.load_all(
        (graph_id, name)
        for graph_id in over
        if graph_id not in bad
        for name in propagation.graph_runs[graph_id].shape.result_needs
        if propagation.graph_runs[graph_id].shape.whole_result is None
    )
    results.load(
        (graph_id, whole)
        for graph_id in over
        if graph_id not in bad and (whole := propagation.graph_runs[graph_id].shape.whole_result)
    )
    propagation.tx.all("end_graphs", ids=ids)
    causes_told = {
        graph_id: _causes(judged, causes.get(graph_id, [])) for graph_id, judged in bad.items()
    }
    for graph_id in over:
        end = propagation.node_rows.rows[graph_id, END]
        if end.state == TRIPPED and decided(end.result) is None:
            causes_told[graph_id] = _first_failed(end.reason or "", causes.get(graph_id, []))
    verdicts = [
        _verdict(propagation, row, causes_told.get(str(row["id"]), []), results) for row in rows
    ]
    restarts: dict[str, int] = {}
    for row, verdict in zip(rows, verdicts, strict=True):
        retries = retries_of(propagation.graph_runs[verdict.run_id].shape, row["policy"])
        # If no failed node ever ran, a new try would fail at once in the same way.
        is_worth = verdict.run_id in ran and row["failures"] < retries
        is_worth = (
            is_worth and decided(propagation.node_rows.rows[verdict.run_id, END].result) is None
        )
        if verdict.verb == "fail_graph" and is_worth:
            restarts[verdict.run_id] = row["now"]
    return GraphOutcome([each for each in verdicts if each.run_id not in restarts], restarts)


def _causes(judged: list[FailedNode], failed: list[FailedNode]) -> list[FailedNode]:
    """The causes of a failed run: failed nodes that count, else any failed, else all that count."""
    return [each for each in judged if each.is_own] or failed or judged


def _first_failed(name: str, failed: list[FailedNode]) -> list[FailedNode]:
    """The node whose failure kept others from starting; nodes stopped by it are not causes."""
    return [each for each in failed if each.name == name] or [FailedNode(name, None, is_own=True)]


def _verdict(
    propagation: Propagating, row: Row, bad: list[FailedNode], results: NodeResults
) -> Verdict:
    graph_id = str(row["id"])
    facts: dict[str, Any] = verdict_facts(row)
    facts["quiet"] = propagation.graph_runs[graph_id].shape.is_quiet
    end = propagation.node_rows.rows[graph_id, END]
    if how := decided(end.result):
        return Verdict(verb=how.verb, reason=_as_decided(how, propagation, graph_id, bad), **facts)
    if end.state == TRIPPED:
        return Verdict(verb="fail_graph", reason=_failed_in_words(bad), **facts)
    if outcome_of(Ending.FAILED for _ in bad) == "failed":
        return Verdict(verb="fail_graph", reason=_failed_in_words(bad), **facts)
    try:
        result = _result(propagation.graph_runs[graph_id], results)
        return Verdict(verb="complete", result=result, **facts, **noted(row["policy"]))
    except BadInput as error:
        return Verdict(verb="fail_graph", reason=f"its result: {error}"[:MAX_REASON], **facts)


def _result(graph_run: GraphRun, results: NodeResults) -> str:
    graph = graph_run.shape.graph
    if graph.result is None:
        return "null"
    if graph_run.shape.whole_result is not None:
        return results.text_of((graph_run.graph_id, graph_run.shape.whole_result))
    values = results.values(graph_run, graph_run.shape.result_needs)
    text = msgspec.json.encode(result_of(graph, values))
    if len(text) > MAX_MADE_BYTES:
        raise PayloadTooLarge(
            f"it takes {len(text):,} bytes and the limit is {MAX_MADE_BYTES:,}; let a last node "
            "make less of it"
        )
    return text.decode()


def _as_decided(
    how: DecidedEnd, propagation: Propagating, graph_id: str, bad: list[FailedNode]
) -> str | None:
    """The decided reason, plus a teardown whose failure counts: it may have left things behind."""
    nodes = propagation.graph_runs[graph_id].shape.plan.nodes
    failed_teardowns = [
        each for each in bad if each.is_own and nodes[each.name].node.kind == "teardown"
    ]
    if not failed_teardowns:
        return how.reason
    first = min(failed_teardowns)
    says = f"teardown {first.name} failed{f': {first.reason}' if first.reason else ''}"
    return f"{how.reason}; {says}"[:MAX_REASON]


def _failed_in_words(bad: list[FailedNode]) -> str:
    first = min(bad)
    more = f" and {len(bad) - 1} more" if len(bad) > 1 else ""
    return f"node {first.name}{more} failed{f': {first.reason}' if first.reason else ''}"[
        :MAX_REASON
    ]
