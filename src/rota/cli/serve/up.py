"""A worker and a server under one command: the notice from the worker to the server.

The server starts when the worker works: it then knows where the app keeps its store, loads none of
the user's code, and does not delay the first job.
"""

from __future__ import annotations

import mmap
import os
import select
from contextlib import suppress

import msgspec

from rota.cli.serve.server import ListenAddress


class ReadyNotice:
    """A notice from a worker to the server beside it; it survives both processes."""

    def __init__(self) -> None:
        self._text = mmap.mmap(-1, 8192)
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)

    def tell(self, place: ListenAddress) -> None:
        """Send the notice; called by the worker, in each of its lives."""
        text = msgspec.json.encode(place)
        self._text[: len(text) + 1] = text + b"\0"
        with suppress(BlockingIOError):  # it was told often enough
            os.write(self._writer, b"!")

    def hear(self) -> ListenAddress:
        """Wait for the first worker, unless there was one before; called by the server."""
        while self._text[0] == 0:
            select.select([self._reader], [], [])
            os.read(self._reader, 1)
        return msgspec.json.decode(bytes(self._text).partition(b"\0")[0], type=ListenAddress)
