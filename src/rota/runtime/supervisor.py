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
from threading import Thread
from types import FrameType
from typing import NamedTuple

from rota.clock import elapsed_s
from rota.ids import new_id
from rota.notices import emit
from rota.runtime.body import WorkerBody

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
        # Held back until both know who they are: our handler in the child would swallow a signal.
        signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
        pid = os.fork()
        if pid:
            self._child = pid
            signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
            if self._signals:  # it came while there was no child to tell
                os.kill(pid, signal.SIGTERM)
            return pid
        code = 70
        try:
            die_with(parent)
            for number in STOPPING:
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
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


def serve_worker(worker: WorkerBody, incarnation: Incarnation) -> int:
    """Work until TERM, then drain; a second TERM hurries. Returns the exit code.

    INT is left to the supervisor, which passes it on as TERM.
    """
    stops = _Stops(worker)
    stops.catch()
    worker.start(worker_id=incarnation.worker_id, dead=incarnation.dead)
    stops.wait()
    worker.drain()
    worker.stop()
    return 0


class _Stops:
    """Counts the requests to stop; the first ends the wait, the second hurries the worker."""

    def __init__(self, worker: WorkerBody) -> None:
        self._worker = worker
        self._count = 0
        self._reader = -1

    def catch(self) -> None:
        # A signal leaves a byte in the pipe at once: one that comes between looking and waiting
        # would be slept over by signal.pause().
        self._reader, writer = os.pipe()
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        signal.signal(signal.SIGTERM, self._stop)
        # Ctrl-C reaches every process of a terminal; our parent passes it on as TERM, once.
        signal.signal(signal.SIGINT, lambda number, frame: None)  # noqa: ARG005  # signal's protocol

    def wait(self) -> None:
        while not self._count:
            os.read(self._reader, 1)

    def _stop(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002  # the signal protocol
        self._count += 1
        if self._count > 1:
            # Not here: we may have interrupted the very wait whose lock hurry() needs.
            Thread(target=self._worker.hurry, name="rota-hurry", daemon=True).start()


def die_with(parent: int) -> None:
    """Have the kernel kill us when the parent dies, so that no worker outlives its supervisor."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
