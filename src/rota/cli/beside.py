"""A worker and a server under one command: two processes, one of them told by the other.

The server starts when the worker works: it then knows where the app keeps its store, loads none of
the user's code, and takes nothing from the time until the first job runs.
"""

from __future__ import annotations

import mmap
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

import msgspec

from rota.cli.crew import fork
from rota.cli.web import Place

STOPPING = (signal.SIGTERM, signal.SIGINT)
TOLD_EARLY = (-signal.SIGTERM, 128 + signal.SIGTERM)
"""How one ends that knew no signals yet, or whose own child did not."""
REST_S = 1.0
"""Before a server that was killed is started again."""


class Notice:
    """What a worker tells the server that its parent starts beside it; survives both."""

    def __init__(self) -> None:
        self._text = mmap.mmap(-1, 8192)
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)

    def tell(self, place: Place) -> None:
        """Called by the worker, in each of its lives."""
        text = msgspec.json.encode(place)
        self._text[: len(text) + 1] = text + b"\0"
        with suppress(BlockingIOError):  # it was told often enough
            os.write(self._writer, b"!")

    def hear(self) -> Place:
        """Called by the server: waits for the first worker, unless there was one before."""
        while self._text[0] == 0:
            select.select([self._reader], [], [])
            os.read(self._reader, 1)
        return msgspec.json.decode(bytes(self._text).partition(b"\0")[0], type=Place)


def serve_both(work: Callable[[], int], serve: Callable[[], int]) -> int:
    """Until the worker ends: then the server is told to. One that was killed is started again."""
    return _Pair(work, serve).run()


class _Pair:
    def __init__(self, work: Callable[[], int], serve: Callable[[], int]) -> None:
        self._work = work
        self._serve = serve
        self._worker = 0
        self._server = 0
        self._is_stopping = False

    def run(self) -> int:
        signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
        for number in STOPPING:
            signal.signal(number, self._forward)
        parent = os.getpid()
        self._worker = fork(self._work, parent)
        self._server = fork(self._serve, parent)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
        codes: dict[int, int] = {}
        while self._worker not in codes:
            pid, status = os.wait()
            if pid == self._server and os.WIFSIGNALED(status) and not self._is_stopping:
                self._again(parent)
                continue
            codes[pid] = self._code(status)
            if pid == self._server and not self._is_stopping:
                self._stop(self._worker)  # it could not listen, and said why
        if self._server not in codes:
            self._stop(self._server)
            codes[self._server] = self._code(os.waitpid(self._server, 0)[1])
        return max(code if code >= 0 else 128 - code for code in codes.values())

    def _code(self, status: int) -> int:
        """Who is told to stop before it listens to that dies of it: it is what was asked for."""
        code = os.waitstatus_to_exitcode(status)
        return 0 if self._is_stopping and code in TOLD_EARLY else code

    def _again(self, parent: int) -> None:
        print("rota: the server was killed and is started again", file=sys.stderr)
        time.sleep(REST_S)
        self._server = fork(self._serve, parent)

    def _stop(self, pid: int) -> None:
        self._is_stopping = True
        os.kill(pid, signal.SIGTERM)

    def _forward(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002  # signal's
        self._is_stopping = True
        for pid in (self._worker, self._server):
            try:
                os.kill(pid, signal.SIGTERM)
            except ProcessLookupError:
                continue
