"""Views that are not yet what the API answers, as objects for `--json`."""

from __future__ import annotations

from typing import Any

import msgspec

from rota.clock import to_text


def iso(ms: int | None) -> str | None:
    """2026-11-15T20:37:52.123Z, or None."""
    return None if ms is None else to_text(ms)


def document(view: msgspec.Struct) -> dict[str, Any]:
    """Any view as an object: each `*_at` becomes a time."""
    facts = msgspec.to_builtins(view)
    return {key: iso(value) if key.endswith("_at") else value for key, value in facts.items()}
