"""A small pool of connections: the last one used goes first, dead ones are replaced on the way.

Ours, because psycopg_pool costs 100 us a checkout and hides an outage behind its own
patience; here a connection is a list item, and a failure is the caller's at once (ADR 4).
"""

from __future__ import annotations

import select
from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore
from typing import Any

import psycopg
from psycopg import pq
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import dict_row
from psycopg.types.string import TextLoader

from rota.errors import StoreUnavailable
from rota.store.options import PoolOptions

Connection = psycopg.Connection[dict[str, Any]]

DEFAULTS = {
    "application_name": "rota",
    "connect_timeout": "5",
    # A server that vanished without a word is noticed within some 15 s, not two hours.
    "keepalives_idle": "5",
    "keepalives_interval": "3",
    "keepalives_count": "3",
    "tcp_user_timeout": "15000",
}
"""What an address may say otherwise."""
WAIT_S = 10


class Pool:
    """At most `options.size` connections, made when they are needed."""

    def __init__(self, conninfo: str, options: PoolOptions) -> None:
        self._conninfo = conninfo
        self._options = options
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
                yield connection
            finally:
                self._give_back(connection)
        finally:
            self._free.release()

    def close(self) -> None:
        self._closed = True
        while self._idle:
            self._idle.pop().close()

    def _take(self) -> Connection:
        while self._idle:
            connection = self._idle.pop()
            if _is_quiet(connection):
                return connection
            connection.close()
        connection = connect(self._conninfo)
        if not self._options.prepares:
            connection.prepare_threshold = None
        return connection

    def _give_back(self, connection: Connection) -> None:
        is_idle = connection.info.transaction_status == pq.TransactionStatus.IDLE
        if is_idle and not self._closed:
            self._idle.append(connection)
        else:
            connection.close()


def connect(conninfo: str) -> Connection:
    """A new connection, or StoreUnavailable in the server's own words."""
    try:
        settings = make_conninfo("", **(DEFAULTS | conninfo_to_dict(conninfo)))
        connection = psycopg.connect(settings, autocommit=True, row_factory=dict_row)
    except psycopg.Error as error:
        raise StoreUnavailable(f"cannot connect to PostgreSQL: {str(error).strip()}") from error
    # Ids are text to us; making UUIDs of them first took 5 % of a worker's time.
    connection.adapters.register_loader("uuid", TextLoader)
    return connection


def _is_quiet(connection: Connection) -> bool:
    """An idle connection that has something to read was told goodbye; costs 2 us to see."""
    if connection.closed:
        return False
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN | select.POLLHUP | select.POLLERR)
    return not poll.poll(0)
