"""Health: whether the settings of the database keep what it has committed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from rota.store.base import Tx

GOOD: Mapping[str, frozenset[str]] = {
    "journal_mode": frozenset({"wal"}),
    "synchronous": frozenset({"full", "extra"}),
    "fsync": frozenset({"on"}),
    "full_page_writes": frozenset({"on"}),
    "synchronous_commit": frozenset({"on", "local", "remote_write", "remote_apply"}),
}
"""The values with which a committed run survives a power cut; other settings do not affect it."""


class Durability(NamedTuple):
    """One setting of the database that decides whether a commit can be lost."""

    name: str
    value: str
    is_good: bool


def durability(tx: Tx) -> list[Durability]:
    """Return the settings of this connection, and the database's version."""
    rows = tx.all("durability")
    return [
        Durability(row["name"], row["value"], row["value"] in GOOD.get(row["name"], {row["value"]}))
        for row in rows
    ]
