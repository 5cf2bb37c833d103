"""Long polls of workers: no request looks at the store before there may be something for it."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rota.store.base import Watch
from rota.store.wakeups import EVERYWHERE

if TYPE_CHECKING:
    from rota.api.server.state import ServerState


class WorkListener:
    """A request that waits for some keys; on the event loop only."""

    def __init__(self) -> None:
        self._woken = asyncio.Event()
        self.is_over = False
        """Whether the wait is over: the client has left, or the server stops."""

    def ring(self) -> None:
        self._woken.set()

    def end(self) -> None:
        """End the wait now, with or without work."""
        self.is_over = True
        self._woken.set()

    def forget(self) -> None:
        """Clear earlier wake-ups: the caller looks at the store now."""
        self._woken.clear()

    async def wait(self, timeout_s: float) -> bool:
        """Wait for a wake-up; whether one arrived in time."""
        if timeout_s <= 0:
            return self._woken.is_set()
        try:
            async with asyncio.timeout(timeout_s):
                await self._woken.wait()
        except TimeoutError:
            return False
        return True


class WorkArrivals:
    """The waiting requests by wake-up key; of each name only the newest request waits."""

    def __init__(self, server_state: ServerState) -> None:
        self._server_state = server_state
        self._ears: dict[str, set[WorkListener]] = {}
        self._newest: dict[str, WorkListener] = {}
        self._watch: Watch | None = None
        self._opening = asyncio.Lock()
        self._is_stopping = False

    async def open(self) -> None:
        """Listen to changes from now on."""
        if self._watch is not None:
            return
        async with self._opening:
            if self._watch is None:
                loop = asyncio.get_running_loop()

                def wake(key: str) -> None:
                    if key in self._ears or (key == EVERYWHERE and self._ears):
                        loop.call_soon_threadsafe(self._ring, key)

                self._watch = await self._server_state.call(
                    lambda: self._server_state.store.watch(wake)
                )

    @contextmanager
    def listening(self, name: str, keys: Collection[str]) -> Iterator[WorkListener]:
        """Open a listener for these keys; an earlier listener of the same name ends."""
        ear = WorkListener()
        older = self._newest.get(name)
        if older is not None:
            older.end()
        self._newest[name] = ear
        for key in keys:
            self._ears.setdefault(key, set()).add(ear)
        if self._is_stopping:
            ear.end()
        try:
            yield ear
        finally:
            for key in keys:
                ears = self._ears[key]
                ears.discard(ear)
                if not ears:
                    del self._ears[key]
            if self._newest.get(name) is ear:
                del self._newest[name]

    async def stop(self) -> None:
        self._is_stopping = True
        for ear in tuple(self._newest.values()):
            ear.end()
        if self._watch is not None:
            self._watch.close()

    def _ring(self, key: str) -> None:
        listeners = self._ears.values() if key == EVERYWHERE else [self._ears.get(key, set())]
        for ears in listeners:
            for ear in ears:
                ear.ring()
