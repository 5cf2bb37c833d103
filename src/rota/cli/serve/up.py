"""A worker and a server under one command: what the one tells the other.

The server starts when the worker works: it then knows where the app keeps its store, loads none of
the user's code, and takes nothing from the time until the first job runs.
"""

from __future__ import annotations

import mmap
import os
import select
from contextlib import suppress

import msgspec

from rota.cli.serve.server import ListenAddress


class ReadyNotice:
    """What a worker tells the server that its parent starts beside it; survives both."""

    def __init__(self) -> None:
        self._text = mmap.mmap(-1, 8192)
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)

    def tell(self, place: ListenAddress) -> None:
        """Called by the worker, in each of its lives."""
        text = msgspec.json.encode(place)
        self._text[: len(text) + 1] = text + b"\0"
        with suppress(BlockingIOError):  # it was told often enough
            os.write(self._writer, b"!")

    def hear(self) -> ListenAddress:
        """Called by the server: waits for the first worker, unless there was one before."""
        while self._text[0] == 0:
            select.select([self._reader], [], [])
            os.read(self._reader, 1)
        return msgspec.json.decode(bytes(self._text).partition(b"\0")[0], type=ListenAddress)
