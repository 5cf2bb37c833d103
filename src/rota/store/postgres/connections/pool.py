"""A small pool of connections: the last one used goes first, dead ones are replaced on use.

Our own, because psycopg_pool costs 100 us a checkout and hides an outage behind its own patience;
here a connection is a list item, and a failure reaches the caller at once (ADR 4).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import NamedTuple

from psycopg import pq

from rota.errors import StoreUnavailable
from rota.store.descriptors import check_descriptors, set_canary
from rota.store.options import PoolOptions
from rota.store.postgres.connections.connection import Connection
from rota.store.postgres.connections.connector import Connector
from rota.store.postgres.connections.timeouts import StatementTimeouts

WAIT_S = 10
IDLE = pq.TransactionStatus.IDLE


class PooledConnection(NamedTuple):
    """A connection, and the connector's epoch in which it was made."""

    connection: Connection
    epoch: int


class Pool:
    """At most `options.size` connections, made when they are needed.

    An answer to a statement must come within `limit_s`.
    """

    def __init__(
        self,
        connector: Connector,
        timeouts: StatementTimeouts,
        options: PoolOptions,
        *,
        limit_s: float,
    ) -> None:
        set_canary()
        self._connector = connector
        self._timeouts = timeouts
        self.limit_s = limit_s
        self._idle: list[PooledConnection] = []
        # A queue and not a semaphore: that one is written in Python, 40 us after a rest.
        self._free: SimpleQueue[None] = SimpleQueue()
        for _ in range(options.size):
            self._free.put(None)
        self._is_closed = False

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Yield a connection outside any transaction; drop it if it returns in another state."""
        line = self.take()
        try:
            yield line.connection
        finally:
            self.give_back(line)

    def take(self) -> PooledConnection:
        """Take a connection; the caller must give it back in every case."""
        try:
            self._free.get(timeout=WAIT_S)
        except Empty:
            raise StoreUnavailable(
                f"no connection to PostgreSQL became free within {WAIT_S} s"
            ) from None
        try:
            line = self._find()
            self._timeouts.expect(line.connection, self.limit_s)
        except BaseException:
            self._free.put(None)
            raise
        return line

    def give_back(self, line: PooledConnection) -> None:
        try:
            self._keep(line)
        finally:
            self._free.put(None)

    def close(self) -> None:
        self._is_closed = True
        self._drop_idle()

    def _find(self) -> PooledConnection:
        epoch = self._connector.epoch
        while (line := self._pop()) is not None:
            if line.epoch == epoch and line.connection.libpq.is_quiet():
                return line
            check_descriptors()  # its number may be another connection's by now
            self._timeouts.close(line.connection)
        check_descriptors()
        return PooledConnection(self._connector.connect(), epoch)

    def _keep(self, line: PooledConnection) -> None:
        connection = line.connection
        if connection.pgconn.transaction_status == IDLE:
            self._timeouts.release(connection)
            self._idle.append(line)
            if self._is_closed:  # checked after that: nobody else would drop it
                self._drop_idle()
            return
        was_broken = connection.broken
        if was_broken:
            self._connector.leftovers.give_up(connection)
        self._timeouts.close(connection)
        if was_broken:
            # The cause hit the others, too; each would have to be waited for.
            self._drop_idle(are_broken=True)

    def _drop_idle(self, *, are_broken: bool = False) -> None:
        while (line := self._pop()) is not None:
            if are_broken:
                self._connector.leftovers.give_up(line.connection)
            self._timeouts.close(line.connection)

    def _pop(self) -> PooledConnection | None:
        try:
            return self._idle.pop()
        except IndexError:  # a check first would let two threads see the same last one
            return None
