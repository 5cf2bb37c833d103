"""A child process as its worker sees it: started, spoken to, found dead."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import msgspec

from rota.runtime.attempts.attempt import StopReason
from rota.runtime.attempts.remote_services import ServiceReply
from rota.runtime.executors.process.child import STOP_SIGNALS
from rota.runtime.executors.process.frames import (
    Answer,
    BeginFrame,
    Broken,
    FrameReader,
    ReadyFrame,
    decode_answer,
    write_frame,
)
from rota.runtime.executors.process.printed import Printed
from rota.runtime.executors.process_group import ProcessGroup, exit_in_words, wait_readable

_BOOT = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[7]); "
    "from rota.runtime.executors.process.child import main; main(*map(int, sys.argv[1:7]))"
)
_CLOSE_S = 1.0
_DEATH_S = 0.5


class ChildLost(Exception):
    """The child process died, or does not speak the protocol any more."""

    def __init__(self, words: str = "", signal_number: int | None = None) -> None:
        super().__init__(words)
        self.signal_number = signal_number
        """The signal that killed it, if we did not send that signal."""


class ChildProcess:
    """A warm process in a session of its own; used by one thread, killed by any.

    The thread that starts it must outlive it: the kernel kills it with its parent thread.
    """

    def __init__(self) -> None:
        child_requests, self._requests = os.pipe()
        self._answers, child_answers = os.pipe()
        fds = (child_requests, child_answers, _console())
        path = msgspec.json.encode([os.path.abspath(entry) for entry in sys.path]).decode()  # noqa: PTH100  # entries may be zip files or not exist
        numbers = map(str, (*fds, os.getpid(), os.getppid(), logging.root.level))
        try:
            popen = subprocess.Popen(  # noqa: S603  # our own interpreter and our own code
                (sys.executable, "-c", _BOOT, *numbers, path),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                pass_fds=fds,
                start_new_session=True,
            )
        except BaseException:
            os.close(self._requests)
            os.close(self._answers)
            raise
        finally:
            for fd in fds:
                os.close(fd)
        self.group = ProcessGroup(popen)
        self.printed = Printed(popen)
        self._reader = FrameReader(self._answers)
        self._is_closed = False
        self.calls = 0
        """The number of attempts that it has received."""
        if not isinstance(next(self.answers()), ReadyFrame):
            raise self._lost("the process of the handler sent an unexpected frame")

    def is_alive(self) -> bool:
        return not self._is_closed and self.group.popen.poll() is None

    def send(self, request: BeginFrame | ServiceReply) -> None:
        """Hand over an attempt, or a reply; raises ChildLost if the child does not take it."""
        try:
            write_frame(self._requests, request)
        except OSError:
            raise self._lost() from None

    def answers(self) -> Iterator[Answer]:
        """Yield the frames of the child as they come; raises ChildLost when they end."""
        try:
            while True:
                frame = self._reader.take()
                if frame is not None:
                    yield decode_answer(frame)
                elif not self._fetch():
                    raise self._lost()
        except (Broken, msgspec.MsgspecError):
            raise self._lost("the handler wrote into the pipe of its process") from None

    def ask(self, why: StopReason) -> None:
        """Raise Cancelled or TimedOut in the handler."""
        self.group.send_leader(STOP_SIGNALS[why])

    def kill(self) -> None:
        self.group.send(signal.SIGKILL)

    def close(self) -> None:
        """End the child: it leaves when its pipe closes, or is killed a second later."""
        if self._is_closed:
            return
        self._is_closed = True
        os.close(self._requests)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.group.popen.wait(_CLOSE_S)
        self.kill()
        self.group.wait()
        self.printed.close()
        os.close(self._answers)
        self.group.release()

    def _fetch(self) -> bool:
        """Read more, waiting for it; False when the child is dead or the pipe at its end."""
        is_dead = self.group.popen.poll() is not None
        fds = [self._answers, *self.printed.fds]
        ready = wait_readable(fds, self.group, timeout_ms=0 if is_dead else None)
        self.printed.read(ready)
        if self._answers in ready:
            return self._reader.fetch()
        return not is_dead

    def _lost(self, words: str | None = None) -> ChildLost:
        """Clean up and return how it ended; its pipe closes shortly before it can be waited for."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.group.popen.wait(_DEATH_S)
        if words is None and self.group.popen.poll() is None:
            words = "the handler closed the pipe of its process"
        self.kill()
        code = self.group.wait()
        self.close()
        if words is not None:
            return ChildLost(words)
        was = "was " if code < 0 else ""
        says = f"the process of the handler {was}{exit_in_words(code)}"
        return ChildLost(says, -code if code < 0 else None)


def _console() -> int:
    """Return a copy of our standard error for output of a child that belongs to no run."""
    try:
        return os.dup(2)
    except OSError:  # a daemon without one
        return os.open(os.devnull, os.O_WRONLY)
