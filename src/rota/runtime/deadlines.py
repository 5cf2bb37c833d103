"""Deadlines: ends attempts that take too long, and all work of a worker whose lease runs out."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from rota.clock import elapsed_s
from rota.notices import emit
from rota.runtime.attempts.attempt import Attempt
from rota.runtime.attempts.table import AttemptTable
from rota.runtime.heartbeat import Heartbeat
from rota.runtime.options import WorkerOptions
from rota.runtime.service import Service


class DeadlineMonitor(Service):
    """Keeps deadlines of attempts, the grace of stopped ones, and the self-fence."""

    interval_s = 0.5

    def __init__(
        self,
        calls: AttemptTable,
        heartbeat: Heartbeat,
        *,
        options: WorkerOptions,
        cut_off: Callable[[], None],
    ) -> None:
        super().__init__()
        self._calls = calls
        self._heartbeat = heartbeat
        self._options = options
        self._cut_off = cut_off
        self.next_s = inf
        """When it looks again, in seconds of the clock; infinite while it computes that."""
        self._stopped_s: dict[Attempt, float] = {}

    def started(self, call: Attempt) -> None:
        """Note a body that starts; only one with a timeout costs anything."""
        if call.deadline_s is not None and call.deadline_s < self.next_s:
            self.wake()

    def pause_s(self) -> float:
        # A body that starts from here on wakes us; one that has started is in the list.
        self.next_s = inf
        now_s = elapsed_s()
        deadlines = [due_s for _, due_s in self._timed()]
        self.next_s = min((now_s + self.interval_s, *deadlines))
        return max(0.0, self.next_s - now_s)

    def tick(self) -> bool:
        now_s = elapsed_s()
        for call, deadline_s in self._timed():
            if deadline_s <= now_s:
                self._calls.stop(call, "timeout")
        self._leave_behind(now_s)
        lease_s = (self._options.lease_ms - self._options.margin_ms) / 1000
        if now_s - self._heartbeat.last_sent_s > lease_s:
            self._cut_off()
        return False

    def _timed(self) -> list[tuple[Attempt, float]]:
        """Return the held attempts with a deadline that were not asked to stop yet."""
        return [
            (call, call.deadline_s)
            for call in self._calls.everything()
            if call.deadline_s is not None and call.stop_reason is None and not call.has_ended
        ]

    def _leave_behind(self, now_s: float) -> None:
        """Leave bodies behind that did not stop within their grace."""
        grace_s = self._options.grace_ms / 1000
        stopping = [call for call in self._calls.everything() if call.stop_reason is not None]
        self._stopped_s = {call: self._stopped_s.get(call, now_s) for call in stopping}
        for call, since_s in self._stopped_s.items():
            # A body in a transaction is waited for: its row lock would stop the courier instead.
            if now_s - since_s > grace_s and not (call.has_ended or call.is_committing):
                emit("handler.ignored_stop", job=call.lease.job, run=call.lease.run_id)
                self._calls.abandon(call)
