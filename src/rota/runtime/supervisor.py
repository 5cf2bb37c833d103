"""The supervisor: a small parent process that starts the worker again, however it ended.

The parent holds no threads and no connections, so that nothing a handler does to its process can
take it down; runs of a dead child are given back at once.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from threading import Thread
from types import FrameType
from typing import NamedTuple

from rota.clock import elapsed_s
from rota.ids import new_id
from rota.notices import emit
from rota.runtime.lifeline import Lifeline
from rota.runtime.signal_guard import guard_signals
from rota.runtime.worker import Worker
from rota.store.descriptors import are_closed, are_standard_closed
from rota.store.sqlite.file_guard import guard_files

STOPPING = (signal.SIGTERM, signal.SIGINT)
STEADY_S = 10.0
"""A child that lived this long did not crash for the reason of the crash before it."""
LONGEST_REST_S = 3.0
"""Less than the 5 s in which all serve again after an outage: the start takes time as well."""
LOOK_S = 1.0
"""How often to see whether a child still beats."""
BEAT_S = 0.5
BROKEN = 70
"""Exit code after an unforeseen error; sysexits calls it EX_SOFTWARE."""
AWAY = 75
"""Exit code when the store was away; sysexits calls it EX_TEMPFAIL."""
AWAY_S = 1.0
"""The pause before the next try after AWAY."""
ALIEN = (
    signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF, signal.SIGUSR1, signal.SIGUSR2,
)  # fmt: skip
"""Signals that a handler in a thread can have sent to all of us, and that mean nothing here."""

_PR_SET_PDEATHSIG = 1


class Incarnation(NamedTuple):
    """One life of the worker process."""

    worker_id: str
    dead: tuple[str, ...]
    """Workers known to be dead: their runs are taken back at the start."""
    line: Lifeline


def supervise(serve: Callable[[Incarnation], int], line: Lifeline | None = None) -> int:
    """Run `serve` in a child, and again whenever it ended unasked; return its exit code.

    A child decides to end when we asked it to, or when it announces with a farewell that it cannot
    serve. Everything else that ends it, an exit code of any value among them, is a crash. A
    lifeline with a worker id on it is that of an earlier supervisor, whose worker is dead. Call
    this before any thread is started.
    """
    return _Supervisor(serve, line or Lifeline()).run()


class Rests:
    """The pause before the next life: hardly any after a steady one, otherwise longer each time."""

    def __init__(self) -> None:
        self._deaths = 0

    def after(self, lived_s: float) -> float:
        self._deaths = 1 if lived_s > STEADY_S else self._deaths + 1
        return min(LONGEST_REST_S, 0.1 * 2.0 ** (self._deaths - 1))


class _Supervisor:
    def __init__(self, serve: Callable[[Incarnation], int], line: Lifeline) -> None:
        self._serve = serve
        self._line = line
        self._child = 0
        self._signals = 0
        self._rests = Rests()
        self._dead = (line.worker_id,) if line.worker_id else ()

    def run(self) -> int:
        for number in STOPPING:
            signal.signal(number, self._forward)
        while True:
            life = Incarnation(new_id(), self._dead, self._line)
            self._line.begin(life.worker_id)
            started_s = elapsed_s()
            status = self._wait(self._fork(life))
            code = os.waitstatus_to_exitcode(status)
            if self._is_over(code):
                return 128 - code if code < 0 else code
            self._dead = (*self._dead, life.worker_id)[-100:]
            self._rest(code, elapsed_s() - started_s)

    def _is_over(self, code: int) -> bool:
        """Whether this was the last life: it was asked to end, or said that it cannot serve."""
        if self._signals:
            return True
        farewell = self._line.farewell
        if farewell is None:
            # A child that ends before it ever served would do so again: its code has to be seen.
            return code >= 0 and not self._line.has_served
        return farewell != AWAY and (farewell != 0 or not self._line.has_served)

    def _fork(self, life: Incarnation) -> int:
        sys.stdout.flush()
        sys.stderr.flush()
        parent = os.getpid()
        # Blocked until both know who they are: our handler in the child would swallow a signal.
        signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
        pid = os.fork()
        if pid:
            self._child = pid
            signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
            if self._signals:  # it came while there was no child to signal
                os.kill(pid, signal.SIGTERM)
            return pid
        code = BROKEN
        try:
            die_with(parent)
            for number in STOPPING:
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
            code = self._serve(life)
            life.line.say_farewell(code)
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        except BaseException:  # noqa: BLE001  # nothing may return into the parent's code
            sys.excepthook(*sys.exc_info())
        finally:
            with contextlib.suppress(OSError, ValueError):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)

    def _wait(self, pid: int) -> int:
        """Wait until the child has ended; kill one that is stuck, as nobody else would."""
        last_beats, silent_s = self._line.beats, 0.0
        with _death_of(pid) as is_dead:
            while not is_dead(LOOK_S):
                beats, patience_s = self._line.beats, self._line.patience_s
                # Counted in our own looks: after a sleep of the machine both wake up together.
                silent_s = 0.0 if beats != last_beats or patience_s is None else silent_s + LOOK_S
                last_beats = beats
                if patience_s is not None and silent_s > patience_s:
                    emit("worker.stuck", pid=pid, silent_s=silent_s)
                    os.kill(pid, signal.SIGKILL)
                    silent_s = 0.0
        return os.waitpid(pid, 0)[1]

    def _forward(self, _number: int, _frame: FrameType | None) -> None:
        self._signals += 1
        if self._child:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._child, signal.SIGTERM)

    def _rest(self, code: int, lived_s: float) -> None:
        if self._line.farewell == AWAY:
            pause_s = AWAY_S
        else:
            pause_s = self._rests.after(lived_s)
            if self._line.was_closed:
                emit("worker.broken", error="a handler has closed file descriptors of its worker")
            if self._line.farewell == 0:  # it drained for a TERM of its own
                emit("worker.left", lived_s=round(lived_s, 1), restart_in_s=pause_s)
                self._sleep(pause_s)
                return
            ended = {"signal": _signal_name(-code)} if code < 0 else {"exit_code": code}
            emit("worker.crashed", **ended, lived_s=round(lived_s, 1), restart_in_s=pause_s)
        self._sleep(pause_s)

    def _sleep(self, pause_s: float) -> None:
        end_s = elapsed_s() + pause_s
        while not self._signals and elapsed_s() < end_s:
            time.sleep(0.05)


@contextlib.contextmanager
def _death_of(pid: int) -> Iterator[Callable[[float], bool]]:
    """Yield a function that waits some seconds for a child's end; it returns whether that came."""
    try:
        handle = os.pidfd_open(pid)
    except (AttributeError, OSError):  # not everywhere
        yield lambda limit_s: _ends_within(pid, limit_s)
        return
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    try:
        yield lambda limit_s: bool(poll.poll(limit_s * 1000))
    finally:
        os.close(handle)


