"""A small pool of connections: the last one used goes first, dead ones are replaced on the way.

Ours, because psycopg_pool costs 100 us a checkout and hides an outage behind its own
patience; here a connection is a list item, and a failure is the caller's at once (ADR 4).
"""

from __future__ import annotations

import select
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore

from psycopg import pq

from rota.errors import StoreUnavailable
from rota.store.options import PoolOptions
from rota.store.postgres_dialer import Connection
from rota.store.postgres_guard import Guard

WAIT_S = 10


class Pool:
    """At most `options.size` connections, made when they are needed.

    An answer to a statement must come within `limit_s`.
    """

    def __init__(
        self,
        dial: Callable[[], Connection],
        guard: Guard,
        options: PoolOptions,
        *,
        limit_s: float,
    ) -> None:
        self._dial = dial
        self._guard = guard
        self._options = options
        self.limit_s = limit_s
        self._idle: list[Connection] = []
        self._free = BoundedSemaphore(options.size)
        self._closed = False

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """A connection outside any transaction; it is dropped if it comes back in another state."""
        if not self._free.acquire(timeout=WAIT_S):
            raise StoreUnavailable(f"no connection to PostgreSQL became free within {WAIT_S} s")
        try:
            connection = self._take()
            try:
                self._guard.expect(connection, self.limit_s)
                yield connection
            finally:
                self._give_back(connection)
        finally:
            self._free.release()

    def close(self) -> None:
        self._closed = True
        self._drop_idle()

    def _take(self) -> Connection:
        while (connection := self._pop()) is not None:
            if _is_quiet(connection):
                return connection
            self._guard.close(connection)
        connection = self._dial()
        if not self._options.prepares:
            connection.prepare_threshold = None
        return connection

    def _give_back(self, connection: Connection) -> None:
        is_idle = connection.info.transaction_status == pq.TransactionStatus.IDLE
        if is_idle and not self._closed:
            self._guard.release(connection)
            self._idle.append(connection)
            return
        was_broken = connection.broken
        self._guard.close(connection)
        if was_broken:
            # What took this one took the others, too; each would have to be waited for.
            self._drop_idle()

    def _drop_idle(self) -> None:
        while (connection := self._pop()) is not None:
            self._guard.close(connection)

    def _pop(self) -> Connection | None:
        try:
            return self._idle.pop()
        except IndexError:  # looking first would let two threads see the same last one
            return None


def _is_quiet(connection: Connection) -> bool:
    """An idle connection that has something to read was told goodbye; costs 2 us to see."""
    if connection.closed:
        return False
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN | select.POLLHUP | select.POLLERR)
    return not poll.poll(0)
