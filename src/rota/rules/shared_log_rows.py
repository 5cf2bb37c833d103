"""Shared log rows: at full load one row holds the few lines that each of many runs prints.

A row per run cost the writers as much time as all other work on its lines. Readers are few, and
find their part in a shared row as well (ADR 9).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import msgspec
from msgspec.structs import astuple

from rota.ids import first_id, made_at
from rota.model.logs.log import LEVELS, SPAN_MS, STREAMS, LogChunk

NEAR_MS = 256
"""Runs of a shared row were submitted within this time, so readers search within it."""
_NEAR_LETTERS = 11
"""The leading letters that ids of such runs share: 10 digits of 12, and a hyphen."""
_KIND = f"0,{LEVELS.index('info')},{STREAMS.index('stdout')}"


class Parts(msgspec.Struct, frozen=True, array_like=True):
    """The runs of consecutive lines in a text, and their counts; parallel lists for speed."""

    run_ids: list[str]
    attempts: list[int]
    fences: list[int]
    first_ats: list[int]
    lines: list[int]


_decoder = msgspec.json.Decoder(Parts)
_encoder = msgspec.json.Encoder()


def are_near(run_ids: Sequence[str], first_ats: Sequence[int]) -> bool:
    """Whether lines of these runs, written at these times, may be in one shared row."""
    letters = {run_id[:_NEAR_LETTERS] for run_id in run_ids}
    return len(letters) == 1 and max(first_ats) - min(first_ats) < SPAN_MS


def first_near(run_id: str) -> str:
    """Return the least id with which a shared row with lines of this run may begin."""
    return first_id(made_at(run_id) // NEAR_MS * NEAR_MS)


def shared_row(job: str, parts: Parts, body: str) -> LogChunk:
    """Return one chunk with the lines of these attempts, all from their first line on."""
    least = min(parts.run_ids)
    first = parts.run_ids.index(least)
    is_one = len(parts.run_ids) == 1
    return LogChunk(
        run_id=least,
        job=job,
        attempt=parts.attempts[first],
        fence=parts.fences[first],
        seq=1,
        first_at=min(parts.first_ats),
        marks=_marks(sum(parts.lines)),
        body=body,
        last_id=None if is_one else max(parts.run_ids),
        parts=None if is_one else _encoder.encode(parts).decode(),
    )


def gathered(chunks: Iterable[LogChunk]) -> Iterator[LogChunk]:
    """Merge consecutive chunks that are near each other; each row begins with printed lines."""
    group: list[LogChunk] = []
    for chunk in chunks:
        if group and not _belongs(chunk, group[0]):
            yield _sheaf_of(group)
            group = []
        group.append(chunk)
    if group:
        yield _sheaf_of(group)


def _belongs(chunk: LogChunk, first: LogChunk) -> bool:
    return (
        chunk.job == first.job
        and chunk.run_id[:_NEAR_LETTERS] == first.run_id[:_NEAR_LETTERS]
        and abs(chunk.first_at - first.first_at) < SPAN_MS // 2
    )


def _sheaf_of(group: list[LogChunk]) -> LogChunk:
    return shared_row(
        group[0].job,
        Parts(
            [each.run_id for each in group],
            [each.attempt for each in group],
            [each.fence for each in group],
            [each.first_at for each in group],
            [each.body.count("\n") + 1 for each in group],
        ),
        "\n".join([each.body for each in group]),
    )


def attempts_in(chunk: LogChunk) -> int:
    """Return the number of attempts with lines in the chunk."""
    return 1 if chunk.parts is None else len(_decoder.decode(chunk.parts).run_ids)


def split(chunk: LogChunk) -> Iterator[LogChunk]:
    """Split a chunk by attempt: itself, or the parts of a shared row."""
    if chunk.parts is None:
        yield chunk
        return
    texts = iter(chunk.body.split("\n"))
    parts = _decoder.decode(chunk.parts)
    for run_id, attempt, fence, first_at, lines in zip(*astuple(parts), strict=True):
        yield LogChunk(
            run_id=run_id,
            job=chunk.job,
            attempt=attempt,
            fence=fence,
            seq=1,
            first_at=first_at,
            marks=_marks(lines),
            body="\n".join(islice(texts, lines)),
        )


def _marks(lines: int) -> str:
    return f"[{lines},{_KIND}]"