def _ends_within(pid: int, limit_s: float) -> bool:
    end_s = elapsed_s() + limit_s
    while elapsed_s() < end_s:
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            return True
        time.sleep(0.05)
    return False


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # one of the real-time signals
        return str(number)


def serve_worker(worker: Worker, incarnation: Incarnation) -> int:
    """Work until TERM, then drain; a second TERM hurries. Return the exit code.

    INT is left to the supervisor, which passes it on as TERM.
    """
    line = incarnation.line
    stops = _Stops(worker, line)
    stops.catch()
    worker.start(worker_id=incarnation.worker_id, dead=incarnation.dead)
    guard_signals(os.getpid(), os.getppid(), line.owner)
    guard_files()
    line.serve(worker.patience_s)
    stops.wait()
    line.leave()
    worker.drain()
    worker.stop()
    return 0


class _Stops:
    """Counts the requests to stop; the first ends the wait, the second hurries the worker."""

    def __init__(self, worker: Worker, line: Lifeline) -> None:
        self._worker = worker
        self._line = line
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
        signal.signal(signal.SIGINT, _ignore)
        for number in ALIEN:
            if signal.getsignal(number) is signal.SIG_DFL:  # the app may have a use for it
                signal.signal(number, _ignore)

    def wait(self) -> None:
        """Wait for a stop; a process that handlers have broken for good ends here."""
        poll = select.poll()
        poll.register(self._reader, select.POLLIN)
        while not self._count:
            self._line.beat()
            if are_closed() or are_standard_closed():
                self._line.say_closed()  # our own log may lead into any socket
                os._exit(BROKEN)
            if self._worker.fatal is not None:
                raise self._worker.fatal
            if poll.poll(BEAT_S * 1000):
                with contextlib.suppress(OSError):
                    os.read(self._reader, 64)

    def _stop(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002  # the signal protocol
        self._count += 1
        if self._count > 1:
            # Not here: we may have interrupted the very wait whose lock hurry() needs.
            Thread(target=self._worker.hurry, name="rota-hurry", daemon=True).start()


def _ignore(number: int, frame: FrameType | None) -> None:
    """Do nothing; not SIG_IGN, which programs that handlers start would inherit."""


def die_with(parent: int) -> None:
    """Have the kernel kill us when the parent dies, so that no worker outlives its supervisor."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
