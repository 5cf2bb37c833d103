"""The orphan killer: ends the processes that a worker had started when the worker is killed.

The kernel kills a worker's own children with it, but not what these have started. So a small
process beside the worker learns of every process group, and ends those that are left when the
worker is gone. A process that leaves its group on purpose (`setsid`) is not reached.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import subprocess
import sys
import threading
from pathlib import Path

_SCRIPT = Path(__file__).with_name("orphan_killer_process.py")
_log = logging.getLogger("rota")
GOODBYE_S = 5.0


class OrphanKiller:
    """One for each worker process, started with the first group; a dead one is replaced."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner = 0
        self._popen: subprocess.Popen[bytes] | None = None
        self._pipe: int | None = None
        self._groups: set[int] = set()

    def line(self) -> int | None:
        """A pipe into which a child may write `+` and its own number, before it is a program."""
        with self._lock:
            self._see_to_it()
            return self._pipe

    def watch(self, group: int) -> None:
        """Have the group killed if the worker dies."""
        with self._lock:
            self._see_to_it()
            self._groups.add(group)
            self._tell(b"+", group)

    def forget(self, group: int) -> None:
        """Stop watching a group that has ended; its number may soon belong to another one."""
        with self._lock:
            self._groups.discard(group)
            if self._owner == os.getpid():
                self._tell(b"-", group)

    def close(self) -> None:
        """Close the pipe at the end of the worker, which ends the orphan killer."""
        with self._lock:
            if self._owner != os.getpid() or self._pipe is None or self._popen is None:
                return
            os.close(self._pipe)
            self._pipe = None
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._popen.wait(timeout=GOODBYE_S)

    def _see_to_it(self) -> None:
        is_ours = self._owner == os.getpid()
        if is_ours and (self._popen is None or self._popen.poll() is None):
            return
        if is_ours and self._pipe is not None:
            os.close(self._pipe)
        elif not is_ours:
            self._groups = set()  # we are a fork: what our parent watches is not ours
        self._owner, self._popen, self._pipe = os.getpid(), None, None
        with contextlib.suppress(OSError, ValueError):
            self._popen, self._pipe = _start()
        if self._popen is None:
            _log.warning("no orphan killer: what programs start may outlive a kill of this worker")
        for group in self._groups:
            self._tell(b"+", group)

    def _tell(self, sign: bytes, group: int) -> None:
        if self._pipe is not None:
            with contextlib.suppress(OSError):  # a dead one is replaced at the next start
                os.write(self._pipe, b"%s%d\n" % (sign, group))


def _start() -> tuple[subprocess.Popen[bytes], int]:
    reader, writer = os.pipe()
    try:
        popen = subprocess.Popen(  # noqa: S603  # our own interpreter and our own code
            (sys.executable, "-I", "-S", str(_SCRIPT), str(os.getpid())),
            stdin=reader,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )
    except BaseException:
        os.close(writer)
        raise
    finally:
        os.close(reader)
    os.set_blocking(writer, False)
    return popen, writer


orphan_killer = OrphanKiller()
atexit.register(orphan_killer.close)
