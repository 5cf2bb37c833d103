"""Anchors of the audit, written where the owner of the database cannot change them (ADR 28)."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from logging.handlers import SysLogHandler
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

import msgspec

from rota.clock import to_datetime
from rota.engine.identity.audit_chain import heads
from rota.errors import BadOption
from rota.ids import new_id
from rota.model.identity.audit import Anchor
from rota.notices import emit
from rota.rules.security.anchors import check_key, write_anchor
from rota.runtime.chores.lifecycle import Chore
from rota.runtime.options import WorkerOptions
from rota.runtime.service import Service
from rota.store.base import Store

SYSLOG_PORT = 514
LOCAL_SYSLOG = "/dev/log"
WAYS = "file:///var/log/rota/anchors, syslog:, syslog://host:514 or https://..."


class Sink(Protocol):
    """Accepts lines; raises if it did not take them."""

    def write(self, lines: Sequence[str]) -> None: ...


def open_sink(address: str) -> Sink:
    """Return the sink at this address; BadOption if it is not a sink."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError as error:
        raise BadOption(f"anchor: {address!r:.140} is not a valid address: {error}") from error
    if parts.scheme == "file" and parts.path.startswith("/") and not parts.netloc:
        return FileSink(Path(parts.path))
    if parts.scheme == "syslog" and not parts.path:
        where = (parts.hostname, port or SYSLOG_PORT) if parts.hostname else LOCAL_SYSLOG
        return SyslogSink(where)
    if parts.scheme in ("http", "https") and parts.hostname:
        return WebhookSink(address)
    raise BadOption(f"anchor: {address!r:.140} is not a place for anchors; use {WAYS}")


class FileSink:
    """A file that grows, best on a disk of another machine or one that only appends."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def write(self, lines: Sequence[str]) -> None:
        handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o640)
        try:
            # One write for all: lines of two processes do not mix.
            os.write(handle, "".join(f"{line}\n" for line in lines).encode())
            os.fsync(handle)
        finally:
            os.close(handle)


class SyslogSink:
    """The syslog of this machine, or a remote one that takes datagrams."""

    def __init__(self, address: str | tuple[str, int]) -> None:
        self._address = address

    def write(self, lines: Sequence[str]) -> None:
        handler = _Strict(self._address, facility=SysLogHandler.LOG_AUTH)
        handler.ident = "rota: "
        try:
            for line in lines:
                handler.emit(logging.LogRecord("rota", logging.INFO, "", 0, line, None, None))
        finally:
            handler.close()


class _Strict(SysLogHandler):
    """Raises when a line could not be sent, instead of printing it and carrying on."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: ARG002, N802  # logging's
        error = sys.exc_info()[1]
        if error is not None:
            raise error


class WebhookSink:
    """An address that accepts anchors as `{"anchors": [...]}`, and answers 2xx once it has them."""

    def __init__(self, url: str) -> None:
        self._url = url

    def write(self, lines: Sequence[str]) -> None:
        # Imported late, few send. The operator chose the address, so it may be a private one.
        from rota.runtime.chores.webhook import post  # noqa: PLC0415

        body = msgspec.json.encode({"anchors": [msgspec.Raw(line.encode()) for line in lines]})
        post(self._url, body, key=new_id(), allow_private=True)


class Anchorer(Chore):
    """Writes the heads of all chains that have moved, once an interval, by one process for all.

    This process remembers what it wrote last, and not the database, which is not trusted here: a
    process that starts writes every head again.
    """

    chore = "anchor"

    def __init__(self, store: Store, options: WorkerOptions) -> None:
        super().__init__(store)
        self.interval_s = options.anchor_every_ms / 1000
        self._keep_ms = options.retention.acts_ms
        self._sink = open_sink(options.anchor)
        self._key = check_key(options.anchor_key) if options.anchor_key else None
        self._noted: dict[str, tuple[int, str]] = {}
        self._owes = False

    def tick(self) -> bool:
        """Write anchors; after a failure of the sink only this process retries, and soon."""
        if not self._owes and not self.is_mine():
            return False
        self._owes = True
        self._note()
        self._owes = False
        return False

    def _note(self) -> None:
        ends = self._store.read(lambda tx: heads(tx, keep_ms=self._keep_ms))
        moved = [each for each in ends if self._noted.get(each.namespace) != (each.seq, each.hash)]
        if not moved:
            return
        self._sink.write([write_anchor(each, self._key) for each in moved])
        self._noted |= {each.namespace: (each.seq, each.hash) for each in moved}
        for each in moved:
            _tell(each)


def anchorers(store: Store, options: WorkerOptions) -> list[Service]:
    """Return one anchorer, or none without a place for anchors."""
    return [Anchorer(store, options)] if options.anchor else []


def _tell(anchor: Anchor) -> None:
    emit(
        "audit.anchored",
        namespace=anchor.namespace,
        seq=anchor.seq,
        hash=anchor.hash,
        at=to_datetime(anchor.at),
    )
