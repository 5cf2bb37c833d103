"""Node views: the states of the nodes of a graph run, for people."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from rota.clock import Moment, moment
from rota.engine.graphs.earlier_tries import earlier_of
from rota.engine.graphs.graph_run import graph_runs
from rota.engine.graphs.nodes.rows import TRIPPED, DecidedEnd, decided
from rota.model.graphs.run_nodes import GraphEdge, MapProgress, NodeView
from rota.model.runs.run import cached_from
from rota.model.view import view_of
from rota.rules.graphs import GraphPlan, Planned
from rota.rules.graphs.joins import Ending
from rota.rules.graphs.progress import WAITS
from rota.store.base import Row, Tx

MOST_ITEMS = 20_000
"""The most instances read to find when their nodes began and ended."""


def nodes(tx: Tx, run_id: str, *, namespace: str) -> list[NodeView]:
    """All nodes of a graph run, parents first; empty if the run is no graph or has not begun."""
    rows = {row["name"]: row for row in tx.all("list_nodes", graph_id=run_id)}
    if not rows:
        return []
    plan = graph_runs(tx, [run_id], namespace=namespace)[run_id].shape.plan
    return [_view(rows[name], planned) for name, planned in plan.nodes.items() if name in rows]


def with_spans(tx: Tx, run_id: str, views: Sequence[NodeView]) -> list[NodeView]:
    """The nodes, mapped ones with first start and last end of their instances unless too many."""
    if not 0 < sum(each.map.total for each in views if each.map) <= MOST_ITEMS:
        return list(views)
    spans = {row["node"]: row for row in tx.all("item_spans", graph_id=run_id)}
    return [_spanned(each, spans.get(each.name)) for each in views]


def drawn(plan: GraphPlan, begun: Iterable[NodeView], critical: Collection[str]) -> list[NodeView]:
    """All nodes of a plan; the nodes that decide when the run ends are marked as critical."""
    by_name = {each.name: each for each in begun}
    views = [by_name.get(name) or _not_begun(planned) for name, planned in plan.nodes.items()]
    return [replace(each, critical=True) if each.name in critical else each for each in views]


def edges_of(plan: GraphPlan) -> list[GraphEdge]:
    """The edges of a plan, from each node to the nodes after it."""
    return [
        GraphEdge(before=parent, after=name, when=each.node.when)
        for name, each in plan.nodes.items()
        for parent in each.parents
    ]


def word_of(state: str, run_state: str | None) -> str:
    """The state of a node for people: for an active node, the state of its run."""
    if state != "active":
        return state
    if run_state is None or run_state == "suspended":
        return "running"
    return "held" if run_state == "pending" else run_state


def is_paused(tx: Tx, run_id: str) -> bool:
    """Whether a graph run is paused: it starts no other nodes until it is resumed."""
    row = tx.one("find_end", graph_id=run_id)
    return row is not None and row["state"] == "paused"


def ends_as(tx: Tx, run_id: str) -> DecidedEnd | None:
    """The decided ending of a graph run that winds down; None if it does not wind down."""
    row = tx.one("find_end", graph_id=run_id)
    return None if row is None or row["state"] != TRIPPED else decided(row["result"])


def _not_begun(planned: Planned) -> NodeView:
    return NodeView(word="pending", state=None, **_planned(planned))


def _planned(planned: Planned) -> dict[str, Any]:
    """The fields of a node view that come from the plan."""
    node = planned.node
    return {
        "name": node.name,
        "job": node.job or node.graph or "",
        "group": node.group,
        "kind": node.kind,
        "join": planned.join,
        "level": planned.level,
        "is_graph": node.graph is not None,
        "parents": planned.parents,
    }


def _view(row: Row, planned: Planned) -> NodeView:
    is_mapped = row["width"] is not None
    run_state = None if is_mapped else row["run_state"]
    return view_of(
        NodeView,
        row,
        **_planned(planned),
        word=word_of(row["state"], run_state),
        run_state=run_state,
        run_id=str(row["run_id"]) if row["run_id"] and not is_mapped else None,
        attempt=None if is_mapped else row["attempt"],
        duration_ms=_lasted(row["started_at"], row["finished_at"]),
        cached_from=cached_from(row["reason"]) if row["state"] == Ending.SUCCESS else None,
        map=_map(row) if is_mapped else None,
    )


def _map(row: Row) -> MapProgress:
    done, made = row["ended"] or 0, row["made"]
    is_over = row["state"] not in WAITS
    earlier = earlier_of(row["earlier"])
    return MapProgress(
        total=row["width"],
        done=done,
        failed=row["bad"] or 0,
        running=0 if is_over else max(0, (made or 0) - done),
        made=made,
        kept=earlier.kept if earlier else 0,
    )


def _spanned(view: NodeView, span: Row | None) -> NodeView:
    if view.map is None or span is None:
        return view
    started_at, finished_at = span["started_at"], span["finished_at"]
    if view.state in WAITS:
        finished_at = None
    return replace(
        view,
        started_at=_instant(started_at),
        finished_at=_instant(finished_at),
        duration_ms=_lasted(started_at, finished_at),
    )


def _instant(ms: int | None) -> Moment | None:
    return None if ms is None else moment(ms)


def _lasted(started_at: int | None, finished_at: int | None) -> int | None:
    return None if started_at is None or finished_at is None else finished_at - started_at
