"""Log lines: chunks of them as they are stored, and single lines as people see them."""

from __future__ import annotations

from typing import Literal

import msgspec

from rota.clock import Moment
from rota.model.view import View

Stream = Literal["stdout", "stderr", "log"]
Level = Literal["debug", "info", "warning", "error", "critical"]

STREAMS: tuple[Stream, ...] = ("stdout", "stderr", "log")
LEVELS: tuple[Level, ...] = ("debug", "info", "warning", "error", "critical")

SPAN_MS = 60_000
"""The lines of a chunk lie no further apart than this, so that a search by time finds them."""


class LogChunk(msgspec.Struct, frozen=True, gc=False):
    """Consecutive lines of one attempt.

    Several lines share a row: a row for each cost three times as much in both databases (ADR 9).
    """

    run_id: str
    job: str
    attempt: int
    fence: int
    seq: int
    """The number of the first line; lines of a claim are numbered from 1."""
    first_at: int
    """When the first line was written, by the database clock."""
    marks: str
    """JSON with four numbers for each series of like lines: count, ms after first, level, stream.
    """
    body: str
    """The lines, separated by line breaks."""
    last_id: str | None = None
    """The greatest run id of a row that several runs share; `run_id` is the least."""
    parts: str | None = None
    """The runs of a shared row in the order of their lines, each with its line count, as JSON."""


class LogLine(View, frozen=True, kw_only=True):
    """One line that a handler printed or logged."""

    attempt: int
    fence: int = msgspec.field(name="claim")
    """Tells claims apart, and with `seq` the place of the line."""
    seq: int
    at: Moment
    """By the database clock, as the worker that ran the handler estimates it."""
    level: Level
    """The level of the logging record; printed lines count as info."""
    stream: Stream
    text: str


class FoundLine(LogLine, frozen=True, kw_only=True):
    """A line, and whose it is."""

    run_id: str = msgspec.field(name="executionId")
    job: str = msgspec.field(name="jobId")
