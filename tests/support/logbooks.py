"""Shared tools of the tests of the log buffer: an attempt that prints, and the lines it left."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from rota.model.logs.log import LEVELS, STREAMS, LogChunk
from rota.rules.shared_log_rows import split
from rota.runtime.attempts.attempt import Attempt
from rota.runtime.attempts.context import RunContext, current
from rota.runtime.logs.attempt_log import STDERR, STDOUT, AttemptLog
from rota.runtime.logs.buffer import LogBuffer
from rota.runtime.logs.capture import RunStream
from rota.runtime.logs.stdout_buffer import pages
from tests.support.calls import call_of


class Said(NamedTuple):
    seq: int
    level: str
    stream: str
    text: str


def handler() -> None:
    pass


def given_log(book: LogBuffer) -> AttemptLog:
    call: Attempt = call_of(handler)
    call.log_buffer = book
    return book.log_of(call)


def lines_in(chunks: list[LogChunk]) -> list[Said]:
    lines = []
    for chunk in (part for each in chunks for part in split(each)):
        marks = json.loads(chunk.marks)
        texts = chunk.body.split("\n")
        kinds = [
            kind for at in range(0, len(marks), 4) for kind in [marks[at + 1 : at + 4]] * marks[at]
        ]
        assert len(kinds) == len(texts)
        for number, (text, (_, level, stream)) in enumerate(zip(texts, kinds, strict=True)):
            lines.append(Said(chunk.seq + number, LEVELS[level], STREAMS[stream], text))
    return lines


def take_all(book: LogBuffer) -> list[Said]:
    pages.gather()
    chunks: list[LogChunk] = []
    while book:
        chunks += book.take(limit=1_000, chars=1_000_000)
    return lines_in(chunks)


def texts(book: LogBuffer) -> list[str]:
    return [line.text for line in take_all(book)]


@contextmanager
def printing(book: LogBuffer) -> Iterator[tuple[Any, Any]]:
    """Set standard output and error to what a handler has."""
    call: Attempt = call_of(handler)
    call.log_buffer = book
    token = current.set(RunContext(call))
    try:
        yield RunStream(sys.stdout, STDOUT), RunStream(sys.stderr, STDERR)
    finally:
        current.reset(token)
        if call.log is not None:
            call.log.close()
