"""A TCP proxy in front of PostgreSQL that can be cut, or go silent like a black hole."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading

CHUNK = 65_536
_RESET = struct.pack("ii", 1, 0)
"""SO_LINGER with no time: closing sends RST instead of an orderly end."""


class Wire:
    """Forwards to a port of this machine until it is cut or closed."""

    def __init__(self, port: int) -> None:
        self.target = port
        """The target of new connections."""
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port: int = self._listening.getsockname()[1]
        self.is_silent = False
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> int:
        """Reset every connection; returns the number of sockets."""
        with self._lock:
            found, self._open = self._open, set()
        for each in found:
            _reset(each)
        return len(found)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self.target), 5)
                server.settimeout(None)
            except OSError:
                _reset(client)
                continue
            with self._lock:
                self._open |= {client, server}
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self._copy, args=(source, sink), daemon=True).start()

    def _copy(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(CHUNK):
                # What was swallowed is lost, so a connection that met silence never speaks again:
                # it is cut when the silence ends.
                if not self.is_silent:
                    sink.sendall(data)
        if self.is_silent:
            return
        with self._lock:
            if source not in self._open:
                return  # it was cut; an orderly end now would hide the reset
            self._open.discard(source)
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)
        source.close()


def _reset(each: socket.socket) -> None:
    with contextlib.suppress(OSError):
        each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    with contextlib.suppress(OSError):
        # Wakes the thread that waits in recv; the peer gets the reset from close.
        each.shutdown(socket.SHUT_RD)
    each.close()
