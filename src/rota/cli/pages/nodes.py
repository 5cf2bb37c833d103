"""The nodes of a run of a graph, as a table; for `rota runs show` and `rota graphs nodes`."""

from __future__ import annotations

from collections.abc import Sequence

from rota.cli.output import Row, id_cell, print_table, state_cell
from rota.cli.pages.tree import instances_of
from rota.cli.times import coarse, lasted
from rota.model.graphs.run_nodes import NodeView, Progress
from rota.rules.graphs.progress import WAITS

COLUMNS = ("node", "state", "job", "run", "took", "about")
SHOWN = 6
"""The most nodes of the longest path that are named."""


def print_nodes(nodes: Sequence[NodeView], progress: Progress) -> None:
    """Print the progress of the run, then a line for each node, parents first."""
    if not nodes:
        print_table(COLUMNS, (), empty="no nodes: it is no graph, or has not begun")
        return
    print(told_progress(progress))
    print_table(COLUMNS, [_row(node) for node in nodes], empty="no nodes")


def told_progress(progress: Progress) -> str:
    """Return `3 of 5 nodes have ended (3 success), about 2m left: load > report`."""
    ended = {name: count for name, count in progress.states.items() if name not in WAITS}
    counts = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in ended.items())
    text = f"{progress.done:,} of {progress.total:,} nodes have ended"
    text += f" ({counts})" if counts else ""
    if not progress.critical_path or progress.done >= progress.total:
        return text
    way = list(progress.critical_path)
    shown = " > ".join(way if len(way) <= SHOWN else [*way[: SHOWN - 1], "...", way[-1]])
    if progress.left_ms is None:
        return f"{text}, longest way: {shown}"
    unknown = f", {progress.unknown:,} nodes of unknown length" if progress.unknown else ""
    return f"{text}, about {coarse(progress.left_ms)} left{unknown}: {shown}"


def _row(node: NodeView) -> Row:
    shown = node.run_state if node.state == "active" and node.run_state else node.state
    return (
        node.name,
        state_cell(shown or node.word),
        node.job,
        id_cell(node.run_id) if node.run_id else "",
        lasted(node.started_at, node.finished_at),
        _about(node),
    )


def _about(node: NodeView) -> str:
    parts = [node.reason or ""]
    if node.map is not None:
        parts.insert(0, instances_of(node.map, " instances"))
    elif node.state in ("pending", "held"):
        parts.insert(0, f"after {', '.join(node.parents)}")
    return "; ".join(part for part in parts if part)[:120]
