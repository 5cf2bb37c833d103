"""Waits for runs to end: no thread waits, and one query to the store serves all requests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from rota.engine.runs.find import endings
from rota.engine.wakeup_keys import ENDED
from rota.errors import StoreUnavailable, TooMany
from rota.store.base import Tx, Watch
from rota.store.wakeups import EVERYWHERE

if TYPE_CHECKING:
    from rota.api.server.state import ServerState

POLL_S = 0.5
REST_S = 0.02
"""The rest between two looks, however many runs end."""


class RunWaiters:
    """The waiting requests, by namespace and run."""

    def __init__(self, server_state: ServerState) -> None:
        self._server_state = server_state
        self._waiting: dict[tuple[str, str], set[asyncio.Future[None]]] = {}
        self._woken = asyncio.Event()
        self._looking: asyncio.Task[None] | None = None
        self._watch: Watch | None = None

    async def until_ended(self, run_id: str, *, namespace: str, timeout_s: float) -> bool:
        """Whether the run ended in time; an unknown run never does."""
        loop = asyncio.get_running_loop()
        if self._looking is None:
            self._looking = loop.create_task(self._look())
        ended: asyncio.Future[None] = loop.create_future()
        waiting = self._waiting.setdefault((namespace, run_id), set())
        waiting.add(ended)
        self._woken.set()
        try:
            async with asyncio.timeout(timeout_s):
                await ended
        except TimeoutError:
            return False
        finally:
            waiting.discard(ended)
            if not waiting and self._waiting.get((namespace, run_id)) is waiting:
                del self._waiting[namespace, run_id]
        return True

    async def stop(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)
        if self._watch is not None:
            self._watch.close()

    async def _look(self) -> None:
        loop = asyncio.get_running_loop()

        def wake(key: str) -> None:
            if key in (ENDED, EVERYWHERE):
                loop.call_soon_threadsafe(self._woken.set)

        self._watch = await self._server_state.call(lambda: self._server_state.store.watch(wake))
        while True:
            if not self._waiting:
                await self._woken.wait()
            self._woken.clear()
            try:
                self._tell(
                    await self._server_state.read(
                        self._ended(), only={at[0] for at in self._waiting}
                    )
                )
            except (StoreUnavailable, TooMany):
                await asyncio.sleep(POLL_S)
            await asyncio.sleep(REST_S)
            try:
                async with asyncio.timeout(POLL_S):
                    await self._woken.wait()
            except TimeoutError:
                pass

    def _ended(self) -> Callable[[Tx], list[tuple[str, str]]]:
        ids_by_namespace: dict[str, list[str]] = {}
        for namespace, run_id in self._waiting:
            ids_by_namespace.setdefault(namespace, []).append(run_id)

        def look(tx: Tx) -> list[tuple[str, str]]:
            return [
                (namespace, run_id)
                for namespace, run_ids in ids_by_namespace.items()
                for run_id in endings(tx, run_ids, namespace=namespace)
            ]

        return look

    def _tell(self, ended: list[tuple[str, str]]) -> None:
        for at in ended:
            for future in self._waiting.pop(at, ()):
                if not future.done():
                    future.set_result(None)
