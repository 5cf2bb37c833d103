"""The stores the peers work on: throw-away servers of our own on loopback, started when needed.

Redis comes from Debian's package; PostgreSQL is the one that the tests use.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from bench.peers.catalogue import Backend
from bench.peers.processes import PeerFailed, Place, running
from tests.support.postgres import PostgresServer

REDIS_START_S = 10.0


class Stores:
    """Provides a fresh, empty store per round; servers live as long as the given stack."""

    def __init__(self, stack: contextlib.ExitStack, folder: Path) -> None:
        self._stack = stack
        self._folder = folder
        self._redis_port: int | None = None
        self._postgres: PostgresServer | None = None

    def fresh(self, backend: Backend, folder: Path) -> str:
        """Make an empty store and return its address."""
        match backend:
            case "sqlite":
                return f"sqlite:///{folder / 'store.db'}"
            case "postgres":
                if self._postgres is None:
                    self._postgres = _start_postgres(self._stack)
                return self._postgres.create_database()
            case "redis":
                if self._redis_port is None:
                    self._redis_port = self._stack.enter_context(_redis(self._folder / "redis"))
                _ask_redis(self._redis_port, "FLUSHALL")
                return f"redis://127.0.0.1:{self._redis_port}/0"


def _start_postgres(stack: contextlib.ExitStack) -> PostgresServer:
    try:
        return stack.enter_context(PostgresServer(fsync=True))
    except RuntimeError as error:
        raise PeerFailed(f"no PostgreSQL: {error}") from error


@contextlib.contextmanager
def _redis(folder: Path) -> Iterator[int]:
    """Run a Redis without persistence on a free port of loopback."""
    folder.mkdir(parents=True)
    port = _free_port()
    command = [
        *(_redis_command(), "--bind", "127.0.0.1", "--port", str(port)),
        *("--save", "", "--appendonly", "no", "--daemonize", "no", "--dir", str(folder)),
    ]
    place = Place(folder=folder, env=os.environ)
    with running(command, place=place, count=1) as (server,):
        deadline = time.monotonic() + REDIS_START_S
        while not _answers(port):
            if server.poll() is not None or time.monotonic() > deadline:
                raise PeerFailed(f"Redis does not start: {place.log_tail()}")
            time.sleep(0.02)
        yield port


def _redis_command() -> str:
    if (found := shutil.which("redis-server")) is not None:
        return found
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise PeerFailed("redis-server is missing: install Debian's package redis-server")
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "--yes", "--no-install-recommends", "redis-server"]
    outcome = subprocess.run(
        install, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    if outcome.returncode != 0 or (found := shutil.which("redis-server")) is None:
        raise PeerFailed("redis-server is missing and apt-get could not install it")
    return found


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def _answers(port: int) -> bool:
    try:
        return _ask_redis(port, "PING").startswith(b"+PONG")
    except OSError:
        return False


def _ask_redis(port: int, command: str) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.sendall(f"{command}\r\n".encode())
        return connection.recv(1_024)
