"""The worker without a database: the same calls and executors, with a server behind them.

It owns its services and their order of starting and stopping, as the worker with a store does.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Sequence

from rota.app.app import App
from rota.app.works import HandlerResolver
from rota.client import Client
from rota.clock import elapsed_s
from rota.engine.workers.heartbeat import HeldLease
from rota.errors import RotaError
from rota.ids import new_id
from rota.model.remote import Done, RegisterBody, Registered
from rota.model.run import Lease
from rota.notices import emit
from rota.remote.heartbeat import CancelListener, HttpHeartbeat
from rota.remote.lines import HttpLogFlusher
from rota.remote.services import HttpRunServices
from rota.remote.source import HOLD_S, OutcomeReporter, RunFetcher
from rota.remote.tokens import AttemptTokens
from rota.remote.transport import ServerTransport
from rota.rules.jobs.accepted_arguments import takes_of_all
from rota.runtime.attempts.attempt import Attempt, ResolvedJob
from rota.runtime.attempts.table import AttemptTable
from rota.runtime.base_worker import BaseWorker
from rota.runtime.deadlines import DeadlineMonitor
from rota.runtime.dispatch.give_back import PrefetchReturn
from rota.runtime.dispatch.prefetch import Prefetch
from rota.runtime.logs.buffer import LogBuffer
from rota.runtime.logs.masking import Masker, secrets_in
from rota.runtime.options import WorkerOptions
from rota.runtime.outage import Outage
from rota.runtime.service import Service
from rota.version import version


class RemoteWorker(BaseWorker):
    """One worker process that carries out the jobs of an app for a server.

    Claims, leases, retries and results are decided there; this process has the code.
    """

    def __init__(
        self, app: App, client: Client, options: WorkerOptions, *, token: str | None = None
    ) -> None:
        super().__init__(options)
        self._app = app
        self._transport = ServerTransport(client.line)
        self._tokens = AttemptTokens()
        book = LogBuffer(Masker((*secrets_in(os.environ), *((token,) if token else ()))))
        self._calls = AttemptTable(
            options=options,
            started=self._started,
            wake=self._ended,
            services=HttpRunServices(self._transport, self._tokens),
            log_buffer=book,
        )
        self._heartbeat = self._served_heart = HttpHeartbeat(
            self._transport, self._tokens, self._calls, options=options, body=self
        )
        self._lines = HttpLogFlusher(
            self._transport, self._tokens, self._calls, book, echo=options.echo
        )
        self._deadlines = DeadlineMonitor(
            self._calls, self._heartbeat, options=options, cut_off=self.cut_off
        )
        self._deliverer = OutcomeReporter(self._transport, self._tokens, self._calls)
        self._served_heart.disown = self._deliverer.disown
        self._reserve = reserve = Prefetch(most=options.prefetch, hold_s=HOLD_S, now_s=elapsed_s())
        self._fetcher = RunFetcher(
            self._transport,
            self._tokens,
            self._calls,
            options=options,
            find_work=self._find_work,
            deliverer=self._deliverer,
            reserve=reserve,
        )
        self._holding = PrefetchReturn(
            self._calls, reserve, slots=options.slots, tell=self._served_heart.tell_begun
        )
        self._fetcher.holds = self._holding.watch
        self._deliverer.delivered = self._delivered
        self._works = HandlerResolver(
            app,
            stored=options.stored,
            find_pinned=lambda lease: self._fetcher.definitions.get((lease.job, lease.version)),
        )
        self._ear = CancelListener(self._transport, self._served_heart)
        outage = Outage()
        for service in self._services():
            service.outage = outage

    def start(self, *, worker_id: str | None = None, dead: Sequence[str] = ()) -> None:
        """Register and begin to claim; runs of workers known to be dead are taken back first."""
        told = self._enter(worker_id or new_id(), dead)
        for job in told.unknown_jobs:
            emit("job.undefined", job=job, namespace=told.namespace)
        self._fetcher.is_claiming = True
        for service in self._services():
            service.start()
        emit("worker.started", worker=self.id, queues=told.queues, slots=self._options.slots)

    def stop(self) -> None:
        """Drain, say goodbye, end all threads."""
        if not self._drained.is_set():
            self.drain()
        self._fetcher.cease()
        self._ear.cease()
        self._deliverer.stop()
        self._lines.stop()
        self._heartbeat.stop()  # before we are off the list: it would register anew
        self._deadlines.stop()
        self._holding.stop()
        if self._has_told and not len(self._calls):
            with contextlib.suppress(RotaError):  # then our lease runs out by itself
                self._transport.say("retire", Done, {})
        self._fetcher.stop()
        self._ear.stop()
        self._calls.close()
        self._transport.line.close()
        emit("worker.stopped", worker=self.id)

    def give_back(self, strays: Sequence[HeldLease]) -> None:
        """The deliverer does, or a server of an older version has done so."""

    def recall(self) -> None:
        self._holding.recall()

    def _services(self) -> list[Service]:
        return [
            *(self._lines, self._heartbeat, self._deadlines, self._holding, self._ear),
            *(self._deliverer, self._fetcher),
        ]

    def _register(self, worker_id: str) -> None:
        self._tokens.clear()
        self._enter(worker_id, ())

    def _enter(self, worker_id: str, dead: Sequence[str]) -> Registered:
        options = self._options
        host = socket.gethostname() or "unknown"
        body = RegisterBody(
            worker_id=worker_id,
            name=options.name or f"{host}-{os.getpid()}",
            host=host,
            pid=os.getpid(),
            version=version(),
            slots=options.slots,
            jobs=sorted(self._app.everything),
            queues=list(options.queues) or None,
            stored=options.stored,
            replaces=list(dead),
        )
        sent_s = elapsed_s()
        told = self._transport.line.say("/worker/register", Registered, body)
        self.id = self._transport.worker_id = self._heartbeat.worker_id = told.worker_id
        self._heartbeat.last_sent_s = sent_s
        self._transport.is_new = told.hears_begins
        self._served_heart.hears_begins = self._deliverer.hears_begins = told.hears_begins
        self._deliverer.hears_takes = told.hears_takes
        if told.hears_takes:
            jobs = self._app.everything.values()
            self._fetcher.takes = takes_of_all(job.spec for job in jobs)
        self._served_heart.tells_strays = self._deliverer.tells_strays = told.tells_strays
        return told

    def _find_work(self, lease: Lease) -> ResolvedJob:
        return self._works.find(lease)

    def _take_nothing_new(self) -> None:
        super()._take_nothing_new()
        self._heartbeat.ask_soon()  # the server lets go of the claim that waits there

    def _claim_on(self, *, claiming: bool) -> None:
        self._fetcher.is_claiming = claiming
        self._fetcher.wake()

    def _cut(self, *, off: bool) -> None:
        self._fetcher.is_cut_off = off
        self._fetcher.wake()

    @property
    def _has_told(self) -> bool:
        return self._deliverer.is_empty

    def _started(self, call: Attempt) -> None:
        self._reserve.begun_s = call.started_s or 0.0
        self._deadlines.started(call)

    def _ended(self) -> None:
        self._deliverer.wake()
        self._fetcher.wake()

    def _delivered(self, done: list[Attempt]) -> None:
        self._fetcher.measure(done)
        self._fetcher.wake()
