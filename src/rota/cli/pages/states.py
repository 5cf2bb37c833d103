"""States as people see them: an icon and a word, so that no one needs the colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rota.engine.graphs.views.nodes import NodeView

ICONS = {
    "success": "✔",
    "failed": "✖",
    "cancelled": "⊘",
    "skipped": "↷",
    "upstream_failed": "⊘",
    "running": "▶",
    "active": "▶",
    "queued": "…",
    "scheduled": "◷",
    "suspended": "▶",
    "paused": "‖",
    "pending": "·",
    "held": "‖",
    "ready": "○",
    "removed": "-",
}


def icon_of(state: str) -> str:
    return ICONS.get(state, "?")


def word_of(node: NodeView) -> str:
    """What a node is doing."""
    return node.word


def run_word(state: str, *, is_paused: bool = False) -> str:
    """What a run is doing: a run of a graph is stored as suspended while its nodes run."""
    if state != "suspended":
        return state
    return "paused" if is_paused else "running"
