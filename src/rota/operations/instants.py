"""Instants from callers, converted to the milliseconds of the store."""

from __future__ import annotations

from datetime import datetime

from rota.clock import to_ms
from rota.errors import BadInput


def instant_ms(name: str, instant: datetime) -> int:
    """Milliseconds; BadInput for a time without a zone, which could be any of many."""
    if instant.tzinfo is None:
        raise BadInput(f"{name} needs a zone: write 2026-01-31T08:00:00Z")
    return to_ms(instant)


def instant_ms_or_none(name: str, instant: datetime | None) -> int | None:
    """Milliseconds of an instant that need not be given."""
    return None if instant is None else instant_ms(name, instant)
