"""Node views: where the nodes of a run of a graph stand, for people."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rota.engine.graphs.earlier_tries import earlier_of
from rota.engine.graphs.graph_run import graph_runs
from rota.engine.graphs.nodes.rows import TRIPPED, DecidedEnd, decided
from rota.model.run import cached_from
from rota.rules.graphs import Planned
from rota.rules.graphs.joins import Ending
from rota.rules.graphs.progress import WAITS
from rota.store.base import Row, Tx

MOST_ITEMS = 20_000
"""Instances that are looked at to tell when their nodes began and ended."""


class NodeView(msgspec.Struct, frozen=True, kw_only=True):
    """One node of a run."""

    name: str
    state: str
    """pending, held (the run is paused), ready, active, or how it ended."""
    job: str
    run_id: str | None = None
    run_state: str | None = None
    reason: str | None = None
    cached_from: str | None = None
    """The run whose result it was given, so that it was not carried out."""
    parents: tuple[str, ...] = ()
    level: int = 0
    attempt: int | None = None
    created_at: int | None = None
    started_at: int | None = None
    finished_at: int | None = None
    width: int | None = None
    """Instances of a mapped node; how many were made, and have ended, failed ones among them."""
    made: int | None = None
    ended: int | None = None
    bad: int | None = None
    kept: int = 0
    """Of these, instances whose results were kept from an earlier try or run."""
    group: str | None = None
    """Under which it is drawn; `load/parts` lies within `load`."""
    is_graph: bool = False
    """Whether its run has nodes of its own."""

    @property
    def word(self) -> str:
        """What it is doing: of one that is active, what its run is doing."""
        if self.state != "active":
            return self.state
        if self.run_state is None or self.run_state == "suspended":
            return "running"
        return "held" if self.run_state == "pending" else self.run_state


def nodes(tx: Tx, run_id: str, *, namespace: str) -> list[NodeView]:
    """All nodes of a run of a graph, parents first; none of a run that is no graph or not begun."""
    rows = {row["name"]: row for row in tx.all("list_nodes", graph_id=run_id)}
    if not rows:
        return []
    plan = graph_runs(tx, [run_id], namespace=namespace)[run_id].shape.plan
    return [_view(rows[name], planned) for name, planned in plan.nodes.items() if name in rows]


def with_spans(tx: Tx, run_id: str, found: Sequence[NodeView]) -> list[NodeView]:
    """Mapped nodes with the first start and the last end of their instances, unless too many."""
    if not 0 < sum(each.width or 0 for each in found) <= MOST_ITEMS:
        return list(found)
    spans = {row["node"]: row for row in tx.all("item_spans", graph_id=run_id)}
    return [_spanned(each, spans.get(each.name)) for each in found]


def _spanned(view: NodeView, span: Row | None) -> NodeView:
    if view.width is None or span is None:
        return view
    ended = None if view.state in WAITS else span["finished_at"]
    return msgspec.structs.replace(view, started_at=span["started_at"], finished_at=ended)


def is_paused(tx: Tx, run_id: str) -> bool:
    """Whether the run of a graph starts no other nodes until somebody resumes it."""
    row = tx.one("find_end", graph_id=run_id)
    return row is not None and row["state"] == "paused"


def ends_as(tx: Tx, run_id: str) -> DecidedEnd | None:
    """How a run of a graph is to end that was ended from outside and runs its teardowns."""
    row = tx.one("find_end", graph_id=run_id)
    return None if row is None or row["state"] != TRIPPED else decided(row["result"])


def _kept(text: str | None) -> int:
    earlier = earlier_of(text)
    return earlier.kept if earlier else 0


def _view(row: Row, planned: Planned) -> NodeView:
    is_mapped = row["width"] is not None
    return NodeView(
        name=row["name"],
        state=row["state"],
        job=planned.node.job or planned.node.graph or "",
        run_id=str(row["run_id"]) if row["run_id"] and not is_mapped else None,
        run_state=None if is_mapped else row["run_state"],
        reason=row["reason"],
        cached_from=cached_from(row["reason"]) if row["state"] == Ending.SUCCESS else None,
        parents=planned.parents,
        level=planned.level,
        attempt=None if is_mapped else row["attempt"],
        created_at=row["created_at"],
        started_at=row["started_at"],
        finished_at=row["finished_at"],
        width=row["width"],
        made=row["made"],
        ended=row["ended"],
        bad=row["bad"],
        kept=_kept(row["earlier"]),
        group=planned.node.group,
        is_graph=planned.node.graph is not None,
    )
