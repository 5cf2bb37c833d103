"""States as people see them: an icon and a word, so that no one needs the colours."""

from __future__ import annotations

from rota.engine.node_views import NodeView

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
    "pending": "·",
    "held": "‖",
    "ready": "○",
    "removed": "-",
}


def icon_of(state: str) -> str:
    return ICONS.get(state, "?")


def word_of(node: NodeView) -> str:
    """What a node is doing: of one that is active, what its run is doing."""
    if node.state != "active":
        return node.state
    if node.run_state is None or node.run_state == "suspended":
        return "running"
    return "held" if node.run_state == "pending" else node.run_state
