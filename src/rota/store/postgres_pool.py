"""A small pool of connections: the last one used goes first, dead ones are replaced on the way.

Ours, because psycopg_pool costs 100 us a checkout and hides an outage behind its own
patience; here a connection is a list item, and a failure is the caller's at once (ADR 4).
"""

from __future__ import annotations

import select
from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Event
from typing import NamedTuple

from psycopg import pq

from rota.errors import StoreUnavailable
from rota.store.options import PoolOptions
from rota.store.postgres_dialer import Connection, Dialer
from rota.store.postgres_guard import Guard

WAIT_S = 10


class _Line(NamedTuple):
    """A connection, and the dialer's epoch in which it was made."""

    connection: Connection
    epoch: int


class Pool:
    """At most `options.size` connections, made when they are needed.

    An answer to a statement must come within `limit_s`.
    """

    def __init__(
        self,
        dialer: Dialer,
        guard: Guard,
        options: PoolOptions,
        *,
        limit_s: float,
    ) -> None:
        self._dialer = dialer
        self._guard = guard
        self._options = options
        self.limit_s = limit_s
        self._idle: list[_Line] = []
        self._free = BoundedSemaphore(options.size)
        self._closed = Event()

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """A connection outside any transaction; it is dropped if it comes back in another state."""
        if not self._free.acquire(timeout=WAIT_S):
            raise StoreUnavailable(f"no connection to PostgreSQL became free within {WAIT_S} s")
        try:
            line = self._take()
            try:
                self._guard.expect(line.connection, self.limit_s)
                yield line.connection
            finally:
                self._give_back(line)
        finally:
            self._free.release()

    def close(self) -> None:
        self._closed.set()
        self._drop_idle()

    def _take(self) -> _Line:
        epoch = self._dialer.epoch
        while (line := self._pop()) is not None:
            if line.epoch == epoch and _is_quiet(line.connection):
                return line
            self._guard.close(line.connection)
        connection = self._dialer.connect()
        if not self._options.prepares:
            connection.prepare_threshold = None
        return _Line(connection, epoch)

    def _give_back(self, line: _Line) -> None:
        connection = line.connection
        is_idle = connection.info.transaction_status == pq.TransactionStatus.IDLE
        if is_idle and not self._closed.is_set():
            self._guard.release(connection)
            self._idle.append(line)
            if self._closed.is_set():  # meanwhile, so that nobody else would drop it
                self._drop_idle()
            return
        was_broken = connection.broken
        self._guard.close(connection)
        if was_broken:
            # What took this one took the others, too; each would have to be waited for.
            self._drop_idle()

    def _drop_idle(self) -> None:
        while (line := self._pop()) is not None:
            self._guard.close(line.connection)

    def _pop(self) -> _Line | None:
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
