"""A client of the live stream: reads events on a thread, so that tests can wait for one."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from typing import Any, NamedTuple

import httpx2

from tests.api.serving import PATIENCE_S, wait_until

EVENTS = "/api/v1/events"


class Event(NamedTuple):
    """One event of a stream."""

    kind: str
    id: str
    data: dict[str, Any]
    at_s: float


class Listener:
    """What has arrived on one stream."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.last_id = ""
        self.is_over = False

    def of(self, kind: str, **fields: Any) -> list[Event]:
        return [
            each
            for each in tuple(self.events)
            if each.kind == kind and fields.items() <= each.data.items()
        ]

    def wait_for(self, kind: str, **fields: Any) -> Event:
        wait_until(lambda: self.of(kind, **fields))
        return self.of(kind, **fields)[-1]

    def read(self, lines: Iterator[str]) -> None:
        fields: dict[str, str] = {}
        for line in lines:
            if line:
                name, _, value = line.partition(":")
                fields[name] = value.removeprefix(" ")
                continue
            self.last_id = fields.get("id", self.last_id)
            if "data" in fields:
                data = json.loads(fields["data"])
                kind = fields.get("event", "message")
                self.events.append(Event(kind, self.last_id, data, time.monotonic()))
            fields = {}


@contextmanager
def listening(client: httpx2.Client, *, last_id: str = "", **params: str) -> Iterator[Listener]:
    """A stream that is ready; closed at the end."""
    listener = Listener()
    headers = {"Last-Event-ID": last_id} if last_id else {}
    with client.stream("GET", EVENTS, params=params, headers=headers, timeout=None) as answer:
        assert answer.status_code == 200, answer.read()
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        thread = Thread(target=_read, args=(listener, answer), daemon=True)
        thread.start()
        listener.wait_for("ready")
        try:
            yield listener
        finally:
            _shut(answer)
            thread.join(PATIENCE_S)


def _read(listener: Listener, answer: httpx2.Response) -> None:
    with suppress(httpx2.HTTPError, OSError, ValueError):
        listener.read(answer.iter_lines())
    listener.is_over = True


def _shut(answer: httpx2.Response) -> None:
    stream: Callable[[str], Any] = answer.extensions["network_stream"].get_extra_info
    sock = stream("socket")
    with suppress(OSError):  # the server may have closed it
        sock.shutdown(socket.SHUT_RDWR)
