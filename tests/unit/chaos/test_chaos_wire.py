"""The proxy of the chaos run: forwards, resets, and falls silent."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator

import pytest

from chaos.wire import Wire


def _echo(listening: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while True:
            peer, _ = listening.accept()
            threading.Thread(target=_echo_one, args=(peer,), daemon=True).start()


def _echo_one(peer: socket.socket) -> None:
    with peer, contextlib.suppress(OSError):
        while data := peer.recv(100):
            peer.sendall(data)


@pytest.fixture
def wire() -> Iterator[Wire]:
    """A wire to a server that says everything back."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=_echo, args=(listening,), daemon=True).start()
        wire = Wire(listening.getsockname()[1])
        yield wire
        wire.close()


def _hear(port: int) -> bytes:
    with socket.create_connection(("127.0.0.1", port), 10) as client:
        return client.recv(1)


def connected(wire: Wire) -> socket.socket:
    client = socket.create_connection(("127.0.0.1", wire.port), 10)
    client.sendall(b"hello")
    assert client.recv(5) == b"hello"
    return client


def test_a_cut_resets_what_is_open_and_new_connections_work(wire: Wire) -> None:
    with connected(wire) as client:
        assert wire.cut() == 2
        with pytest.raises(ConnectionResetError):
            client.recv(1)

    with connected(wire):
        pass


def test_in_silence_nothing_arrives_and_nobody_is_told(wire: Wire) -> None:
    with connected(wire) as client:
        wire.is_silent = True
        client.sendall(b"anybody there?")
        client.settimeout(0.2)
        with pytest.raises(TimeoutError):
            client.recv(1)

        wire.is_silent = False
        wire.cut()
        with pytest.raises(ConnectionResetError):
            client.recv(1)


def test_a_server_that_is_away_is_told_as_a_reset() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    wire = Wire(port)
    with contextlib.closing(wire), pytest.raises(ConnectionResetError):
        _hear(wire.port)  # already the connect may find it reset


def test_a_wire_that_is_turned_leads_new_connections_elsewhere(wire: Wire) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        wire.target = other.getsockname()[1]

        with socket.create_connection(("127.0.0.1", wire.port), 10) as client:
            peer, _ = other.accept()
            with peer:
                peer.sendall(b"!")
                assert client.recv(1) == b"!"
