"""Reports of guesses: an address that sent too many bad credentials, for alerts."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from rota.api.identity.row_scope import HOUSE
from rota.api.server.rate_limit import TokenBuckets
from rota.engine.alerts.outbox import raise_alert
from rota.engine.identity.namespaces import HOME
from rota.engine.runs.find import now_ms
from rota.errors import TooMany
from rota.notices import emit
from rota.store.base import Tx

if TYPE_CHECKING:
    from rota.api.server.state import ServerState

KIND = "security.sign_in"
AGAIN_MS = 600_000
"""An address is reported once in this time, by whichever server."""
MOST = 10.0
"""The most reports of a server in that time: a flood from many addresses is no flood of writes."""


class GuessReports:
    """The reports of one server process; they are written beside the request that is refused."""

    def __init__(self, server_state: ServerState) -> None:
        self._server_state = server_state
        self._buckets = TokenBuckets()
        self._writing: set[asyncio.Task[None]] = set()

    @contextmanager
    def reported(self, address: str) -> Iterator[None]:
        """Report the address if what is done here is refused as too much."""
        try:
            yield
        except TooMany:
            self._report(address)
            raise

    def _report(self, address: str) -> None:
        """Report an address, unless it was reported lately or too many others were."""
        rate_s = AGAIN_MS / 1_000
        if self._buckets.take(address, rate=1 / rate_s, burst=1.0):
            return
        if self._buckets.take(None, rate=MOST / rate_s, burst=MOST):
            return
        report = asyncio.get_running_loop().create_task(self._write(address))
        self._writing.add(report)
        report.add_done_callback(self._writing.discard)

    async def _write(self, address: str) -> None:
        try:
            await self._server_state.write(partial(_raise, address=address), only=HOUSE)
        except Exception as error:  # noqa: BLE001  # nobody waits for it, and the next may do better
            emit("service.failed", service="rota-guesses", error=error)


def _raise(tx: Tx, address: str) -> None:
    when = now_ms(tx) // AGAIN_MS
    raise_alert(tx, KIND, {"address": address}, namespace=HOME, change=(when, address))
