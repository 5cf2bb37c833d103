"""What all workers have in common: how they drain, stand by, are cut off and come back.

Where runs come from and where their ends go is for those that derive from it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from threading import Event

from rota.clock import elapsed_s
from rota.errors import StoreUnavailable
from rota.ids import new_id
from rota.notices import emit
from rota.runtime.attempts.attempt import StopReason
from rota.runtime.attempts.table import AttemptTable
from rota.runtime.heartbeat import BaseHeartbeat
from rota.runtime.options import WorkerOptions


class BaseWorker:
    """Holds calls and a heart; `id` is new after it was given up."""

    _calls: AttemptTable
    _heartbeat: BaseHeartbeat

    def __init__(self, options: WorkerOptions) -> None:
        self.id = ""
        self._options = options
        self._drained = Event()
        self._hurries = False
        self._is_leaving = False

    def start(self, *, worker_id: str | None = None, dead: Sequence[str] = ()) -> None:
        """Register and begin to claim; runs of workers known to be dead are taken back first."""
        raise NotImplementedError

    def stop(self) -> None:
        """Drain, say goodbye, end all threads."""
        raise NotImplementedError

    @property
    def patience_s(self) -> float:
        """After so long without a word of this process its lease is lost anyway, and more."""
        return self._options.lease_ms / 1000 + 5

    @property
    def fatal(self) -> StoreUnavailable | None:
        """Why this process must end: what it would write would go to nobody."""
        return self._heartbeat.outage.fatal

    @property
    def running(self) -> int:
        """How many runs this worker holds now."""
        return len(self._calls)

    def drain(self) -> None:
        """Stop claiming; returns when running handlers have ended or were given back.

        Waits at most the drain time, or until `hurry` is called; what still runs then
        is stopped and released without burning an attempt.
        """
        self._is_leaving = self._calls.is_leaving = True
        self._take_nothing_new()
        self._wait_until_idle(self._options.drain_ms / 1000, may_hurry=True)
        for call in self._calls.everything():
            self._calls.stop(call, "drain")
        self._wait_until_idle(self._options.grace_ms / 1000 + 2, may_hurry=False)
        self._drained.set()

    def stand_by(self, *, drains: bool) -> None:
        """Take nothing new until further notice, as people ask; what runs goes on."""
        if drains:
            self._take_nothing_new()
        elif not self._is_leaving:
            self._heartbeat.is_draining = False
            self._heartbeat.wake()
            self._claim_on(claiming=True)

    def hurry(self) -> None:
        """Do not wait for running handlers any longer; may be called from a signal handler."""
        self._hurries = True

    def cut_off(self) -> None:
        """Our lease is about to end and we cannot renew it: end all work, without asking the store.

        What has ended already is still delivered, and what is stopped now is given back when the
        store is there again: its fence tells whether that counts.
        """
        self._end_work("cut_off")

    def lose(self) -> None:
        """Others have given us up: what we hold is theirs."""
        self._end_work("lost")

    def rejoin(self, *, is_known: bool) -> None:
        """Work again; as somebody new if our runs were reaped from who we were."""
        if not is_known:
            self._register(new_id())
        self._heartbeat.is_cut_off = False
        self._cut(off=False)
        emit("worker.rejoined", worker=self.id)

    def _claim_on(self, *, claiming: bool) -> None:
        """Begin or cease to claim."""
        raise NotImplementedError

    def _cut(self, *, off: bool) -> None:
        """Claim nothing because we are cut off, or go on."""
        raise NotImplementedError

    def _register(self, worker_id: str) -> None:
        """Announce this process under that id."""
        raise NotImplementedError

    @property
    def _has_told(self) -> bool:
        """Whether all that ended is on record."""
        raise NotImplementedError

    def _take_nothing_new(self) -> None:
        self._claim_on(claiming=False)
        self._heartbeat.is_draining = True
        self._heartbeat.wake()  # people who look at the registry see it now
        self._calls.withdraw("drain")

    def _end_work(self, why: StopReason) -> None:
        if not self._heartbeat.is_cut_off:
            emit("worker.cut_off", worker=self.id, runs=len(self._calls))
        self._heartbeat.is_cut_off = True
        self._cut(off=True)
        self._calls.withdraw(why)
        for call in self._calls.everything():
            self._calls.stop(call, why)

    def _wait_until_idle(self, timeout_s: float, *, may_hurry: bool) -> None:
        end_s = elapsed_s() + timeout_s
        while len(self._calls) or not self._has_told:
            if elapsed_s() > end_s or (may_hurry and self._hurries):
                return
            time.sleep(0.01)
