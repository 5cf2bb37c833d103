"""Waits for runs to end: woken by hints of the store, with a slow poll in case one is lost."""

from __future__ import annotations

from threading import Condition, Lock
from typing import TYPE_CHECKING

from rota.clock import elapsed_s
from rota.engine.runs.find import endings, find
from rota.engine.wakeup_keys import ENDED, NODE_ENDED
from rota.model.runs.run import Ended
from rota.store.base import Watch
from rota.store.wakeups import EVERYWHERE

if TYPE_CHECKING:
    from rota.app.app import App

POLL_S = 0.5


class Waiter:
    """A waiter for many threads at once; each looks again when a run has ended."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._changed = {ENDED: Condition(), NODE_ENDED: Condition()}
        self._ended = {ENDED: 0, NODE_ENDED: 0}
        self._watch: Watch | None = None
        self._waiting = 0
        self._counting = Lock()

    def wait(self, run_id: str, timeout_s: float | None) -> Ended | None:
        """Return how the run ended, or None when the time is over; UnknownRun if there is none."""
        self._begin()
        try:
            return self._wait(run_id, timeout_s)
        finally:
            self._end()

    def _wait(self, run_id: str, timeout_s: float | None) -> Ended | None:
        end_s = None if timeout_s is None else elapsed_s() + timeout_s
        namespace = self._app.namespace
        key, is_known = ENDED, False
        while True:
            ending = self._ended[key]
            ended = self._app.store.read(lambda tx: endings(tx, [run_id], namespace=namespace)).get(
                run_id
            )
            if ended is not None:
                return ended
            if not is_known:
                run = self._app.store.read(lambda tx: find(tx, run_id, namespace=namespace))
                is_known = True
                if run.parent_id is not None:
                    key = NODE_ENDED
                    continue  # what has ended since is counted elsewhere
            left_s = POLL_S if end_s is None else min(POLL_S, end_s - elapsed_s())
            if left_s <= 0:
                return None
            with self._changed[key]:
                if self._ended[key] == ending:
                    self._changed[key].wait(left_s)

    def _begin(self) -> None:
        """Listen to the store while a thread waits: behind a pooler, listening has its price."""
        with self._counting:
            if self._watch is None:
                self._watch = self._app.store.watch(self._woken)
            self._waiting += 1

    def _end(self) -> None:
        with self._counting:
            self._waiting -= 1
            if not self._waiting and self._watch is not None:
                self._watch.close()
                self._watch = None

    def _woken(self, key: str) -> None:
        for each, changed in self._changed.items():
            if key in (each, EVERYWHERE):
                with changed:
                    self._ended[each] += 1
                    changed.notify_all()
