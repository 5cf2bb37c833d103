"""A connection of an event loop, lent to the synchronous core for the time of some work.

The work runs in a thread. Each of its statements is carried out by the coroutine that lends the
connection, in its own place on the loop, so that a connection is never used from two sides.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextvars import copy_context
from threading import Thread
from typing import Any, NamedTuple, TypeVar

from rota.store.foreign.async_connections import AsyncForeignConnection
from rota.store.foreign.connections import ForeignConnection, ForeignResult

T = TypeVar("T")


class _Ask(NamedTuple):
    """A statement that the thread waits for."""

    text: str
    params: Mapping[str, Any]
    answer: Future[ForeignResult]


class _LoopConnection:
    """The connection as the thread sees it."""

    def __init__(self, connection: AsyncForeignConnection) -> None:
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._asks: asyncio.Queue[_Ask | None] = asyncio.Queue()
        self._is_over = False
        self.dialect = connection.dialect
        self.is_loose = connection.is_loose
        self.is_begun = connection.is_begun

    def run(self, text: str, params: Mapping[str, Any]) -> ForeignResult:
        ask = _Ask(text, params, Future())
        self._loop.call_soon_threadsafe(self._take, ask)
        return ask.answer.result()

    def give_back(self) -> None:
        """Tell the loop that the work is done."""
        self._loop.call_soon_threadsafe(self._take, None)

    async def serve(self) -> None:
        """Carry out the statements of the thread until it gives the connection back."""
        try:
            while (ask := await self._asks.get()) is not None:
                await self._answer(ask)
        finally:
            self._is_over = True

    async def _answer(self, ask: _Ask) -> None:
        try:
            ask.answer.set_result(await self._connection.run(ask.text, ask.params))
        except BaseException as error:
            ask.answer.set_exception(error)
            if not isinstance(error, Exception):  # a cancellation ends this side as well
                raise

    def _take(self, ask: _Ask | None) -> None:
        if not self._is_over:
            self._asks.put_nowait(ask)
        elif ask is not None:
            ask.answer.set_exception(asyncio.CancelledError())


async def in_thread(
    connection: AsyncForeignConnection, work: Callable[[ForeignConnection], T]
) -> T:
    """Return the result of some work with the connection.

    The thread is one of its own: in a pool, submits that wait for each other's locks could keep
    the one from starting that would release them.
    """
    here = _LoopConnection(connection)
    done: Future[T] = Future()

    def carry_out() -> None:
        try:
            done.set_result(work(here))
        except BaseException as error:  # noqa: BLE001  # raised where the work is awaited
            done.set_exception(error)
        here.give_back()

    Thread(target=copy_context().run, args=(carry_out,), name="rota-within", daemon=True).start()
    await here.serve()
    return done.result()
