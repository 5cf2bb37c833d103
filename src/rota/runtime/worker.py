"""The worker: claims runs, has them carried out, tells the store how they ended.

It owns its services and their order of starting and stopping; the work is theirs.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Sequence

from rota.clock import elapsed_s
from rota.engine.runs.begin import begin
from rota.engine.wakeup_keys import queue_key, recall_key, worker_key
from rota.engine.workers.heartbeat import HeldLease
from rota.engine.workers.lost_claims import release
from rota.engine.workers.reap import reap
from rota.engine.workers.registry import NewWorker, learn, register, retire
from rota.errors import StoreUnavailable
from rota.ids import new_id
from rota.model.run import Begun
from rota.notices import emit
from rota.runtime.attempts.attempt import Attempt
from rota.runtime.attempts.services import Address, RunServices
from rota.runtime.attempts.table import AttemptTable
from rota.runtime.base_worker import BaseWorker
from rota.runtime.chores.alerts import AlertSender
from rota.runtime.chores.artifacts import Sweeper
from rota.runtime.chores.breakers import BreakerProber
from rota.runtime.chores.lifecycle import chores
from rota.runtime.deadlines import DeadlineMonitor
from rota.runtime.dispatch.claim_gate import ClaimGate, ClosedSpans
from rota.runtime.dispatch.courier import HOLD_S, Courier
from rota.runtime.dispatch.give_back import PrefetchReturn
from rota.runtime.dispatch.prefetch import Prefetch
from rota.runtime.dispatch.stored_jobs import StoredJobWatcher
from rota.runtime.heartbeat import Heartbeat
from rota.runtime.logs.buffer import LogBuffer
from rota.runtime.logs.flusher import LogFlusher, LogIndexer
from rota.runtime.logs.masking import Masker
from rota.runtime.options import WorkerOptions, WorkerScope
from rota.runtime.outage import Outage
from rota.runtime.service import Service
from rota.runtime.values.artifacts import ArtifactStore
from rota.runtime.values.backends import DATABASE, ArtifactBackend
from rota.runtime.values.loader import ValueLoader
from rota.store.base import Store, Watch
from rota.store.wakeups import EVERYWHERE

EVERY = 500
"""Of the runs of a dead worker in one transaction."""


class Worker(BaseWorker):
    """One worker process (or one inside another program)."""

    def __init__(
        self,
        store: Store,
        scope: WorkerScope,
        *,
        options: WorkerOptions,
        version: str,
        artifacts: ArtifactBackend | None = None,
    ) -> None:
        super().__init__(options)
        self._store = store
        self._artifacts = artifacts
        self._scope = scope
        self._version = version
        self._watches: list[Watch] = []
        self._keys = {queue_key(scope.namespace, queue) for queue in scope.queues}
        book = LogBuffer(Masker.of(os.environ, store.url))
        artifact_store = ArtifactStore(lambda: store, artifacts)
        address = Address(store.url, scope.namespace, artifacts.where if artifacts else DATABASE)
        self._calls = AttemptTable(
            options=options,
            started=self._started,
            wake=self._wake_courier,
            services=RunServices(address, lambda: store, artifact_store),
            log_buffer=book,
            loader=ValueLoader(store, artifact_store, namespace=scope.namespace),
        )
        self._log_courier = LogFlusher(
            store, self._calls, book, namespace=scope.namespace, echo=options.echo
        )
        self._reserve = reserve = Prefetch(most=options.prefetch, hold_s=HOLD_S, now_s=elapsed_s())
        self._courier = Courier(store, self._calls, scope, options=options, reserve=reserve)
        self._calls.carry = self._courier.carry
        self._holding = PrefetchReturn(
            self._calls, reserve, slots=options.slots, tell=self._tell_begun
        )
        self._courier.holds = self._holding.watch
        self._shut: frozenset[tuple[str | None, str | None]] = frozenset()
        """What a window keeps from starting, as far as we heard."""
        self._claim_gate = ClaimGate(store, scope, obey=self._obey)
        self._heartbeat = Heartbeat(store, self._calls, options=options, body=self)
        self._deadlines = DeadlineMonitor(
            self._calls, self._heartbeat, options=options, cut_off=self.cut_off
        )
        self._stored_jobs = (
            [StoredJobWatcher(store, scope, learned=self._learned)] if options.stored else []
        )
        self._chores = self._make_chores() if options.chores else []
        outage = Outage()
        for service in self._services():
            service.outage = outage

    def _bury(self, dead_id: str) -> None:
        blamed: set[str] = set()
        while self._store.write(lambda tx: reap(tx, limit=EVERY, worker_id=dead_id, blamed=blamed)):
            pass
        self._store.write(lambda tx: retire(tx, dead_id))
        if blamed:
            emit("run.blamed", worker=dead_id, runs=sorted(blamed))

    def start(self, *, worker_id: str | None = None, dead: Sequence[str] = ()) -> None:
        """Register and begin to claim; runs of workers known to be dead are taken back first."""
        for dead_id in dead:
            self._bury(dead_id)
        self._register(worker_id or new_id())
        watch = self._store.watch(self._woken, heard=self._heard)
        self._watches = [watch, self._store.join_commits(self._courier)]
        self._claim_gate.tick()  # the first claim knows the windows already
        self._courier.claim_on(claiming=True)
        for service in self._services():
            service.start()
        emit("worker.started", worker=self.id, queues=self._scope.queues, slots=self._options.slots)

    def stop(self) -> None:
        """Drain, say goodbye, end all threads."""
        if not self._drained.is_set():
            self.drain()
        for watch in self._watches:
            watch.close()
        for service in reversed(self._services()):
            service.stop()
        with contextlib.suppress(StoreUnavailable):  # then our lease runs out by itself
            self._store.write(lambda tx: retire(tx, self.id))
        self._calls.close()
        emit("worker.stopped", worker=self.id)

    def _make_chores(self) -> list[Service]:
        # Late: a program that only submits need not know cron and zones.
        from rota.runtime.chores.anchors import anchorers  # noqa: PLC0415
        from rota.runtime.chores.dependencies import DependencyReleaser  # noqa: PLC0415
        from rota.runtime.chores.scheduler import Scheduler, StaleScheduleScan  # noqa: PLC0415

        options = self._options
        return [
            *chores(self._store, options.retention, lease_ms=options.lease_ms),
            Sweeper(self._store, options.retention, self._artifacts),
            BreakerProber(self._store),
            AlertSender(self._store, options),
            # More than the slots are held only while runs go fast.
            LogIndexer(self._store, lambda: len(self._calls) > options.slots),
            Scheduler(self._store),
            StaleScheduleScan(self._store),
            DependencyReleaser(self._store),
            *anchorers(self._store, options),
        ]

    def _services(self) -> list[Service]:
        # The log courier starts first and stops last: handlers print until the end.
        return [
            *(self._log_courier, self._heartbeat, self._deadlines, self._holding),
            *self._chores,
            *self._stored_jobs,
            self._claim_gate,
            self._courier,
        ]

    def _learned(self, scope: WorkerScope) -> None:
        """Stored jobs came or went; people who ask who knows a job are told, too."""
        self._scope = scope
        self._keys = {queue_key(scope.namespace, queue) for queue in scope.queues}
        self._courier.serve(scope)
        self._claim_gate.serve(scope)
        known = {"queues": scope.queues, "jobs": scope.jobs, "takes": scope.takes}
        self._store.write(lambda tx: learn(tx, self.id, **known))  # type: ignore[arg-type]  # as named
        emit("worker.learned", worker=self.id, queues=scope.queues, jobs=len(scope.jobs))

    def _register(self, worker_id: str) -> None:
        worker = NewWorker(
            id=worker_id,
            name=self._options.name or f"{socket.gethostname()}-{os.getpid()}",
            host=socket.gethostname(),
            pid=os.getpid(),
            queues=self._scope.queues,
            slots=self._options.slots,
            version=self._version,
            jobs=self._scope.jobs,
            takes=self._scope.takes,
            presence=self._store.presence.mine(),
        )
        sent_s = elapsed_s()
        self._store.write(
            lambda tx: register(
                tx, worker, namespace=self._scope.namespace, lease_ms=self._options.lease_ms
            ),
            urgent=True,
        )
        self.id = self._courier.worker_id = self._heartbeat.worker_id = worker_id
        self._heartbeat.last_sent_s = sent_s

    def _claim_on(self, *, claiming: bool) -> None:
        self._courier.claim_on(claiming=claiming)

    def _cut(self, *, off: bool) -> None:
        self._courier.is_cut_off = off
        if not off:
            self._courier.look()

    @property
    def _has_told(self) -> bool:
        return self._courier.is_empty

    def give_back(self, strays: Sequence[HeldLease]) -> None:
        """Release runs that were claimed for us by a transaction whose answer we never got."""
        unknown = self._unknown(strays)
        if unknown:
            emit("runs.strayed", worker=self.id, runs=[stray.run_id for stray in unknown])
            self._store.write(lambda tx: release(tx, unknown, namespace=self._scope.namespace))

    def _unknown(self, strays: Sequence[HeldLease]) -> list[HeldLease]:
        """Of these, the runs that we never heard of; none while a claim is on its way.

        The heartbeat listed what we hold, perhaps long before it was sent: a process that is
        stopped in between has begun runs that it did not list.
        """
        if not self._courier.turn.acquire(blocking=False):
            return []  # the next heartbeat tells of them again
        try:
            known = {call.key for call in self._calls.everything()}
        finally:
            self._courier.turn.release()
        return [each for each in strays if (each.run_id, each.fence) not in known]

    def recall(self) -> None:
        self._holding.recall()

    def _obey(self, closings: ClosedSpans) -> None:
        self._courier.obey(closings)
        was, self._shut = self._shut, closings.shut(elapsed_s())
        if self._shut - was:
            self.recall()

    def _tell_begun(self, begun: Sequence[Begun]) -> None:
        self._store.write(lambda tx: begin(tx, begun, namespace=self._scope.namespace))

    def _started(self, call: Attempt) -> None:
        self._reserve.begun_s = call.started_s or 0.0
        self._deadlines.started(call)

    def _wake_courier(self) -> None:
        self._courier.wake()

    def _heard(self, key: str) -> None:
        if key in self._keys:
            self._courier.fetch()
        else:
            self._woken(key)

    def _woken(self, key: str) -> None:
        if key in self._keys:
            self._courier.look()
        elif key in (worker_key(self.id), recall_key(self._scope.namespace)):
            self._heartbeat.ask_soon()
        elif key == EVERYWHERE:
            self._courier.look()
            self._heartbeat.ask_soon()
        for service in (*self._chores, *self._stored_jobs, self._claim_gate):
            if service.hears and key in (service.hears, EVERYWHERE):
                service.wake()
