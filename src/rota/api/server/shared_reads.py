"""Shared reads: many requests for the same data become one query to the store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Hashable
from typing import TYPE_CHECKING, Any, TypeVar

from rota.store.base import Tx
from rota.ttl_cache import TtlCache

if TYPE_CHECKING:
    from rota.api.server.state import ServerState

T = TypeVar("T")


class SharedReads:
    """The reads of the last two seconds, also those under way; on the event loop."""

    def __init__(self, server_state: ServerState) -> None:
        self._server_state = server_state
        self._recent: TtlCache[asyncio.Future[Any]] = TtlCache()

    async def read(
        self, key: Hashable, work: Callable[[Tx], T], *, only: Collection[str] | None
    ) -> T:
        """Return the recent answer, share a read under way, or read the store."""
        known = self._recent.get(key)
        if known is not None:
            answer: T = await asyncio.shield(known)
            return answer
        asked = asyncio.ensure_future(self._server_state.read(work, only=only))
        self._recent.put(key, asked)
        try:
            return await asyncio.shield(asked)
        except BaseException:
            self._recent.drop(key)
            raise
