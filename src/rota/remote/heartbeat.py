"""The heart of a worker without a database: it beats at its server."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rota.clock import elapsed_s
from rota.engine.workers.heartbeat import HandlerProgress, HeartbeatReply, HeldLease
from rota.errors import UnknownWorker
from rota.model.remote import Beaten, BegunBody, HeartbeatBody, ProgressBody, Rung, Stray
from rota.model.run import Begun
from rota.remote.tokens import AttemptTokens
from rota.remote.transport import ServerTransport
from rota.runtime.attempts.table import AttemptTable
from rota.runtime.heartbeat import BaseHeartbeat, HeartbeatTarget
from rota.runtime.options import WorkerOptions
from rota.runtime.service import Service

WAIT_S = 20.0
"""How long a question that waits for news is left open: proxies end those that take a minute."""
EARLY_S = 0.1
"""An empty answer that came sooner means that the server does not want us to wait."""
LEAVE_S = 2.0
"""How long a question that waits may hold up the end of the worker."""


class HttpHeartbeat(BaseHeartbeat):
    """Renews the lease and is told which runs are lost or to be cancelled."""

    def __init__(
        self,
        transport: ServerTransport,
        tokens: AttemptTokens,
        calls: AttemptTable,
        *,
        options: WorkerOptions,
        body: HeartbeatTarget,
    ) -> None:
        super().__init__(calls, options=options, body=body)
        self._transport = transport
        self._tokens = tokens
        self.hears_begins = False
        """Whether the server wants to know when handlers began."""
        self.tells_strays = False
        """Whether the server leaves it to us to give back what we do not know."""
        self.disown: Callable[[Sequence[Stray]], None] = _nothing
        """Told of runs that we did not list."""
        self._begun: list[Begun] = []

    def tell_begun(self, begun: Sequence[Begun]) -> None:
        """Say so with a beat, soon."""
        self._begun += begun
        self.ask_soon()

    def presence(self) -> str | None:
        """Nobody sees this process but by its heartbeats."""
        return None

    def send(
        self,
        held: Sequence[HeldLease],
        progress: Sequence[HandlerProgress],
        seen: str | None,  # noqa: ARG002  # nobody does
    ) -> HeartbeatReply:
        told = [
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
        body = HeartbeatBody(
            held=self._tokens.those(held),
            progress=told,
            draining=self.is_draining,
            stored=self._options.stored,
        )
        body.hears_strays = self.tells_strays
        begun = tuple(self._begun)
        if self.hears_begins:
            self._say_more(body, begun)
        try:
            answer = self._transport.say("heartbeat", Beaten, body)
        except UnknownWorker:
            return HeartbeatReply(is_known=False, lost=tuple(each.run_id for each in held))
        del self._begun[: len(begun)]
        self.disown(answer.strays)
        fences = {each.run_id for each in held}
        return HeartbeatReply(
            is_known=True,
            lost=tuple(run_id for run_id in answer.lost if run_id in fences),
            cancelled=tuple(run_id for run_id in answer.cancelled if run_id in fences),
            recalls=answer.recalls,
            drains=answer.draining,
        )

    def _say_more(self, body: HeartbeatBody, begun: Sequence[Begun]) -> None:
        """What runs, since when, and what goes on although its run has ended."""
        body.running = self._calls.begun
        body.left_behind = self._calls.left_behind
        body.begun = [
            BegunBody(run_id=each.run_id, fence=each.fence, token=token, held_ms=each.held_ms)
            for each in begun
            if (token := self._tokens.find(each.run_id, each.fence)) is not None
        ]

    def look(self, held: Sequence[HeldLease]) -> HeartbeatReply:
        pulse = self.send(held, (), None)
        if pulse.is_known and pulse.drains != self._drains:
            self._drains = pulse.drains
            self._body.stand_by(drains=pulse.drains)
        return pulse


def _nothing(strays: Sequence[Stray]) -> None:
    pass


class Poll(Service):
    """A service that leaves questions open at the server; its end does not wait for an answer."""

    def cease(self) -> None:
        """Ask nothing more."""
        self._stopping = True
        self._wake.set()

    def stop(self) -> None:
        self.cease()
        if self._thread is not None:
            self._thread.join(LEAVE_S)


class CancelListener(Poll):
    """Hears at once when somebody wants something of us, which the next beat would tell."""

    interval_s = 1.0

    def __init__(self, transport: ServerTransport, heartbeat: HttpHeartbeat) -> None:
        super().__init__()
        self._transport = transport
        self._heartbeat = heartbeat

    def tick(self) -> bool:
        began_s = elapsed_s()
        try:
            answer = self._transport.say("listen", Rung, {}, wait_s=WAIT_S)
        except UnknownWorker:
            self._heartbeat.ask_soon()  # it learns that, and registers anew
            return False
        if answer.rung:
            # A run that is slow to stop is still to be stopped: ask again after a while.
            self._heartbeat.ask_soon()
        return not answer.rung and elapsed_s() - began_s > EARLY_S
