"""Durations and limits in words, for reasons."""

from __future__ import annotations

from rota.rules.text.duration import format_duration


def seconds(ms: int) -> str:
    """Return a duration as text, in whole seconds from one second up."""
    return format_duration(ms if ms < 1000 else ms // 1000 * 1000)  # noqa: PLR2004  # a second


def at_once(limit: int, what: str) -> str:
    """Return `only 3 runs may run at once`."""
    return f"only {limit} {what}{'' if limit == 1 else 's'} may run at once"
