"""The watchman: ends what takes too long, and the worker's own work when its lease runs out."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable

from rota.clock import elapsed_s
from rota.notices import emit
from rota.runtime.call import Call
from rota.runtime.calls import Calls
from rota.runtime.heart import Beating
from rota.runtime.options import WorkerOptions
from rota.runtime.service import Service


class Watchman(Service):
    """Keeps deadlines of attempts, the grace of stopped ones, and the self-fence."""

    interval_s = 0.5

    def __init__(
        self, calls: Calls, heart: Beating, *, options: WorkerOptions, cut_off: Callable[[], None]
    ) -> None:
        super().__init__()
        self._calls = calls
        self._heart = heart
        self._options = options
        self._cut_off = cut_off
        self._deadlines: list[tuple[float, int, Call]] = []
        self._number = itertools.count()
        self._stopped_s: dict[Call, float] = {}

    def started(self, call: Call) -> None:
        """A body starts; only one with a timeout costs anything."""
        if call.deadline_s is not None:
            heapq.heappush(self._deadlines, (call.deadline_s, next(self._number), call))
            if self._deadlines[0][2] is call:
                self.wake()

    def pause_s(self) -> float:
        if not self._deadlines:
            return self.interval_s
        return max(0.0, min(self.interval_s, self._deadlines[0][0] - elapsed_s()))

    def tick(self) -> bool:
        now_s = elapsed_s()
        while self._deadlines and self._deadlines[0][0] <= now_s:
            _, _, call = heapq.heappop(self._deadlines)
            if self._calls.find(call.lease.run_id) is call:
                self._calls.stop(call, "timeout")
        self._leave_behind(now_s)
        lease_s = (self._options.lease_ms - self._options.margin_ms) / 1000
        if now_s - self._heart.last_sent_s > lease_s:
            self._cut_off()
        return False

    def _leave_behind(self, now_s: float) -> None:
        """Bodies that were asked to stop and did not within their grace."""
        grace_s = self._options.grace_ms / 1000
        stopping = [call for call in self._calls.everything() if call.stop_reason is not None]
        self._stopped_s = {call: self._stopped_s.get(call, now_s) for call in stopping}
        for call, since_s in self._stopped_s.items():
            # One in a transaction is waited for, as its row lock would stop the courier instead.
            if now_s - since_s > grace_s and not (call.has_ended or call.is_committing):
                emit("handler.ignored_stop", job=call.lease.job, run=call.lease.run_id)
                self._calls.abandon(call)
