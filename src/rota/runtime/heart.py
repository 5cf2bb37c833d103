"""The heart: says that the worker lives and learns which runs it lost or must cancel.

A thread of its own with a connection of its own, so that no handler can stop it.
"""

from __future__ import annotations

from collections.abc import Callable

from rota.clock import elapsed_s
from rota.engine.heartbeat import Progress, Pulse, heartbeat
from rota.runtime.calls import Calls
from rota.runtime.options import WorkerOptions
from rota.runtime.service import Service
from rota.store.base import Store

LEAST_S = 0.2
"""Between two beats that somebody asked for."""


class Heart(Service):
    """Renews the worker's lease; `last_sent_s` is when the last acknowledged beat was sent."""

    def __init__(
        self,
        store: Store,
        calls: Calls,
        *,
        options: WorkerOptions,
        disowned: Callable[[], None],
    ) -> None:
        super().__init__()
        self.interval_s = options.heartbeat_ms / 1000
        self.worker_id = ""
        self.is_draining = False
        self.last_sent_s = elapsed_s()
        self._store = store
        self._calls = calls
        self._options = options
        self._disowned = disowned

    def beat_soon(self) -> None:
        """Somebody changed one of our runs; ask now unless we just did."""
        if elapsed_s() - self.last_sent_s > LEAST_S:
            self.wake()

    def tick(self) -> bool:
        sent_s = elapsed_s()
        pulse = self._beat()
        if not pulse.is_known:
            self._disowned()
            return False
        self.last_sent_s = sent_s
        for run_id in pulse.lost:
            self._stop(run_id, lost=True)
        for run_id in pulse.cancelled:
            self._stop(run_id, lost=False)
        return False

    def _beat(self) -> Pulse:
        held = self._calls.held()
        progress = [Progress(*each) for each in self._calls.progress.take()]
        return self._store.write(
            lambda tx: heartbeat(
                tx,
                self.worker_id,
                lease_ms=self._options.lease_ms,
                held=held,
                progress=progress,
                is_draining=self.is_draining,
            ),
            urgent=True,
        )

    def _stop(self, run_id: str, *, lost: bool) -> None:
        call = self._calls.find(run_id)
        if call is not None:
            self._calls.stop(call, "lost" if lost else "cancel")
