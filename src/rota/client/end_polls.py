"""Ends of runs behind a server, for whoever awaits them: a few threads ask about them in turn."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock

from rota.clock import elapsed_s
from rota.handles.threads import Threads
from rota.model.runs.run import Ended

MOST = 32
"""The most runs that the server is asked about at once."""
TURN_S = 2.0
"""How long a request waits at the server while there are no more runs than threads."""

Wait = Callable[[float], Ended | None]
"""Waits up to so many seconds for the end of one run."""


class EndPolls:
    """Settles futures when runs end; with more runs than threads, each has shorter turns."""

    def __init__(self) -> None:
        self._threads = Threads("rota-client-ends", MOST)
        self._lock = Lock()
        self._awaited = 0

    def later(self, wait: Wait, timeout_s: float | None) -> Future[Ended | None]:
        """Return how the run ends, or None once the time is over."""
        end_s = None if timeout_s is None else elapsed_s() + timeout_s
        future: Future[Ended | None] = Future()
        self._count(1)
        self._threads.start(self._turn, future, wait, end_s)
        return future

    def close(self) -> None:
        """End the threads, each after the turn of now."""
        self._threads.close(wait=False)

    def _turn(self, future: Future[Ended | None], wait: Wait, end_s: float | None) -> None:
        """Ask once; put the run at the end of the line unless it is settled."""
        if future.cancelled():
            self._count(-1)
            return
        most_s = TURN_S * min(1.0, MOST / self._awaited)
        left_s = most_s if end_s is None else min(most_s, end_s - elapsed_s())
        try:
            ended = wait(max(0.0, left_s))
        except Exception as error:  # noqa: BLE001  # raised where the end is awaited
            self._settle(future, error)
            return
        if ended is None and (end_s is None or elapsed_s() < end_s):
            self._threads.start(self._turn, future, wait, end_s)
        else:
            self._settle(future, ended)

    def _settle(self, future: Future[Ended | None], answer: Ended | Exception | None) -> None:
        self._count(-1)
        if not future.set_running_or_notify_cancel():
            return
        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)

    def _count(self, change: int) -> None:
        with self._lock:
            self._awaited += change
