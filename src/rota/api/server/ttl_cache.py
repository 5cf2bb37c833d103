"""A cache of recent answers: many requests for the same data become one query to the store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Hashable
from typing import TYPE_CHECKING, Any, TypeVar

from rota.clock import elapsed_s
from rota.store.base import Tx

if TYPE_CHECKING:
    from rota.api.server.state import ServerState

T = TypeVar("T")
GOOD_S = 2.0
MOST = 500


class TtlCache:
    """The answers of the last two seconds; on the event loop."""

    def __init__(self, server_state: ServerState) -> None:
        self._server_state = server_state
        self._known: dict[Hashable, tuple[float, asyncio.Future[Any]]] = {}

    async def read(
        self, key: Hashable, work: Callable[[Tx], T], *, only: Collection[str] | None
    ) -> T:
        """Return the cached answer, share a read under way, or read the store."""
        cached = self._known.get(key)
        if cached is not None and elapsed_s() - cached[0] < GOOD_S:
            answer: T = await asyncio.shield(cached[1])
            return answer
        if len(self._known) >= MOST:
            self._known.clear()
        pending = asyncio.ensure_future(self._server_state.read(work, only=only))
        self._known[key] = elapsed_s(), pending
        try:
            return await asyncio.shield(pending)
        except BaseException:
            self._known.pop(key, None)
            raise
