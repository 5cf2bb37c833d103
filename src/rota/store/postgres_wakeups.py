"""LISTEN and NOTIFY as hints: one sender and one listener thread per process.

A key is sent at once when it was quiet, then at most every 10 ms: notifying commits
share one lock in the server, and a thousand submits need one wake-up.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection
from threading import Condition, Event, Thread

import psycopg

from rota.errors import StoreUnavailable
from rota.store.postgres_dialer import Dialer
from rota.store.wakeups import EVERYWHERE, Wakeups

QUIET_S = 0.01


class Notifier:
    """Sends keys after commits, coalesced."""

    def __init__(self, send: Callable[[Collection[str]], None]) -> None:
        self._send = send
        self._keys: set[str] = set()
        self._changed = Condition()
        self._stopping = False
        self._thread: Thread | None = None

    def ring(self, keys: Collection[str]) -> None:
        with self._changed:
            self._keys.update(keys)
            if self._thread is None:
                self._thread = Thread(target=self._run, name="rota-notifier", daemon=True)
                self._thread.start()
            self._changed.notify()

    def stop(self) -> None:
        with self._changed:
            self._stopping = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._keys and not self._stopping:
                    self._changed.wait()
                keys, self._keys = self._keys, set()
            if not keys:
                return
            try:
                self._send(keys)
            except (psycopg.Error, StoreUnavailable):
                continue  # a hint may be lost; whoever waits for it polls anyway
            time.sleep(QUIET_S)


class Listener:
    """Hears keys of other processes and rings them here; reconnects with jitter.

    Its session stays open as long as the process lives: `session` is its name in the server.
    """

    def __init__(self, dialer: Dialer, wakeups: Wakeups, *, whoami: bytes) -> None:
        self.session: str | None = None
        self._dialer = dialer
        self._wakeups = wakeups
        self._whoami = whoami
        self._stopping = Event()
        self._thread: Thread | None = None

    def start(self) -> None:
        if self._thread is None:
            self._thread = Thread(target=self._run, name="rota-listener", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._listen()
            except (psycopg.Error, StoreUnavailable):
                self.session = None
                self._stopping.wait(random.uniform(0.1, 0.7))

    def _listen(self) -> None:
        epoch = self._dialer.epoch
        with self._dialer.connect() as connection:
            connection.execute("listen rota")
            row = connection.execute(self._whoami).fetchone()
            self.session = row["session"] if row else None
            self._wakeups.ring((EVERYWHERE,))  # something may have happened while we were away
            while not self._stopping.is_set() and epoch == self._dialer.epoch:
                for notice in connection.notifies(timeout=0.5):
                    self._wakeups.ring((notice.payload,))
