"""The output of a program: its end is kept, the rest counted, whatever its length."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import IO

from rota.runtime.executors.process_group import ProcessGroup, wait_readable

KEPT = 64 * 1024
CHUNK = 64 * 1024
_LASTCHUNKS = 16
"""One MiB, the largest pipe: output of other writers beyond that is not waited for."""

Sink = Callable[[bytes], None]


class Tail:
    """The last 64 KiB of a stream; all of it goes to `sink` as it comes."""

    def __init__(self, sink: Sink | None = None, *, kept: int = KEPT) -> None:
        self._sink = sink
        self._kept = kept
        self._bytes = bytearray()
        self.total = 0

    def add(self, chunk: bytes) -> None:
        self.total += len(chunk)
        if self._sink is not None:
            self._sink(chunk)
        self._bytes += chunk
        # Twice as much gathers before it is cut, so that cutting costs little.
        if len(self._bytes) > 2 * self._kept:
            del self._bytes[: -self._kept]

    @property
    def cut(self) -> int:
        """The number of bytes that are not kept."""
        return max(0, self.total - self._kept)

    def text(self) -> str:
        return bytes(self._bytes[-self._kept :]).decode("utf-8", "replace")


def collect(group: ProcessGroup, streams: dict[IO[bytes], Tail]) -> None:
    """Read the streams until the leader of the group has ended.

    Programs that it left in the background may hold the pipes open for ever; they are not waited
    for.
    """
    tails = {stream.fileno(): tail for stream, tail in streams.items()}
    while group.popen.poll() is None:
        ready = wait_readable(list(tails), group)
        for fd in [fd for fd in tails if fd in ready]:
            chunk = os.read(fd, CHUNK)
            if chunk:
                tails[fd].add(chunk)
            else:
                del tails[fd]
    for fd, tail in tails.items():
        read_rest(fd, tail.add)


def read_rest(fd: int, sink: Sink) -> None:
    """Read what a pipe holds now, without waiting for more."""
    os.set_blocking(fd, False)  # the standard library expects it to block
    for _ in range(_LASTCHUNKS):
        try:
            chunk = os.read(fd, CHUNK)
        except BlockingIOError:
            return
        if not chunk:
            return
        sink(chunk)
