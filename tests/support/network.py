"""A network of the test's own between a program and a server: slow, cut, or silent at will."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from types import TracebackType
from typing import Self

CHUNK = 65_536
NOWHERE = 1
"""A port on which nothing listens."""


class Network:
    """Forwards to a port of this machine: `with Network(port) as network: connect(network.port)`.

    `delay_s` delays every piece, `is_silent` swallows all of them, as a black hole does; `cut`
    resets open connections; `connects` are the moments of new connections.
    """

    def __init__(self, port: int) -> None:
        self.target = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self.delay_s = 0.0
        self.is_silent = False
        self.connects: list[float] = []
        self._open: list[socket.socket] = []

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self.cut()

    def cut(self) -> None:
        """Reset every open connection."""
        while self._open:
            each = self._open.pop()
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            self.connects.append(time.monotonic())
            try:
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                client.close()
                continue
            self._open += [client, server]
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self._copy, args=(source, sink), daemon=True).start()

    def _copy(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(CHUNK):
                if self.delay_s:
                    time.sleep(self.delay_s)
                if not self.is_silent:
                    sink.sendall(data)
            sink.shutdown(socket.SHUT_RDWR)
