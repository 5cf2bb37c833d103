"""The store as a source of runs: claims, ends, heartbeats and log lines are transactions of ours.

A worker with a store also runs the chores that keep all runs of the store going.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Sequence
from threading import get_ident

import msgspec

from rota.clock import elapsed_s
from rota.engine.logs import append
from rota.engine.runs.begin import begin
from rota.engine.wakeup_keys import queue_key, recall_key, worker_key
from rota.engine.workers.heartbeat import HeartbeatReply, HeldLease, changes, heartbeat
from rota.engine.workers.lost_claims import release
from rota.engine.workers.reap import reap
from rota.engine.workers.registry import NewWorker, learn, register, retire
from rota.errors import StoreUnavailable
from rota.model.logs.log import LogChunk
from rota.model.runs.run import Begun
from rota.notices import emit
from rota.runtime.attempts.services import Address, RunServices
from rota.runtime.chores.all_chores import all_chores
from rota.runtime.dispatch.claim_gate import ClaimGate, ClosedSpans
from rota.runtime.dispatch.joined_claims import JoinedClaims
from rota.runtime.dispatch.store_exchange import StoreExchange
from rota.runtime.dispatch.stored_jobs import StoredJobWatcher
from rota.runtime.logs.masking import Masker
from rota.runtime.options import WorkerOptions, WorkerScope
from rota.runtime.service import Service
from rota.runtime.source import Beat, WorkerParts
from rota.runtime.values.artifacts import ArtifactStore
from rota.runtime.values.backends import DATABASE, ArtifactBackend
from rota.runtime.values.loader import ValueLoader
from rota.store.base import Store, Watch
from rota.store.wakeups import EVERYWHERE

EVERY = 500
"""Most runs of a dead worker in one transaction."""


class StoreSource:
    """The runs of one namespace whose jobs a worker knows (RunSource)."""

    hold_s = 0.05

    def __init__(
        self,
        store: Store,
        scope: WorkerScope,
        *,
        options: WorkerOptions,
        version: str,
        artifacts: ArtifactBackend | None = None,
    ) -> None:
        self._store = store
        self._scope = scope
        self._options = options
        self._version = version
        self._artifacts = artifacts
        self._namespace = scope.namespace
        self._keys = {queue_key(scope.namespace, queue) for queue in scope.queues}
        self._own_keys = {recall_key(scope.namespace)}
        """Wake-up keys that ring when somebody changes runs that we hold."""
        self._watches: list[Watch] = []
        self._shut: frozenset[tuple[str | None, str | None]] = frozenset()
        """Jobs and queues that maintenance windows keep from starting, as far as we know."""
        artifact_store = ArtifactStore(lambda: store, artifacts)
        address = Address(store.url, scope.namespace, artifacts.where if artifacts else DATABASE)
        self.runs = StoreExchange(store, scope)
        self.services = RunServices(address, lambda: store, artifact_store)
        self.loader = ValueLoader(store, artifact_store, namespace=scope.namespace)
        self.masker = Masker.of(os.environ, store.url)

    @property
    def queues(self) -> Sequence[str]:
        return self._scope.queues

    def attach(self, parts: WorkerParts) -> Sequence[Service]:
        store, options = self._store, self._options
        self._parts = parts
        self._courier, self._heartbeat = parts.courier, parts.heartbeat
        parts.calls.carry = parts.courier.carry
        self._joined = JoinedClaims(self.runs, parts.courier, parts.calls, slots=options.slots)
        self._claim_gate = ClaimGate(store, self._scope, obey=self._obey)
        self._listeners: list[Service] = []
        if options.chores:
            self._listeners += all_chores(store, options, self._artifacts, parts.calls)
        if options.stored:
            self._listeners.append(StoredJobWatcher(store, self._scope, learned=self._learn))
        self._listeners.append(self._claim_gate)
        return self._listeners

    def register(self, worker_id: str, *, dead: Sequence[str] = ()) -> float:
        for dead_id in dead:
            self._bury(dead_id)
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
        lease_ms = self._options.lease_ms
        sent_s = elapsed_s()
        self._store.write(
            lambda tx: register(tx, worker, namespace=self._namespace, lease_ms=lease_ms),
            urgent=True,
        )
        self.runs.worker_id = worker_id
        self._own_keys = {recall_key(self._namespace), worker_key(worker_id)}
        return sent_s

    def _bury(self, dead_id: str) -> None:
        blamed: set[str] = set()
        while self._store.write(lambda tx: reap(tx, limit=EVERY, worker_id=dead_id, blamed=blamed)):
            pass
        self._store.write(lambda tx: retire(tx, dead_id))
        if blamed:
            emit("run.blamed", worker=dead_id, runs=sorted(blamed))

    def start(self) -> None:
        watch = self._store.watch(self._woken, heard=self._heard)
        self._watches = [watch, self._store.join_commits(self._joined)]
        self._claim_gate.tick()  # the first claim must know the windows

    def stop(self) -> None:
        for watch in self._watches:
            watch.close()

    def retire(self, *, has_told: bool) -> None:  # noqa: ARG002  # what still runs has its fence
        with contextlib.suppress(StoreUnavailable):  # our lease then expires
            self._store.write(lambda tx: retire(tx, self.runs.worker_id))

    def presence(self) -> str | None:
        return self._store.presence.mine()

    def heartbeat(self, beat: Beat) -> HeartbeatReply:
        return self._store.write(
            lambda tx: heartbeat(
                tx,
                self.runs.worker_id,
                lease_ms=self._options.lease_ms,
                held=beat.held,
                progress=beat.progress,
                running=beat.running,
                left_behind=beat.left_behind,
                is_draining=beat.is_draining,
                presence=beat.presence,
            ),
            urgent=True,
        )

    def changes(self, beat: Beat) -> HeartbeatReply:
        pulse = self._store.read(lambda tx: changes(tx, beat.held))
        return msgspec.structs.replace(pulse, drains=beat.drains)  # only a heartbeat learns that

    def begin(self, begun: Sequence[Begun]) -> None:
        self._store.write(lambda tx: begin(tx, begun, namespace=self._namespace))

    def log(self, chunks: list[LogChunk], *, is_repeated: bool) -> None:
        self._store.write(
            lambda tx: append(tx, chunks, namespace=self._namespace, is_repeated=is_repeated),
            lone=not is_repeated,
        )

    def give_back(self, strays: Sequence[HeldLease]) -> None:
        """Release runs that a transaction claimed for us and whose answer never arrived."""
        unknown = self._unknown(strays)
        if unknown:
            runs = [stray.run_id for stray in unknown]
            emit("runs.strayed", worker=self.runs.worker_id, runs=runs)
            self._store.write(lambda tx: release(tx, unknown, namespace=self._namespace))

    def _unknown(self, strays: Sequence[HeldLease]) -> list[HeldLease]:
        """Return the runs among these that never arrived; none while a claim is on its way.

        The heartbeat listed our runs, perhaps long before it was sent: a process that is stopped in
        between has begun runs that it did not list.
        """
        if not self._courier.turn.acquire(blocking=False):
            return []  # the next heartbeat lists them again
        try:
            held_keys = {call.key for call in self._parts.calls.everything()}
        finally:
            self._courier.turn.release()
        return [each for each in strays if (each.run_id, each.fence) not in held_keys]

    def _learn(self, scope: WorkerScope) -> None:
        """Update the scope after stored jobs came or went, also on record, for people."""
        self._scope = scope
        self._keys = {queue_key(scope.namespace, queue) for queue in scope.queues}
        with self._courier.turn:
            self.runs.claims.serve(scope)
        self._courier.look()
        self._claim_gate.serve(scope)
        duty = {"queues": scope.queues, "jobs": scope.jobs, "takes": scope.takes}
        worker_id = self.runs.worker_id
        self._store.write(lambda tx: learn(tx, worker_id, **duty))  # type: ignore[arg-type]  # as named
        emit("worker.learned", worker=worker_id, queues=scope.queues, jobs=len(scope.jobs))

    def _obey(self, closings: ClosedSpans) -> None:
        """Start nothing new in these windows; no claim is on its way on return."""
        with self._courier.turn:
            self.runs.claims.obey(closings)
        self._courier.look()
        was, self._shut = self._shut, closings.shut(elapsed_s())
        if self._shut - was:
            self._parts.prefetch_return.recall()

    def _heard(self, key: str) -> None:
        if key in self._keys:
            self._courier.fetch()
        else:
            self._woken(key)

    def _woken(self, key: str) -> None:
        if key in self._keys:
            # Our own transaction may have brought the work, and has claimed after that.
            if self.runs.claiming_thread != get_ident():
                self._courier.look()
        elif key in self._own_keys:
            self._heartbeat.ask_soon()
        elif key == EVERYWHERE:
            self._courier.look()
            self._heartbeat.ask_soon()
        for service in self._listeners:
            if service.hears and key in (service.hears, EVERYWHERE):
                service.wake()
