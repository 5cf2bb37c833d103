"""Pings in batches: those that arrive during a transaction form the next one.

Anybody can send pings, and many jobs end at the same minute. At most two batches are under way, so
that threads are left for other requests; the queue of waiting pings is bounded. An address that is
unknown costs a part of a read, and never a write.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rota.api.identity.row_scope import HOUSE
from rota.api.server.rate_limit import TokenBuckets
from rota.engine.monitors.pings import Pinged, find_pinged, record_ping
from rota.errors import TooMany
from rota.model.monitors.monitor import PingFacts
from rota.rules.monitors.addresses import PingTarget
from rota.store.base import Tx

if TYPE_CHECKING:
    from rota.api.server.state import ServerState

FLIGHTS = 2
MOST = 100
"""The most pings in one batch."""
MOST_WAITING = 5_000
RATE = 1.0
BURST = 60.0
"""Pings of one monitor: one a second, after some at once."""


class _Waiting(NamedTuple):
    target: PingTarget
    ping: PingFacts
    answer: asyncio.Future[bool]


class PingBatcher:
    """Batches of pings, gathered on the event loop and recorded in threads."""

    def __init__(self, server_state: ServerState) -> None:
        self._server_state = server_state
        self._buckets = TokenBuckets()
        self._waiting: list[_Waiting] = []
        self._flying = 0

    async def send(self, target: PingTarget, ping: PingFacts) -> bool:
        """Record a ping; False for an unknown address, TooMany if too many come at once."""
        if len(self._waiting) >= MOST_WAITING:
            raise TooMany("the server is busy: too many pings wait to be recorded")
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiting(target, ping, answer))
        if self._flying < FLIGHTS:
            self._start()
        return await answer

    def _start(self) -> None:
        batch, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
        if batch:
            self._flying += 1
            flight = asyncio.ensure_future(self._fly(batch))
            flight.add_done_callback(lambda _: None)

    async def _fly(self, batch: Sequence[_Waiting]) -> None:
        try:
            for each, was_known in zip(batch, await self._record(batch), strict=True):
                if not each.answer.done():
                    each.answer.set_result(was_known)
        except Exception as error:  # noqa: BLE001  # everybody in the batch must be answered
            for each in batch:
                if not each.answer.done():
                    each.answer.set_exception(error)
        finally:
            self._flying -= 1
        self._start()

    async def _record(self, batch: Sequence[_Waiting]) -> list[bool]:
        """Return which addresses are known; pings that come too fast are answered here."""
        targets = {each.target for each in batch}

        def look(tx: Tx) -> dict[PingTarget, Pinged | None]:
            return {target: find_pinged(tx, target) for target in targets}

        found = await self._server_state.read(look, only=HOUSE)
        taken = [each for each in batch if self._take(found[each.target], each)]
        for namespace in {pinged.namespace for pinged in found.values() if pinged is not None}:
            await self._write(taken, found, namespace)
        return [found[each.target] is not None for each in batch]

    def _take(self, pinged: Pinged | None, waiting: _Waiting) -> bool:
        """Whether a ping is to be recorded: its monitor is known, and not pinged too fast."""
        if pinged is None or waiting.answer.done():
            return False
        wait_s = self._buckets.take(pinged.monitor_id, rate=RATE, burst=BURST)
        if wait_s:
            error = TooMany(f"more than {RATE:g} ping a second", retry_after_s=wait_s)
            waiting.answer.set_exception(error)
        return not wait_s

    async def _write(
        self,
        taken: Sequence[_Waiting],
        found: Mapping[PingTarget, Pinged | None],
        namespace: str,
    ) -> None:
        """Record the pings of a namespace, in the order of ids: two batches never deadlock."""
        own = [(found[each.target], each.ping) for each in taken]
        pairs = [(pinged, ping) for pinged, ping in own if pinged and pinged.namespace == namespace]
        pairs.sort(key=lambda pair: pair[0].monitor_id)

        def record(tx: Tx) -> None:
            for pinged, ping in pairs:
                record_ping(tx, pinged, ping)

        if pairs:
            await self._server_state.call(
                lambda: self._server_state.room({namespace}).write(record)
            )
