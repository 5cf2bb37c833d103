"""Views that differ from the answers of the API, as objects for `--json`."""

from __future__ import annotations

from typing import Any

import msgspec

from rota.clock import to_text


def iso(ms: int | None) -> str | None:
    """Return a time such as 2026-11-15T20:37:52.123Z, or None."""
    return None if ms is None else to_text(ms)


def document(view: msgspec.Struct) -> dict[str, Any]:
    """Return any view as an object: each `*_at` becomes a time."""
    facts = msgspec.to_builtins(view)
    return {key: iso(value) if key.endswith("_at") else value for key, value in facts.items()}
