"""The worker: takes runs from its source, has them carried out, reports how they ended.

It owns its services and their order of starting and stopping; they do the work.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from threading import Event

from rota.clock import elapsed_s
from rota.engine.workers.heartbeat import HeldLease
from rota.errors import StoreUnavailable
from rota.ids import new_id
from rota.notices import emit
from rota.runtime.attempts.attempt import Attempt, StopReason
from rota.runtime.attempts.table import AttemptTable
from rota.runtime.deadlines import DeadlineMonitor
from rota.runtime.dispatch.courier import Courier
from rota.runtime.dispatch.give_back import PrefetchReturn
from rota.runtime.dispatch.prefetch import Prefetch
from rota.runtime.heartbeat import Heartbeat
from rota.runtime.logs.buffer import LogBuffer
from rota.runtime.logs.flusher import LogFlusher
from rota.runtime.options import WorkerOptions
from rota.runtime.outage import Outage
from rota.runtime.service import Service
from rota.runtime.source import RunSource, WorkerParts


class Worker:
    """One worker process (or one inside another program); `id` is new after it was given up."""

    def __init__(self, source: RunSource, options: WorkerOptions) -> None:
        self._source = source
        self._options = options
        self._drained = Event()
        self._hurries = False
        self._is_leaving = False
        book = LogBuffer(source.masker)
        self._calls = calls = AttemptTable(
            options=options,
            started=self._started,
            wake=self._wake_courier,
            services=source.services,
            log_buffer=book,
            loader=source.loader,
        )
        self._log_flusher = LogFlusher(source, calls, book, echo=options.echo)
        self._reserve = Prefetch(most=options.prefetch, hold_s=source.hold_s, now_s=elapsed_s())
        self._courier = Courier(source.runs, calls, options=options, reserve=self._reserve)
        self._holding = PrefetchReturn(calls, self._reserve, slots=options.slots, tell=source.begin)
        self._courier.holds = self._holding.watch
        self._heartbeat = Heartbeat(source, calls, options=options, body=self)
        self._deadlines = DeadlineMonitor(
            calls, self._heartbeat, options=options, cut_off=self.cut_off
        )
        # The log flusher starts first and stops last: handlers print until the end.
        self._services: list[Service] = [
            *(self._log_flusher, self._heartbeat, self._deadlines, self._holding),
            *source.attach(WorkerParts(calls, self._courier, self._heartbeat, self._holding)),
            self._courier,
        ]
        outage = Outage()
        for service in self._services:
            service.outage = outage

    @property
    def id(self) -> str:
        return self._source.runs.worker_id

    @property
    def patience_s(self) -> float:
        """Seconds without a beat after which the lease is lost for certain."""
        return self._options.lease_ms / 1000 + 5

    @property
    def fatal(self) -> StoreUnavailable | None:
        """The reason why this process must end: nobody would receive what it writes."""
        return self._heartbeat.outage.fatal

    @property
    def running(self) -> int:
        """The number of runs that this worker holds now."""
        return len(self._calls)

    def start(self, *, worker_id: str | None = None, dead: Sequence[str] = ()) -> None:
        """Register and begin to claim; runs of workers known to be dead are taken back first."""
        self._register(worker_id or new_id(), dead=dead)
        self._source.start()
        self._courier.claim_on(claiming=True)
        for service in self._services:
            service.start()
        queues = self._source.queues
        emit("worker.started", worker=self.id, queues=queues, slots=self._options.slots)

    def stop(self) -> None:
        """Drain, retire from the source, end all threads."""
        if not self._drained.is_set():
            self.drain()
        self._source.stop()
        for service in reversed(self._services):
            service.stop()
        self._source.retire(has_told=self._courier.is_empty and not len(self._calls))
        self._calls.close()
        emit("worker.stopped", worker=self.id)

    def drain(self) -> None:
        """Stop claiming; returns when running handlers have ended or were given back.

        Waits at most the drain time, or until `hurry` is called; runs that are left then are
        stopped and released without burning an attempt.
        """
        self._is_leaving = self._calls.is_leaving = True
        self._take_nothing_new()
        self._wait_until_idle(self._options.drain_ms / 1000, may_hurry=True)
        for call in self._calls.everything():
            self._calls.stop(call, "drain")
        self._wait_until_idle(self._options.grace_ms / 1000 + 2, may_hurry=False)
        self._drained.set()

    def stand_by(self, *, drains: bool) -> None:
        """Take nothing new while a person drains this worker, or work again; runs carry on."""
        if drains:
            self._take_nothing_new()
        elif not self._is_leaving:
            self._heartbeat.is_draining = False
            self._heartbeat.wake()
            self._courier.claim_on(claiming=True)

    def hurry(self) -> None:
        """Stop waiting for running handlers; may be called from a signal handler."""
        self._hurries = True

    def cut_off(self) -> None:
        """End all work without the source: our lease is about to end and cannot be renewed.

        Attempts that have ended are still reported, and stopped ones are given back when the source
        is there again: the fence decides whether that counts.
        """
        self._end_work("cut_off")

    def lose(self) -> None:
        """Stop all work: this worker was given up, and others own its runs."""
        self._end_work("lost")

    def rejoin(self, *, is_known: bool) -> None:
        """Work again; under a new id if our runs were reaped from the old one."""
        if not is_known:
            self._register(new_id())
        self._heartbeat.is_cut_off = False
        self._courier.is_cut_off = False
        self._courier.look()
        emit("worker.rejoined", worker=self.id)

    def recall(self) -> None:
        """Give back runs that are held ready: they may not begin any more."""
        self._holding.recall()

    def give_back(self, strays: Sequence[HeldLease]) -> None:
        """Release runs that are on record as ours and that never arrived."""
        self._source.give_back(strays)

    def _register(self, worker_id: str, *, dead: Sequence[str] = ()) -> None:
        self._heartbeat.last_sent_s = self._source.register(worker_id, dead=dead)

    def _take_nothing_new(self) -> None:
        self._courier.claim_on(claiming=False)
        self._heartbeat.is_draining = True
        self._heartbeat.ask_soon()  # people who look at the registry see it now
        self._calls.withdraw("drain")

    def _end_work(self, why: StopReason) -> None:
        if not self._heartbeat.is_cut_off:
            emit("worker.cut_off", worker=self.id, runs=len(self._calls))
        self._heartbeat.is_cut_off = True
        self._courier.is_cut_off = True
        self._calls.withdraw(why)
        for call in self._calls.everything():
            self._calls.stop(call, why)

    def _wait_until_idle(self, timeout_s: float, *, may_hurry: bool) -> None:
        end_s = elapsed_s() + timeout_s
        while len(self._calls) or not self._courier.is_empty:
            if elapsed_s() > end_s or (may_hurry and self._hurries):
                return
            time.sleep(0.01)

    def _started(self, call: Attempt) -> None:
        self._reserve.begun_s = call.started_s or 0.0
        self._deadlines.started(call)

    def _wake_courier(self) -> None:
        self._courier.wake()
