"""The supervisor: a small parent process that starts the worker again when it crashes.

The parent holds no threads and no connections, so that nothing a handler does to its
process can take it down; what ran in a crashed child is given back at once.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import NamedTuple

from rota.clock import elapsed_s
from rota.ids import new_id
from rota.notices import emit
from rota.runtime.worker import Worker

STOPPING = (signal.SIGTERM, signal.SIGINT)
STEADY_S = 10.0
"""A child that lived so long has not crashed for what made the one before it crash."""

_PR_SET_PDEATHSIG = 1


class Incarnation(NamedTuple):
    """One life of the worker process."""

    worker_id: str
    dead: tuple[str, ...]
    """Workers known to be dead: their runs are taken back at the start."""


def supervise(serve: Callable[[Incarnation], int]) -> int:
    """Run `serve` in a child, and again whenever it crashed; returns its exit code.

    A child that ends by itself, with whatever code, has decided to; one that is killed
    by a signal has crashed. Call this before any thread is started.
    """
    return _Supervisor(serve).run()


class _Supervisor:
    def __init__(self, serve: Callable[[Incarnation], int]) -> None:
        self._serve = serve
        self._child = 0
        self._signals = 0
        self._crashes = 0
        self._dead: tuple[str, ...] = ()

    def run(self) -> int:
        for number in STOPPING:
            signal.signal(number, self._forward)
        while True:
            life = Incarnation(new_id(), self._dead)
            started_s = elapsed_s()
            status = self._wait(self._fork(life))
            if not os.WIFSIGNALED(status):
                return os.waitstatus_to_exitcode(status)
            self._dead = (*self._dead, life.worker_id)[-100:]
            if self._signals:
                return 128 + os.WTERMSIG(status)
            self._rest(os.WTERMSIG(status), elapsed_s() - started_s)

    def _fork(self, life: Incarnation) -> int:
        sys.stdout.flush()
        sys.stderr.flush()
        parent = os.getpid()
        pid = os.fork()
        if pid:
            self._child = pid
            if self._signals:  # it came while there was no child to tell
                os.kill(pid, signal.SIGTERM)
            return pid
        code = 70
        try:
            _die_with(parent)
            for number in STOPPING:
                signal.signal(number, signal.SIG_DFL)
            code = self._serve(life)
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        except BaseException:  # noqa: BLE001  # nothing may return into the parent's code
            sys.excepthook(*sys.exc_info())
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def _wait(self, pid: int) -> int:
        while True:
            try:
                return os.waitpid(pid, 0)[1]
            except InterruptedError:
                continue

    def _forward(self, _number: int, _frame: FrameType | None) -> None:
        self._signals += 1
        if self._child:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._child, signal.SIGTERM)

    def _rest(self, number: int, lived_s: float) -> None:
        """Wait before the next life: at once after a steady one, longer after each early death."""
        self._crashes = 1 if lived_s > STEADY_S else self._crashes + 1
        pause_s = min(30.0, 0.1 * 2.0 ** (self._crashes - 1))
        emit(
            "worker.crashed",
            signal=signal.Signals(number).name,
            lived_s=round(lived_s, 1),
            restart_in_s=pause_s,
        )
        end_s = elapsed_s() + pause_s
        while not self._signals and elapsed_s() < end_s:
            time.sleep(0.05)


def serve_worker(worker: Worker, incarnation: Incarnation) -> int:
    """Work until TERM or INT, then drain; a second signal hurries. Returns the exit code."""
    stops = _Stops(worker)
    stops.catch()
    worker.start(worker_id=incarnation.worker_id, dead=incarnation.dead)
    stops.wait()
    worker.drain()
    worker.stop()
    return 0


class _Stops:
    """Counts the requests to stop; the first ends the wait, the second hurries the worker.

    A pipe, because a signal handler must not touch a lock its own thread may hold.
    """

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._count = 0
        self._reading, self._writing = os.pipe()

    def catch(self) -> None:
        for number in STOPPING:
            signal.signal(number, self._stop)

    def wait(self) -> None:
        os.read(self._reading, 1)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self._count += 1
        os.write(self._writing, b".")
        if self._count > 1:
            self._worker.hurry()


def _die_with(parent: int) -> None:
    """Have the kernel kill us when the parent dies, so that no worker outlives its supervisor."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
