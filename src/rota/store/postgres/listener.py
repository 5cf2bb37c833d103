"""Listens for commits of other processes: by LISTEN, or behind a pooler by polling often.

A pooler that shares out sessions keeps no LISTEN for anybody. There a statement without any table
returns whether anything was committed since the last look (ADR 36); the wake-ups are the same.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from threading import Event, Thread
from typing import NamedTuple

import psycopg

from rota.clock import elapsed_s
from rota.errors import StoreUnavailable
from rota.store.postgres.connections.connection import Connection
from rota.store.postgres.connections.connector import Connector
from rota.store.postgres.connections.timeouts import StatementTimeouts
from rota.store.wakeups import EVERYWHERE, Wakeups

LOOK_S = 0.1
"""How often a listener checks whether it is to stop; 50 us each time."""
BUSY_LOOK_S = 0.015
IDLE_LOOK_S = 0.04
"""The pauses between looks behind a pooler: while this process has work, and while it has none."""
BUSY_S = 10.0
"""How long this process counts as having work after a commit of ours that wakes others."""
ALL_S = 0.5
"""The pause between two calls to look everywhere, which wake a dozen threads."""
ANSWER_S = 10.0
DIRECT_AGAIN_S = 30.0
"""How long the way through the pooler has to do after the direct way failed."""


class ListenerNeeds(NamedTuple):
    """The parts of its store that the listener needs."""

    connector: Connector
    direct: Connector | None
    """A way past the pooler, if the address names one."""
    timeouts: StatementTimeouts
    snapshot: bytes
    news: bytes
    is_gone: Callable[[str], bool]
    """Whether the server that we write to does not know a session."""


class Listener:
    """Receives keys of other processes and rings them here; reconnects with jitter.

    A session of its own stays open as long as the process lives: `session` is its name in the
    server, None behind a pooler.
    """

    def __init__(self, means: ListenerNeeds, wakeups: Wakeups) -> None:
        self.session: str | None = None
        self._means = means
        self._wakeups = wakeups
        self._stopping = Event()
        self._wanted = Event()
        self._thread: Thread | None = None
        self._busy_s = -BUSY_S
        self._direct_s = 0.0
        """When the direct way may be tried again."""

    def start(self) -> None:
        if not self._wanted.is_set():
            self._wanted.set()
        if self._thread is None:
            self._thread = Thread(target=self._run, name="rota-listener", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._wanted.set()
        if self._thread is not None:
            self._thread.join()

    def quicken(self) -> None:
        """Look more often: this process has work now."""
        self._busy_s = elapsed_s()

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                if not self._hear_directly():
                    self._hear(self._means.connector)
            except (psycopg.Error, StoreUnavailable):
                self._stopping.wait(random.uniform(0.1, 0.7))

    def _hear_directly(self) -> bool:
        """Listen past the pooler; False when there is no such way, or none to our server."""
        direct = self._means.direct
        if direct is None or elapsed_s() < self._direct_s:
            return False
        self._direct_s = elapsed_s() + DIRECT_AGAIN_S
        with suppress(psycopg.Error, StoreUnavailable):
            self._hear(direct)
        return self._stopping.is_set()

    def _hear(self, connector: Connector) -> None:
        epoch = connector.epoch
        connection = connector.connect()
        try:
            if connection.is_ours and (
                connector is self._means.connector or self._fits(connection)
            ):
                self._listen(connection, lambda: epoch == connector.epoch)
            elif connector is self._means.connector:
                self._look_often(connection, lambda: epoch == connector.epoch)
        except psycopg.Error:
            connector.leftovers.give_up(connection)
            raise
        finally:
            self.session = None
            self._means.timeouts.close(connection)

    def _fits(self, connection: Connection) -> bool:
        """Whether a direct way leads to the server that the pooler leads to."""
        return connection.session is not None and not self._means.is_gone(connection.session)

    def _listen(self, connection: Connection, is_good: Callable[[], bool]) -> None:
        connection.libpq.say(b"listen rota")
        self.session = connection.session
        self._direct_s = 0.0
        self._wakeups.ring((EVERYWHERE,))  # something may have happened while we were away
        is_mine = self._means.connector.is_mine
        while not self._stopping.is_set() and is_good():
            for notice in connection.libpq.notices(LOOK_S):
                # Our own keys have been rung here at once.
                if not is_mine(notice.be_pid):
                    self._wakeups.hear(notice.extra.decode())

    def _look_often(self, connection: Connection, is_good: Callable[[], bool]) -> None:
        seen, is_owed, all_s = "", True, 0.0
        end_s = self._direct_s if self._means.direct is not None else float("inf")
        while not self._stopping.is_set() and is_good() and elapsed_s() < end_s:
            now = self._ask(connection, self._means.snapshot)[0]["snapshot"]
            if now != seen:
                seen, is_owed = now, True
                for row in self._ask(connection, self._means.news):
                    self._wakeups.hear(row["key"])
            if is_owed and elapsed_s() >= all_s + ALL_S:
                is_owed, all_s = False, elapsed_s()
                self._wakeups.ring((EVERYWHERE,))
            self._rest()

    def _ask(self, connection: Connection, text: bytes) -> list[dict[str, str]]:
        timeouts = self._means.timeouts
        timeouts.expect(connection, ANSWER_S)
        rows = connection.libpq.run(text, {}).rows
        timeouts.release(connection)
        return rows  # all of them are texts

    def _rest(self) -> None:
        if not self._wakeups.are_wanted():  # no queries while nobody listens
            self._wanted.clear()
            # Checked after that: a watcher that came, or a stop, has set it before.
            if not self._wakeups.are_wanted() and not self._stopping.is_set():
                self._wanted.wait()
        is_busy = elapsed_s() - self._busy_s < BUSY_S
        self._stopping.wait((BUSY_LOOK_S if is_busy else IDLE_LOOK_S) * random.uniform(0.8, 1.2))
