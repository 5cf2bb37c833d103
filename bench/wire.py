"""A client of minimal cost, so that the server is what is measured."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bench.probe import WAIT_S, BenchFailed
from bench.programs import rota
from rota.engine.jobs.definitions import define
from rota.model.jobs.spec import JobSpec, PythonTarget
from rota.store.open import open_store

TOKEN = "bench-token-bench-token-bench-token-bench"
HOST = "127.0.0.1"
END = b"\r\n\r\n"
NOOP = JobSpec(name="noop", target=PythonTarget(ref="bench.shop:noop"))


def prepare(url: str) -> None:
    """Register the submitted job in an empty store."""
    store = open_store(url)
    store.write(lambda tx: define(tx, NOOP, namespace="default", origin="api"))
    store.close()


@contextlib.contextmanager
def server(url: str, folder: Path) -> Iterator[int]:
    """Run one server process on a free port."""
    with socket.socket() as sock:
        sock.bind((HOST, 0))
        port = sock.getsockname()[1]
    words = ["server", "--url", url, "--port", str(port), "--request-rate", "1000000"]
    with rota(words, folder=folder, env={"ROTA_ADMIN_TOKEN": TOKEN}):
        _await(port)
        yield port


def _await(port: int) -> None:
    end_s = time.monotonic() + WAIT_S
    while time.monotonic() < end_s:
        with contextlib.suppress(OSError), socket.create_connection((HOST, port), 1) as sock:
            sock.sendall(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            if b" 200 " in sock.recv(100):
                return
        time.sleep(0.05)
    raise BenchFailed("the server never answered")


class Answer(NamedTuple):
    """A response, and how long it took."""

    status: int
    body: bytes
    took_s: float


class Wire(asyncio.Protocol):
    """One connection that is kept open; one request at a time."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._data = bytearray()
        self._body_at = self._size = 0
        self._answered: asyncio.Future[tuple[int, bytes]] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answered is not None and not self._answered.done():
            self._answered.set_exception(BenchFailed(f"the server hung up: {exc}"))

    def data_received(self, data: bytes) -> None:
        self._data += data
        if not self._body_at:
            end = self._data.find(END)
            if end < 0:
                return
            self._body_at = end + len(END)
            self._size = _length(bytes(self._data[:end]))
        if len(self._data) >= self._body_at + self._size and self._answered is not None:
            status = int(self._data[9:12])
            body = bytes(self._data[self._body_at : self._body_at + self._size])
            self._data.clear()
            self._body_at = 0
            self._answered.set_result((status, body))

    async def ask(self, request: bytes) -> Answer:
        assert self._transport is not None
        self._answered = asyncio.get_running_loop().create_future()
        began_s = time.perf_counter()
        self._transport.write(request)
        status, body = await self._answered
        return Answer(status, body, time.perf_counter() - began_s)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()


def _length(head: bytes) -> int:
    at = head.lower().find(b"content-length:")
    return int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0


def request(method: str, path: str, body: Any = None, *, token: str = TOKEN) -> bytes:
    """Return all bytes of a request, built before the clock starts."""
    text = b"" if body is None else json.dumps(body).encode()
    kind = "" if body is None else "Content-Type: application/json\r\n"
    head = (
        f"{method} /api/v1{path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
        f"{kind}Content-Length: {len(text)}\r\n\r\n"
    )
    return head.encode() + text


async def connect(port: int) -> Wire:
    loop = asyncio.get_running_loop()
    _, wire = await loop.create_connection(Wire, HOST, port)
    return wire


async def flood(
    port: int, requests: Iterator[bytes], *, connections: int, good: int
) -> tuple[float, Sequence[Answer]]:
    """Send all requests over the connections; return the total time and each answer."""
    wires = [await connect(port) for _ in range(connections)]
    answers: list[Answer] = []

    async def send(wire: Wire) -> None:
        for each in requests:
            answer = await wire.ask(each)
            if answer.status != good:
                raise BenchFailed(f"status {answer.status}: {answer.body[:300]!r}")
            answers.append(answer)

    began_s = time.perf_counter()
    try:
        await asyncio.gather(*(send(wire) for wire in wires))
    finally:
        for wire in wires:
            wire.close()
    return time.perf_counter() - began_s, answers


def times(count: int, make: Callable[[int], bytes]) -> Iterator[bytes]:
    """Build requests on demand, one by one."""
    return (make(number) for number in range(count))
