"""Lookups of credentials in batches: those that arrive during a lookup form the next batch.

Anybody can send credentials, so lookups must not take the threads that other requests need: at most
two batches are under way, and the queue of waiting lookups is bounded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from rota.api.identity.row_scope import HOUSE
from rota.errors import TooMany
from rota.model.identity.credentials import Credential
from rota.store.base import Tx

if TYPE_CHECKING:
    from rota.api.server.state import ServerState

T = TypeVar("T")
FLIGHTS = 2
MOST = 100
"""The most credentials in one batch."""
MOST_WAITING = 2_000

Find = Callable[[Tx, str], Credential | None]
_Asked = tuple[Callable[[Tx, str], Any], str, asyncio.Future[Any]]


class CredentialLookups:
    """Batches of credential lookups, gathered on the event loop and read in threads."""

    def __init__(self, server_state: ServerState) -> None:
        self._server_state = server_state
        self._waiting: list[_Asked] = []
        self._flying = 0

    async def find(self, find: Callable[[Tx, str], T], digest: str) -> T:
        """Return what `find` finds for the digest; TooMany if too many lookups wait."""
        if len(self._waiting) >= MOST_WAITING:
            raise TooMany("the server is busy: too many credentials wait to be looked up")
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append((find, digest, future))
        if self._flying < FLIGHTS:
            self._start()
        return await future

    def _start(self) -> None:
        batch, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
        if batch:
            self._flying += 1
            flight = asyncio.ensure_future(self._fly(batch))
            flight.add_done_callback(lambda _: None)

    async def _fly(self, batch: list[_Asked]) -> None:
        def look(tx: Tx) -> list[Any]:
            return [find(tx, digest) for find, digest, _ in batch]

        try:
            credentials = await self._server_state.read(look, only=HOUSE)
        except Exception as error:  # noqa: BLE001  # everybody in the batch must be answered
            for _, _, future in batch:
                if not future.done():
                    future.set_exception(error)
        else:
            for (_, _, future), answer in zip(batch, credentials, strict=True):
                if not future.done():
                    future.set_result(answer)
        finally:
            self._flying -= 1
        self._start()
