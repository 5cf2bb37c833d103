"""Turns the lines of an attempt into rows for the store, of several lines each."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from rota.model.logs.log import SPAN_MS, LogChunk
from rota.runtime.logs.attempt_log import (
    INFO,
    LINE_COST,
    LOG,
    MAX_LINE,
    STDOUT,
    WARNING,
    AttemptLog,
    BufferedLine,
    dropped_text,
)

LOG_COST = 1_000
"""Memory for an attempt that has lines, on top of the lines."""
CHUNK_LINES = 500
CHUNK_CHARS = 64_000
_FEW = 200
_FIRST = 2
_SPAN_S = SPAN_MS / 1000
_DROPPED = f"[1,0,{WARNING},{LOG}]"


def plain_chunk(log: AttemptLog) -> LogChunk | None:
    """Return the chunk of the common case at a third of the price: few short lines of one moment.

    For an attempt that has ended. None leaves the pieces where they are.
    """
    pieces = log.pieces
    number = len(pieces)
    if not _FIRST < number <= _FEW or pieces[1] != STDOUT or not log.is_fresh or log.secrets:
        return None
    at_s = pieces[0]
    try:
        text = "".join(pieces[_FIRST:number])
    except TypeError:  # there is more than one time
        return None
    if text[-1:] != "\n" or len(text) > MAX_LINE or "\r" in text:
        return None
    del pieces[:number]
    count = text.count("\n")
    log.count += count
    log.chars += len(text)
    return _chunk(log, at_s, f"[{count},0,{INFO},{STDOUT}]", text[:-1], count)


def chunks_of(log: AttemptLog, lines: list[BufferedLine]) -> Iterator[LogChunk]:
    """Yield successive lines in portions that suit any index."""
    start = size = 0
    for number, line in enumerate(lines):
        size += len(line.text)
        is_far = line.at_s - lines[start].at_s >= _SPAN_S
        if number > start and (size > CHUNK_CHARS or number - start >= CHUNK_LINES or is_far):
            yield _chunk_of(log, lines[start:number])
            start, size = number, len(line.text)
    if lines:
        yield _chunk_of(log, lines[start:])


def cost_of(chunk: LogChunk) -> int:
    """Return the memory that a chunk takes."""
    return len(chunk.body) + (LINE_COST if chunk.marks == _DROPPED else LOG_COST)


def dropped(chunk: LogChunk) -> tuple[int, LogChunk | None]:
    """Return how many lines go with a chunk, and a note of that; a note goes without a note."""
    if chunk.marks == _DROPPED:
        return 0, None
    lines = chunk.body.count("\n") + 1
    # In the place of the last line, as in AttemptLog.take.
    word = msgspec.structs.replace(
        chunk, seq=chunk.seq + lines - 1, marks=_DROPPED, body=dropped_text(lines)
    )
    return lines, word


def _chunk_of(log: AttemptLog, lines: list[BufferedLine]) -> LogChunk:
    first_s = lines[0].at_s
    marks: list[int] = []
    for line in lines:
        mark = [int((line.at_s - first_s) * 1000), line.level, line.stream]
        if marks[-3:] == mark:
            marks[-4] += 1
        else:
            marks += (1, *mark)
    body = "\n".join([line.text for line in lines])
    return _chunk(log, first_s, msgspec.json.encode(marks).decode(), body, len(lines))


def _chunk(log: AttemptLog, at_s: float, marks: str, body: str, count: int) -> LogChunk:
    lease = log.lease
    seq = log.next_seq
    log.next_seq += count
    body = storable(body)
    first_at = lease.claimed_at + round((at_s - log.claimed_s) * 1000)
    return LogChunk(lease.run_id, lease.job, lease.attempt, lease.fence, seq, first_at, marks, body)


def storable(body: str) -> str:
    """Return the text fit for any database, of the same length."""
    if not body.isascii() or "\0" in body:
        # Lone surrogates and NUL: PostgreSQL refuses both.
        return body.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
    return body
