"""The heartbeat: renews the lease of the worker, and learns which runs it lost or must cancel.

It has a thread and a connection of its own, so that no handler can stop it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rota.clock import elapsed_s
from rota.engine.workers.heartbeat import HandlerProgress, HeartbeatReply, HeldLease
from rota.runtime.attempts.table import AttemptTable
from rota.runtime.options import WorkerOptions
from rota.runtime.service import Service
from rota.runtime.source import Beat, HeartbeatSource


class HeartbeatTarget(Protocol):
    """The parts of a worker that the heartbeat calls."""

    def lose(self) -> None:
        """Stop all work: this worker was given up, and others own its runs now."""
        ...

    def rejoin(self, *, is_known: bool) -> None:
        """Work again after being cut off: under the old name, or registered anew."""
        ...

    def stand_by(self, *, drains: bool) -> None:
        """Claim nothing new while somebody drains this worker, or work again."""
        ...

    def give_back(self, strays: Sequence[HeldLease]) -> None:
        """Release runs that are on record as ours and that never arrived."""
        ...

    def recall(self) -> None:
        """Give back runs that are held ready: they may not begin any more."""
        ...


LOOK_S = 1.0
"""How often to see whether a beat is due or progress was reported; does not query the store."""


class Heartbeat(Service):
    """Renews the worker's lease; `last_sent_s` is when the last acknowledged beat was sent."""

    def __init__(
        self,
        source: HeartbeatSource,
        calls: AttemptTable,
        *,
        options: WorkerOptions,
        body: HeartbeatTarget,
    ) -> None:
        super().__init__()
        self.interval_s = min(LOOK_S, options.heartbeat_ms / 2000)
        self.is_draining = False
        self.is_cut_off = False
        self.last_sent_s = elapsed_s()
        self._source = source
        self._calls = calls
        self._options = options
        self._body = body
        self._asked = False
        self._is_known = True
        self._drains = False
        self._told: str | None = None
        """The presence that is on record."""

    def ask_soon(self) -> None:
        """Beat soon: somebody may have changed one of our runs."""
        self._asked = True
        self.wake()

    def tick(self) -> bool:
        if not self._is_known:
            self._body.rejoin(is_known=False)
            self._is_known = True
        silent_s = elapsed_s() - self.last_sent_s
        is_due = silent_s >= self._options.heartbeat_ms / 1000 - self.interval_s
        is_news = self._calls.progress or self._source.presence() != self._told
        if is_due or is_news or self.is_cut_off:
            self._beat()
        elif self._asked:
            self._asked = False
            beat = self._next_beat((), None)
            self._obey(self._source.changes(beat), beat.held)
        return False

    def _beat(self) -> None:
        self._asked = False
        sent_s = elapsed_s()
        # One that lost its session, as all do when the server restarts, has another in a moment.
        # Until then it beats at each look: to be unseen meanwhile would mean a whole lease of
        # waiting for its runs if it died now.
        presence = self._source.presence() or self._told
        progress = [HandlerProgress(*each) for each in self._calls.progress.take()]
        beat = self._next_beat(progress, presence)
        pulse = self._source.heartbeat(beat)
        self._is_known = pulse.is_known
        if pulse.is_known:
            self.last_sent_s, self._told = sent_s, presence
        else:
            self._body.lose()
        self._obey(pulse, beat.held)
        if pulse.is_known and self.is_cut_off:
            self._body.rejoin(is_known=True)

    def _next_beat(self, progress: Sequence[HandlerProgress], presence: str | None) -> Beat:
        return Beat(
            held=self._calls.held(),
            progress=progress,
            running=self._calls.begun,
            left_behind=self._calls.left_behind,
            is_draining=self.is_draining,
            drains=self._drains,
            presence=presence,
        )

    def _obey(self, pulse: HeartbeatReply, held: Sequence[HeldLease]) -> None:
        fences = {each.run_id: each.fence for each in held}
        for run_id in pulse.lost:
            self._stop(run_id, fences[run_id], lost=True)
        for run_id in pulse.cancelled:
            self._stop(run_id, fences[run_id], lost=False)
        if pulse.recalls:
            self._body.recall()
        if pulse.strays:
            self._body.give_back(pulse.strays)
        if pulse.is_known and pulse.drains != self._drains:
            self._drains = pulse.drains
            self._body.stand_by(drains=pulse.drains)

    def _stop(self, run_id: str, fence: int, *, lost: bool) -> None:
        """Stop one attempt; a later attempt of the same run carries on."""
        call = self._calls.find(run_id)
        if call is None or call.lease.fence != fence:
            return
        if not (lost and call.is_committed):
            self._calls.stop(call, "lost" if lost else "cancel")
