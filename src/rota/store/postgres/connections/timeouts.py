"""Statement timeouts: a statement that hangs is ended from outside, so that nobody waits for ever.

A server whose machine still answers but whose processes hang keeps TCP content; only a limit on our
side helps. The connection is shut, not the statement cancelled: a commit that was on its way may
still happen, and its sender finds out (CommitUnknown).
"""

from __future__ import annotations

import contextlib
import os
import socket
from math import inf
from threading import Event, Lock, Thread

import psycopg

from rota.clock import elapsed_s
from rota.store.postgres.connections.connection import Connection

LOOK_S = 1.0


class StatementTimeouts:
    """The connections that wait for an answer, and since when."""

    def __init__(self) -> None:
        self._busy: dict[Connection, tuple[float, float]] = {}
        """Since when each waits, and how long it may."""
        self._lock = Lock()
        self._stopping = Event()
        self._thread: Thread | None = None

    def expect(self, connection: Connection, limit_s: float) -> None:
        """Expect an answer within the limit; costs half a microsecond for each statement."""
        self._busy[connection] = elapsed_s(), limit_s
        if self._thread is None:
            self._start()

    def release(self, connection: Connection) -> None:
        self._busy.pop(connection, None)

    def close(self, connection: Connection) -> None:
        """Close a connection while no check runs: its descriptor may soon be another one's."""
        with self._lock:
            self._busy.pop(connection, None)
            connection.close()

    def stop(self) -> None:
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def _start(self) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = Thread(target=self._watch, name="rota-guard", daemon=True)
                self._thread.start()

    def _watch(self) -> None:
        while not self._stopping.wait(LOOK_S):
            with self._lock:
                self._look(elapsed_s())

    def _look(self, now_s: float) -> None:
        """Shut overdue connections, and those that waited as long: the same server is silent."""
        busy = tuple(self._busy.items())
        limits = [limit_s for _, (since_s, limit_s) in busy if now_s - since_s > limit_s]
        for connection, (since_s, limit_s) in busy:
            if limits and limit_s != inf and now_s - since_s > min(limits):
                self._busy.pop(connection, None)
                _shut(connection)


def _shut(connection: Connection) -> None:
    """End the wait of the thread that uses the connection; that thread closes it."""
    with (
        contextlib.suppress(psycopg.Error, OSError),
        socket.socket(fileno=os.dup(connection.fileno())) as copy,
    ):
        copy.shutdown(socket.SHUT_RDWR)
