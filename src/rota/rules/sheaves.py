"""Sheaves: rows of log lines that hold those of many runs, which print a few each at full load.

A row for each run took the writers as long as all else that is done for its lines; readers are
few, and find their part in a row as well (ADR 9).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter

import msgspec

from rota.ids import first_id, made_at
from rota.model.log import LEVELS, SPAN_MS, STREAMS, LogChunk

NEAR_MS = 256
"""Runs of a sheaf were submitted within so long of each other: who looks for one looks there."""
_NEAR_LETTERS = 11
"""So many letters of their ids are the same then: 10 digits of 12, and a hyphen."""
_KIND = f"0,{LEVELS.index('info')},{STREAMS.index('stdout')}"


_run_id = attrgetter("run_id")


class Part(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Whose lines come next in the text, and how many."""

    run_id: str
    attempt: int
    fence: int
    first_at: int
    lines: int


_decoder = msgspec.json.Decoder(list[Part])
_encoder = msgspec.json.Encoder()


def are_near(one: str, other: str, apart_ms: int) -> bool:
    """Whether lines of two runs may be in one sheaf, written so long after each other."""
    return one[:_NEAR_LETTERS] == other[:_NEAR_LETTERS] and abs(apart_ms) < SPAN_MS // 2


def first_near(run_id: str) -> str:
    """The least id that a sheaf with the lines of this run may begin with."""
    return first_id(made_at(run_id) // NEAR_MS * NEAR_MS)


def sheaf(job: str, parts: Sequence[Part], texts: Sequence[str]) -> LogChunk:
    """One chunk of what these attempts have printed, all from their first line on."""
    first = min(parts, key=_run_id)
    is_one = len(parts) == 1
    return LogChunk(
        run_id=first.run_id,
        job=job,
        attempt=first.attempt,
        fence=first.fence,
        seq=1,
        first_at=min([part.first_at for part in parts]),
        marks=_marks(sum([part.lines for part in parts])),
        body="\n".join(texts),
        last_id=None if is_one else max(parts, key=_run_id).run_id,
        parts=None if is_one else _encoder.encode(parts).decode(),
    )


def attempts_in(chunk: LogChunk) -> int:
    """How many attempts have lines in it."""
    return 1 if chunk.parts is None else chunk.parts.count("[") - 1


def split(chunk: LogChunk) -> Iterator[LogChunk]:
    """A chunk for each attempt: itself, or the parts of a sheaf."""
    if chunk.parts is None:
        yield chunk
        return
    texts = iter(chunk.body.split("\n"))
    for part in _decoder.decode(chunk.parts):
        yield LogChunk(
            run_id=part.run_id,
            job=chunk.job,
            attempt=part.attempt,
            fence=part.fence,
            seq=1,
            first_at=part.first_at,
            marks=_marks(part.lines),
            body="\n".join([next(texts) for _ in range(part.lines)]),
        )


def _marks(lines: int) -> str:
    return f"[{lines},{_KIND}]"
