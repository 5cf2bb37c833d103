"""NOTIFY as hints, sent after a commit, or with it while commits are quick.

A key is sent at most every 10 ms by a process: notifying commits share one lock in the server, and
a thousand submits need one wake-up.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Collection
from threading import Condition, Lock, Thread

import psycopg

from rota.clock import elapsed_s
from rota.errors import StoreUnavailable

QUIET_S = 0.01
QUICK_S = 0.002
"""A commit that takes longer does not carry its NOTIFY: the lock would be held as long (ADR 14)."""
MOST_KEYS = 1000
LOST = (psycopg.Error, StoreUnavailable)
"""Errors that lose a hint; its receivers poll anyway."""


class Notifier:
    """Notifies other processes after commits.

    A quiet key is sent at once, on the connection that has just committed: a thread in between cost
    0.3 ms of 2.3 from submit to start. Keys that follow within 10 ms are gathered and sent by a
    thread.
    """

    def __init__(self, send: Callable[[Collection[str]], None]) -> None:
        self._send = send
        self._late: set[str] = set()
        self._sent_s: dict[str, float] = {}
        self._commit_s = 0.0
        self._lock = Lock()
        self._changed = Condition(self._lock)
        self._stopping = False
        self._thread: Thread | None = None

    def ring(self, keys: Collection[str], send_now: Callable[[Collection[str]], None]) -> None:
        """Notify soon; `send_now` uses the caller's own connection."""
        with self._changed:
            quiet = self._quiet(keys)
            late = set(keys) - quiet
            if late:
                self._late |= late
                self._start()
                self._changed.notify()
        if quiet:
            with contextlib.suppress(*LOST):
                send_now(quiet)

    def take_quiet(self, keys: Collection[str]) -> set[str]:
        """Return quiet keys, which the caller is to send inside the commit it is about to make."""
        if self._commit_s > QUICK_S:
            return set()
        with self._lock:
            return self._quiet(keys)

    def measure(self, commit_s: float) -> None:
        """Note the time of a commit that notifies; others waiting for the lock make it long."""
        self._commit_s += 0.3 * (commit_s - self._commit_s)

    def stop(self) -> None:
        with self._changed:
            self._stopping = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    def _quiet(self, keys: Collection[str]) -> set[str]:
        now_s = elapsed_s()
        if len(self._sent_s) > MOST_KEYS:
            self._sent_s = {key: at for key, at in self._sent_s.items() if at > now_s - QUIET_S}
        quiet = {key for key in keys if self._sent_s.get(key, 0.0) <= now_s - QUIET_S}
        self._sent_s.update(dict.fromkeys(quiet, now_s))
        return quiet

    def _start(self) -> None:
        if self._thread is None:
            self._thread = Thread(target=self._run, name="rota-notifier", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._late and not self._stopping:
                    self._changed.wait()
                if self._stopping and not self._late:
                    return
            time.sleep(QUIET_S)
            with self._changed:
                keys, self._late = self._late, set()
                self._sent_s.update(dict.fromkeys(keys, elapsed_s()))
            with contextlib.suppress(*LOST):
                self._send(keys)
