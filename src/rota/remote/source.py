"""A server as the source of runs, for a worker with a token instead of a database login.

Everything that this worker sends may be sent twice without harm.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Sequence

from rota.app.app import App
from rota.app.workers.handler_resolver import HandlerResolver
from rota.client import Client
from rota.clock import elapsed_s
from rota.engine.workers.heartbeat import HandlerProgress, HeartbeatReply, HeldLease
from rota.errors import RotaError, StoreUnavailable, UnknownWorker
from rota.model.logs.log import LogChunk
from rota.model.runs.run import Begun
from rota.model.workers.remote import (
    Beaten,
    BegunBody,
    ChunkBody,
    Done,
    HeartbeatBody,
    LogsBody,
    ProgressBody,
    RegisterBody,
    Registered,
    Taken,
)
from rota.notices import emit
from rota.remote.exchange import HttpExchange
from rota.remote.polls import CancelListener, ClaimPoll, Poll
from rota.remote.services import HttpRunServices
from rota.remote.tokens import AttemptTokens
from rota.remote.transport import ServerTransport, Understood
from rota.rules.jobs.accepted_arguments import takes_of_all
from rota.rules.shared_log_rows import split
from rota.runtime.logs.masking import Masker, secrets_in
from rota.runtime.options import WorkerOptions
from rota.runtime.source import Beat, WorkerParts
from rota.version import version


class HttpSource:
    """The runs of an app's jobs, claimed from a server (RunSource)."""

    hold_s = 0.2
    loader = None
    """None: the server sends large values along."""

    def __init__(
        self, app: App, client: Client, options: WorkerOptions, *, token: str | None = None
    ) -> None:
        self._app = app
        self._options = options
        self._transport = transport = ServerTransport(client.line)
        self._tokens = tokens = AttemptTokens()
        self.runs = runs = HttpExchange(transport, tokens)
        runs.find_work = HandlerResolver(
            app,
            stored=options.stored,
            find_pinned=lambda lease: runs.definitions.get((lease.job, lease.version)),
        ).find
        self.services = HttpRunServices(transport, tokens)
        self.masker = Masker((*secrets_in(os.environ), *((token,) if token else ())))
        self.queues: Sequence[str] = ()
        self._unknown_jobs: Sequence[str] = ()
        self._namespace = ""
        self._begun: list[Begun] = []

    def attach(self, parts: WorkerParts) -> Sequence[Poll]:
        self._heartbeat = parts.heartbeat
        self._polls = (
            CancelListener(self._transport, parts.heartbeat),
            ClaimPoll(self.runs, parts.courier),
        )
        self.runs.tell = parts.courier.tell
        parts.courier.claim_apart(self._polls[1])
        return self._polls

    def register(self, worker_id: str, *, dead: Sequence[str] = ()) -> float:
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
        self._tokens.clear()  # they belong to our previous registration
        sent_s = elapsed_s()
        registered = self._transport.line.say("/worker/register", Registered, body)
        self.runs.worker_id = registered.worker_id
        self.queues, self._namespace = registered.queues, registered.namespace
        self._unknown_jobs = registered.unknown_jobs
        self._transport.understands = Understood(
            begins=registered.hears_begins,
            takes=registered.hears_takes,
            strays=registered.tells_strays,
        )
        if registered.hears_takes:
            jobs = self._app.everything.values()
            self.runs.takes = takes_of_all(job.spec for job in jobs)
        return sent_s

    def start(self) -> None:
        for job in self._unknown_jobs:
            emit("job.undefined", job=job, namespace=self._namespace)

    def stop(self) -> None:
        """Do nothing: the polls are services of the worker, which stops them."""

    def retire(self, *, has_told: bool) -> None:
        if has_told:  # retiring gives back all runs on record as ours, as if not begun
            with contextlib.suppress(RotaError):  # our lease then expires
                self._transport.say("retire", Done, {})
        for poll in self._polls:
            poll.leave()
        self._transport.line.close()

    def presence(self) -> str | None:
        """Return None: only heartbeats show that this process lives."""
        return None

    def heartbeat(self, beat: Beat) -> HeartbeatReply:
        understands = self._transport.understands
        body = HeartbeatBody(
            held=self._tokens.those(beat.held),
            progress=self._progress(beat.progress),
            draining=beat.is_draining,
            stored=self._options.stored,
        )
        body.hears_strays = understands.strays
        begun = tuple(self._begun)
        if understands.begins:
            body.running, body.left_behind = beat.running, beat.left_behind
            body.begun = self._begins(begun)
        try:
            answer = self._transport.say("heartbeat", Beaten, body)
        except UnknownWorker:
            return HeartbeatReply(is_known=False, lost=tuple(each.run_id for each in beat.held))
        del self._begun[: len(begun)]
        self.runs.disown(answer.strays)
        ours = {each.run_id for each in beat.held}
        return HeartbeatReply(
            is_known=True,
            lost=tuple(run_id for run_id in answer.lost if run_id in ours),
            cancelled=tuple(run_id for run_id in answer.cancelled if run_id in ours),
            recalls=answer.recalls,
            drains=answer.draining,
        )

    changes = heartbeat

    def begin(self, begun: Sequence[Begun]) -> None:
        """Report the beginnings with a heartbeat, soon."""
        self._begun += begun
        self._heartbeat.ask_soon()

    def give_back(self, strays: Sequence[HeldLease]) -> None:
        """Do nothing: the server sends strays with attempt tokens, and those were given back."""

    def log(self, chunks: list[LogChunk], *, is_repeated: bool) -> None:  # noqa: ARG002  # it looks
        """Send each chunk with its attempt token; drop lines of attempts that are not ours."""
        bodies = [
            ChunkBody(
                run_id=each.run_id,
                fence=each.fence,
                token=token,
                seq=each.seq,
                first_at=each.first_at,
                marks=each.marks,
                body=each.body,
            )
            for chunk in chunks
            for each in split(chunk)
            if (token := self._tokens.find(each.run_id, each.fence)) is not None
        ]
        if not bodies:
            return
        try:
            self._transport.say("logs", Taken, LogsBody(chunks=bodies))
        except StoreUnavailable:
            raise
        except RotaError as error:  # a repeat would be refused again, with all lines behind it
            emit(
                "logs.dropped", lines=sum(each.body.count("\n") + 1 for each in bodies), error=error
            )

    def _progress(self, progress: Sequence[HandlerProgress]) -> list[ProgressBody]:
        return [
            ProgressBody(
                run_id=each.run_id,
                fence=each.fence,
                token=token,
                fraction=each.fraction,
                note=each.note,
            )
            for each in progress
            if (token := self._tokens.find(each.run_id, each.fence)) is not None
        ]

    def _begins(self, begun: Sequence[Begun]) -> list[BegunBody]:
        return [
            BegunBody(run_id=each.run_id, fence=each.fence, token=token, held_ms=each.held_ms)
            for each in begun
            if (token := self._tokens.find(each.run_id, each.fence)) is not None
        ]
