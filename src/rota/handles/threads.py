"""Threads for what must not block an event loop.

The core is synchronous. A verb for `await` is the synchronous one in one of these threads, or a
future that a thread of the core settles; nothing is written a second time.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from threading import Lock
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

P = ParamSpec("P")
T = TypeVar("T")


class Threads:
    """Up to `most` threads, started when they are needed; work beyond that waits for one."""

    def __init__(self, name: str, most: int) -> None:
        self._name = name
        self._most = most
        self._lock = Lock()
        self._pool: ThreadPoolExecutor | None = None

    def start(self, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Do some work in one of the threads; cancelled before it begins, it is not done."""
        with self._lock:
            if self._pool is None:
                from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  # few await

                self._pool = ThreadPoolExecutor(self._most, thread_name_prefix=self._name)
            return self._pool.submit(work, *args, **kwargs)

    def call(self, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Awaitable[T]:
        """Do some work in one of the threads and await the result, on any event loop."""
        return awaitable(self.start(work, *args, **kwargs))

    def close(self, *, wait: bool = True) -> None:
        """End the threads after the work that they were given; the next call starts new ones."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait)


def awaitable(future: Future[T]) -> Awaitable[T]:
    """Return a future of threads as one of the event loop that runs; cancelling reaches it."""
    import asyncio  # noqa: PLC0415  # who has an event loop has it; others need not wait for it

    return asyncio.wrap_future(future)
