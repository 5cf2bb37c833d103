"""Expected ends for alerts: when a run of a graph will end, and which node decides it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rota.engine.alerts.look import Look
from rota.engine.graphs.views.nodes import nodes
from rota.engine.graphs.views.progress import progress_of_nodes, usual_ms
from rota.model.graphs.run_nodes import NodeView
from rota.model.runs.run import RunView
from rota.rules.text.duration import format_duration
from rota.store.base import Tx


class ExpectedEnd(NamedTuple):
    """The end of a run that past runs let expect."""

    ends_at: int | None
    """None if nobody knows."""
    blame: str = ""
    """The node that decides when it ends, in words."""


def expected_end_of(tx: Tx, run: RunView, look: Look) -> ExpectedEnd | None:
    """Return the expected end of a run of a graph; None for one that has no nodes."""
    at = {"namespace": look.namespace}
    views = nodes(tx, run.id, **at)
    if not views:
        return None
    progress = progress_of_nodes(tx, run, views, **at)
    by_name = {each.name: each for each in views}
    path = [by_name[name] for name in progress.critical_path]
    usual = usual_ms(tx, run, [each.name for each in path if each.started_at], **at)
    ends_at = None if progress.ends_at is None else progress.ends_at.ms
    return ExpectedEnd(ends_at, _blame(path, usual, look.now))


def _blame(path: Sequence[NodeView], usual: Mapping[str, int], now: int) -> str:
    """Name the first node of the path that is slower than usual, else one that has not begun."""
    for node in path:
        if node.started_at is not None and node.name in usual:
            took = now - node.started_at.ms
            if took > usual[node.name]:
                often = format_duration(_whole(usual[node.name]))
                return (
                    f"node {node.name} has run for {format_duration(_whole(took))}, usually {often}"
                )
    for node in path:
        if node.started_at is None:
            return f"node {node.name} has not begun"
    return f"node {path[0].name} has not ended" if path else ""


def _whole(length_ms: int) -> int:
    return max(1_000, length_ms // 1_000 * 1_000)
