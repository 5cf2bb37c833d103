"""Connections that were given up while the server still holds them, and a limit on their number.

A commit that waits for a standby without an answer keeps waiting after its client has hung up, and
so does the server's process, for as long as that takes. A client that made a new connection for
each of them would use up all that the server has.
"""

from __future__ import annotations

import json
from threading import Lock
from typing import TYPE_CHECKING
from weakref import WeakSet

from rota.errors import StoreUnavailable

if TYPE_CHECKING:
    from rota.store.postgres.connections.connection import Connection


class Leftovers:
    """Counts the open connections of one process, and those that it gave up without a goodbye.

    `gone` queries the server for sessions that have ended; `still_busy` counts statements that take
    long, which is all that can be known of sessions behind a pooler.
    """

    def __init__(self, most: int, *, gone: bytes | None, still_busy: bytes | None) -> None:
        self._most = most
        self._gone = gone
        self._still_busy = still_busy
        self._open: WeakSet[Connection] = WeakSet()
        self._named: set[str] = set()
        self._nameless = 0
        self._lock = Lock()

    def admit(self, connection: Connection) -> None:
        """Let a new connection stay open; StoreUnavailable when the server holds too many."""
        if self._add(connection):
            return
        self._ask(connection)
        if not self._add(connection):
            raise StoreUnavailable(
                f"PostgreSQL has {self.count()} connections of this process, and many of them"
                " without an answer: no more are made until it lets go of some"
            )

    def give_up(self, connection: Connection) -> None:
        """Note a connection that was shut without an answer; its server process may live on."""
        with self._lock:
            if connection not in self._open:
                return
            self._open.discard(connection)
            if connection.session is not None:
                self._named.add(connection.session)
            else:
                self._nameless += 1

    def has_room(self, *, beside: int) -> bool:
        """Whether one more may be made, besides others that are not admitted yet."""
        return self.count() + beside < self._most

    def count(self) -> int:
        """Return how many connections the server may hold for us."""
        with self._lock:
            return self._held()

    def _add(self, connection: Connection) -> bool:
        with self._lock:
            has_room = self._held() < self._most
            if has_room:
                self._open.add(connection)
            return has_room

    def _held(self) -> int:
        # A broken one is not given up yet, and the server may still run its statement.
        living = sum(not each.is_dropped for each in self._open)
        return living + len(self._named) + self._nameless

    def _ask(self, connection: Connection) -> None:
        """Forget connections that the server does not hold any more."""
        if self._gone is None or self._still_busy is None:
            self._named, self._nameless = set(), 0
            return
        with self._lock:
            sessions_named = set(self._named)
        sessions = json.dumps(sorted(sessions_named))
        gone = {
            row["session"] for row in connection.libpq.run(self._gone, {"sessions": sessions}).rows
        }
        busy = int(connection.libpq.run(self._still_busy, {}).rows[0]["statements"])
        with self._lock:
            self._named -= gone
            self._nameless = min(self._nameless, busy)
