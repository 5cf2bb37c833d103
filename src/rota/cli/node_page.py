"""The nodes of a run of a graph, as a table; for `rota runs show` and `rota graph nodes`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from rota.cli.output import Row, print_table, state_cell
from rota.cli.times import took
from rota.engine.node_views import NodeView

COLUMNS = ("node", "state", "job", "run", "took", "about")
_WAITS = ("pending", "held", "ready", "active")


def print_nodes(nodes: Sequence[NodeView]) -> None:
    """A line each, parents first; before them how far the run is."""
    if not nodes:
        print_table(COLUMNS, (), empty="no nodes: it is no graph, or has not begun")
        return
    done = sum(node.state not in _WAITS for node in nodes)
    print(f"{done} of {len(nodes)} nodes have ended")
    print_table(COLUMNS, [_row(node) for node in nodes], empty="no nodes")


def node_document(node: NodeView) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(node)
    return found


def _row(node: NodeView) -> Row:
    shown = node.run_state if node.state == "active" and node.run_state else node.state
    return (
        node.name,
        state_cell(shown),
        node.job,
        node.run_id[-12:] if node.run_id else "",
        took(node.started_at, node.finished_at),
        _about(node),
    )


def _about(node: NodeView) -> str:
    parts = [node.reason or ""]
    if node.width is not None:
        bad = f", {node.bad:,} failed" if node.bad else ""
        parts.insert(0, f"{node.ended or 0:,} of {node.width:,} instances{bad}")
    elif node.state in ("pending", "held"):
        parts.insert(0, f"after {', '.join(node.parents)}")
    return "; ".join(part for part in parts if part)[:120]
