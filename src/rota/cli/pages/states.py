"""States for people: an icon and a word, so that no one needs the colours."""

from __future__ import annotations

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


def run_word(state: str, *, is_paused: bool = False) -> str:
    """Return the word for a run: one of a graph is stored as suspended while its nodes run."""
    if state != "suspended":
        return state
    return "paused" if is_paused else "running"
