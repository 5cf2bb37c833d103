"""Questions that are left open at a server until it has news."""

from __future__ import annotations

from rota.clock import elapsed_s
from rota.errors import UnknownWorker
from rota.model.remote import Rung
from rota.remote.exchange import EARLY_S, WAIT_S, HttpExchange
from rota.remote.transport import ServerTransport
from rota.runtime.dispatch.courier import Courier
from rota.runtime.heartbeat import Heartbeat
from rota.runtime.service import Service

LEAVE_S = 2.0
"""How long a question that waits may hold up the end of the worker."""


class Poll(Service):
    """A service that leaves questions open at the server; its end does not wait for an answer."""

    interval_s = 1.0

    def stop(self) -> None:
        """Ask nothing more."""
        self._stopping = True
        self._wake.set()

    def leave(self) -> None:
        """Wait a moment for the answer, which comes at once if the server knows that we go."""
        if self._thread is not None:
            self._thread.join(LEAVE_S)


class ClaimPoll(Poll):
    """Waits at the server for runs, as long as there is room for some."""

    def __init__(self, runs: HttpExchange, courier: Courier) -> None:
        super().__init__()
        self._runs = runs
        self._courier = courier

    def tick(self) -> bool:
        courier = self._courier
        want, ahead = courier.room()
        if not want:
            return False
        _, leases, may_be_more = self._runs.exchange([], want, ahead)
        for lease in leases:
            if courier.is_claiming and not courier.is_cut_off:
                courier.open((lease,))
            else:
                self._runs.give_back(lease)
        courier.wake()  # it tells which of them cannot be started here
        return may_be_more


class CancelListener(Poll):
    """Hears at once when somebody wants something of us, which the next beat would tell."""

    def __init__(self, transport: ServerTransport, heartbeat: Heartbeat) -> None:
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
