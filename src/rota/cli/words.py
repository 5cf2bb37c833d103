"""States as people see them: an icon and a word, so that no one needs the colours."""

from __future__ import annotations

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
