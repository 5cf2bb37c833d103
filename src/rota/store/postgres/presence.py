"""Presence on PostgreSQL: the session that listens lives as long as its process does.

When the process dies, its system closes the session, and pg_stat_activity shows it no more.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rota.store.base import Tx
    from rota.store.postgres.listener import Listener


class Sessions:
    """Sees the sessions of one server. Behind a pooler a process has none, and is not seen."""

    is_certain = False

    def __init__(
        self, read: Callable[[Callable[[Tx], set[str]]], set[str]], listener: Listener
    ) -> None:
        self._read = read
        self._listener = listener

    def mine(self) -> str | None:
        return self._listener.session

    def gone(self, presences: Collection[str]) -> set[str]:
        if not presences:
            return set()
        sessions = json.dumps(sorted(presences))
        return self._read(
            lambda tx: {row["session"] for row in tx.all("gone_sessions", sessions=sessions)}
        )
