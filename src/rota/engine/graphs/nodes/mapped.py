"""Mapped nodes: count an ended instance, and end or stop its node when that is due."""

from __future__ import annotations

from rota.engine.graphs.failure_modes import EndingNodes, fail_fast, stop
from rota.engine.graphs.nodes.endings import NodeEnding
from rota.engine.graphs.nodes.rows import NodeRow
from rota.engine.graphs.stopping import Stopping, end_stopped, has_live_instances, is_stopping
from rota.model.runs.run import NO_TYPE
from rota.model.states import State
from rota.rules.graphs.joins import Ending


def instance_ended(propagation: EndingNodes, row: NodeRow, each: NodeEnding) -> None:
    """Count an ended instance; more failures than tolerated stop the others and fail the node."""
    graph_run = propagation.graph_runs[each.graph_id]
    row.ended = (row.ended or 0) + 1
    propagation.node_rows.change(row)
    if is_stopping(row):
        row.bad = (row.bad or 0) + (each.state is State.FAILED)
        if not has_live_instances(row):
            end_stopped(propagation, row)
        return
    row.bad = (row.bad or 0) + (each.state is not State.SUCCESS)
    width = row.width or 0
    if not graph_run.shape.tolerances[row.name].bears(failed=row.bad, total=width):
        stop(propagation, row, _too_many(row, each))
        fail_fast(propagation, graph_run, row)
    elif row.ended >= width:
        propagation.end(row, Ending.SUCCESS, f"{_items(row.bad)} failed" if row.bad else None)
    else:
        propagation.starts.refill(graph_run, row)


def _too_many(row: NodeRow, each: NodeEnding) -> Stopping:
    details = f": {each.reason}" if each.reason else ""
    last = f"{'the last of them ' if (row.bad or 0) > 1 else ''}item {each.item}"
    reason = f"{row.bad:,} of {_items(row.width or 0)} failed, {last}{details}"
    kind = each.error.type if each.error else NO_TYPE
    return Stopping(ending=Ending.FAILED, reason=reason, type=kind)


def _items(count: int) -> str:
    return f"{count:,} item{'' if count == 1 else 's'}"
