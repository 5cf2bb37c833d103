"""The output of a child process, also past Python, sent to the run that it works for."""

from __future__ import annotations

import contextlib
import os
import subprocess

from rota.runtime.executors.command.output import CHUNK, Sink, read_rest

Sinks = tuple[Sink, Sink]


class Printed:
    """The standard output and error of a child; used by one thread."""

    def __init__(self, popen: subprocess.Popen[bytes]) -> None:
        assert popen.stdout is not None  # noqa: S101  # both are pipes
        assert popen.stderr is not None  # noqa: S101
        self._pipes = (popen.stdout, popen.stderr)
        self._open = [pipe.fileno() for pipe in self._pipes]
        self._sinks: Sinks = _CONSOLE
        self._places = dict(zip(self._open, (0, 1), strict=True))

    @property
    def fds(self) -> list[int]:
        """The pipes that are not at their end."""
        return self._open

    def lead_to(self, sinks: Sinks) -> None:
        """Send output to another attempt from here on; drop what came in between."""
        self._sinks = _CONSOLE
        self.read_rest()
        self._sinks = sinks

    def read(self, ready: set[int]) -> None:
        """Read once from each pipe that has something."""
        for fd in [fd for fd in self._open if fd in ready]:
            chunk = os.read(fd, CHUNK)
            if chunk:
                self._sinks[self._places[fd]](chunk)
            else:
                self._open.remove(fd)

    def read_rest(self) -> None:
        """Read what is there now; a child flushes before it reports that an attempt has ended."""
        for fd in self._open:
            read_rest(fd, self._sinks[self._places[fd]])
            os.set_blocking(fd, True)  # the standard library expects it to block

    def close(self) -> None:
        self.read_rest()
        self._open = []
        for pipe in self._pipes:
            pipe.close()


def console(number: int) -> Sink:
    """Return a sink for the worker's own output, where it can be written to."""

    def write(chunk: bytes) -> None:
        with contextlib.suppress(OSError):
            os.write(number, chunk)

    return write


_CONSOLE: Sinks = (console(1), console(2))
