"""Long polls: requests that a server keeps open until it has news."""

from __future__ import annotations

from rota.clock import elapsed_s
from rota.errors import UnknownWorker
from rota.model.workers.remote import Rung
from rota.remote.exchange import EARLY_S, WAIT_S, HttpExchange
from rota.remote.transport import ServerTransport
from rota.runtime.dispatch.courier import Courier
from rota.runtime.heartbeat import Heartbeat
from rota.runtime.service import Service

LEAVE_S = 2.0
"""How long an open request may delay the end of the worker."""


class Poll(Service):
    """A service that keeps a request open at the server; stopping does not wait for the answer."""

    interval_s = 1.0

    def stop(self) -> None:
        """Send no more requests."""
        self._stopping = True
        self._wake.set()

    def leave(self) -> None:
        """Wait a moment for the open request; a server that knows that we leave answers at once."""
        if self._thread is not None:
            self._thread.join(LEAVE_S)


class ClaimPoll(Poll):
    """Waits at the server for runs while the worker has room for some."""

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
        courier.wake()  # it reports those that cannot be started here
        return may_be_more


class CancelListener(Poll):
    """Learns at once that one of our runs changed; the next heartbeat would learn it later."""

    def __init__(self, transport: ServerTransport, heartbeat: Heartbeat) -> None:
        super().__init__()
        self._transport = transport
        self._heartbeat = heartbeat

    def tick(self) -> bool:
        began_s = elapsed_s()
        try:
            answer = self._transport.say("listen", Rung, {}, wait_s=WAIT_S)
        except UnknownWorker:
            self._heartbeat.ask_soon()  # the heartbeat finds out, and registers anew
            return False
        if answer.rung:
            # A run that is slow to stop is still to be stopped: ask again after a while.
            self._heartbeat.ask_soon()
        return not answer.rung and elapsed_s() - began_s > EARLY_S
