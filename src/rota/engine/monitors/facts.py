"""The facts that the pings of a monitor have told, read from its row; quick to import."""

from __future__ import annotations

from rota.model.monitors.monitor import MonitorFacts
from rota.store.base import Row


def facts_of(row: Row) -> MonitorFacts:
    """Return what the pings of a monitor have told."""
    return MonitorFacts(**{name: row[name] for name in MonitorFacts.__struct_fields__})
