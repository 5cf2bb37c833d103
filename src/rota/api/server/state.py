"""The state of a server, shared by all requests of one server process.

The core is synchronous, so operations run in a small pool of threads beside the event loop. The
queue in front of the pool is bounded: a server that cannot keep up refuses requests instead of
growing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from rota.api.identity.identities import Identities
from rota.api.identity.oidc import Provider
from rota.api.identity.row_scope import HOUSE
from rota.api.identity.security_events import SecurityEvents
from rota.api.live.feed import Feed
from rota.api.monitors.ping_batcher import PingBatcher
from rota.api.remote.long_poll import WorkArrivals
from rota.api.runs.read_batcher import RunReadBatcher
from rota.api.runs.submit_batcher import SubmitBatcher
from rota.api.runs.waiters import RunWaiters
from rota.api.server.options import ServerOptions
from rota.api.server.rate_limit import TokenBuckets
from rota.api.server.shared_reads import SharedReads
from rota.engine.identity.audit_chain import seal
from rota.errors import StoreUnavailable, TooMany
from rota.notices import emit
from rota.operations.tools import Tools
from rota.store.base import ScopedStore, Store, Tx

if TYPE_CHECKING:
    from rota.app import App

T = TypeVar("T")

MOST_WAITING = 500
"""The most operations that may wait for a thread."""
MOST_SLOW_WAITING = 50
SEAL_S = 2.0


class ServerState:
    """The state of one server process; call `start` and `stop` on its event loop."""

    def __init__(self, app: App, options: ServerOptions) -> None:
        self.app = app
        self.options = options
        self.tools = Tools(payload_bytes=options.payload_bytes)
        self.buckets = TokenBuckets()
        self.refusals = SecurityEvents()
        self.identities = Identities(self)
        self.submits = SubmitBatcher(self)
        self.pings = PingBatcher(self)
        self.waits = RunWaiters(self)
        self.arrivals = WorkArrivals(self)
        self.feed = Feed(self)
        self.reads = RunReadBatcher(self)
        self.recent = SharedReads(self)
        self.provider = None if options.oidc is None else Provider(options.oidc)
        self._pool = ThreadPoolExecutor(options.threads, thread_name_prefix="rota-verb")
        self._waiting = 0
        self._slow = asyncio.Semaphore(max(1, options.threads // 4))
        self._slow_waiting = 0
        self._chores: list[asyncio.Task[None]] = []
        self._is_changed = False

    @property
    def store(self) -> Store:
        return self.app.store

    async def call(self, work: Callable[[], T]) -> T:
        """Run a blocking operation in a thread; TooMany when too many wait for one."""
        if self._waiting >= MOST_WAITING:
            raise TooMany("the server is busy: too many requests wait for the database")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)
        finally:
            self._waiting -= 1

    async def call_slowly(self, work: Callable[[], T]) -> T:
        """Run work that takes seconds of a core: few at once, so that threads are left."""
        if self._slow_waiting >= MOST_SLOW_WAITING:
            raise TooMany("the server is busy: too many files wait to be read")
        self._slow_waiting += 1
        try:
            async with self._slow:
                return await self.call(work)
        finally:
            self._slow_waiting -= 1

    async def read(self, work: Callable[[Tx], T], *, only: Collection[str] | None) -> T:
        """Read the rows of these namespaces; None means all namespaces."""
        return await self.call(lambda: self.room(only).read(work))

    async def write(self, work: Callable[[Tx], T], *, only: Collection[str] | None) -> T:
        """Change rows of these namespaces; None means all namespaces."""
        self._is_changed = True
        return await self.call(lambda: self.room(only).write(work))

    def room(self, only: Collection[str] | None) -> ScopedStore:
        """Return the store scoped to these namespaces: the database refuses the rows of others.

        This stands below the checks of the server.
        """
        return self.store if only is None else self.store.scoped(only)

    async def start(self) -> None:
        for chore in (self._seal, self.identities.note_uses):
            self._chores.append(asyncio.create_task(chore()))

    async def stop(self) -> None:
        for chore in self._chores:
            chore.cancel()
        await asyncio.gather(*self._chores, return_exceptions=True)
        await self.waits.stop()
        await self.arrivals.stop()
        await self.feed.stop()
        self._pool.shutdown(wait=True)

    async def write_all(self, work: Callable[[Tx], int]) -> None:
        """Repeat work, each time in its own transaction, until nothing is left to do."""
        while await self.write(work, only=HOUSE):
            pass

    def changed(self) -> None:
        """Note a write with an audit entry that should be sealed soon."""
        self._is_changed = True

    async def _seal(self) -> None:
        """Seal the audit entries of this server soon, even where no worker does the chores."""
        while True:
            await asyncio.sleep(SEAL_S)
            if not self._is_changed:
                continue
            self._is_changed = False
            try:
                await self.call(lambda: self.room(HOUSE).write(seal))
            except (StoreUnavailable, TooMany):
                self._is_changed = True
            except Exception as error:  # noqa: BLE001  # the next round may do better
                emit("service.failed", service="rota-seal", error=error)
