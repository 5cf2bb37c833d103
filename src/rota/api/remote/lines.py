"""Log lines of a remote worker: its tokens say whose they are, the server says how many fit."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rota.api.remote.trust import check_attempt, without_zero
from rota.engine.logs import append
from rota.engine.workers.heartbeat import HeldLease
from rota.engine.workers.remote import RemoteWorkerRow, logged_chars
from rota.errors import BadInput
from rota.model.logs.log import LEVELS, SPAN_MS, STREAMS, LogChunk
from rota.model.workers.remote import ChunkBody
from rota.rules.security.attempt_tokens import Facts
from rota.runtime.logs.attempt_log import MAX_CHARS, MAX_LINE, MAX_LINES
from rota.store.base import Tx

SPARE_CHARS = 100_000
"""Room for the note at the end that says how much was cut."""
SPARE_LINE = 100
AHEAD_MS = 60_000
"""How far the clock of a worker may be ahead."""
_marks = msgspec.json.Decoder(list[int])


def append_lines(
    tx: Tx, worker: RemoteWorkerRow, bodies: Sequence[ChunkBody], *, namespace: str
) -> int:
    """Store the chunks that fit; return their number.

    The token alone decides, not the fence: the last lines of a lost attempt are evidence, and are
    stored under its own number.
    """
    facts = [check_attempt(worker, each) for each in bodies]
    for each in bodies:
        _check(each)
    attempts = {(each.run_id, each.fence) for each in bodies}
    used = logged_chars(tx, [HeldLease(*at) for at in sorted(attempts)], namespace=namespace)
    chunks: list[LogChunk] = []
    for each, fact in zip(bodies, facts, strict=True):
        at = each.run_id, each.fence
        used[at] = used.get(at, 0) + len(each.body)
        if used[at] <= MAX_CHARS + SPARE_CHARS:
            chunks.append(_chunk(each, fact, worker.now))
    if chunks:
        append(tx, chunks, namespace=namespace, is_repeated=True)
    return len(chunks)


def _check(body: ChunkBody) -> None:
    """Check that a chunk has the form that our own workers give it: readers rely on it."""
    try:
        marks = _marks.decode(body.marks)
    except msgspec.MsgspecError as error:
        raise BadInput(f"marks: {error}") from None
    lines = body.body.split("\n")
    if len(marks) % 4 or any(count < 1 for count in marks[::4]) or sum(marks[::4]) != len(lines):
        raise BadInput(f"marks: {len(lines)} lines, and the marks are not for so many")
    if body.seq + len(lines) > MAX_LINES + SPARE_LINE:
        raise BadInput(f"an attempt has up to {MAX_LINES} lines")
    if max(map(len, lines)) > MAX_LINE + SPARE_LINE:
        raise BadInput(f"a line has up to {MAX_LINE} characters")
    kinds = zip(marks[1::4], marks[2::4], marks[3::4], strict=True)
    for after_ms, level, stream in kinds:
        is_good = 0 <= level < len(LEVELS) and 0 <= stream < len(STREAMS)
        if not is_good or not 0 <= after_ms <= SPAN_MS:
            raise BadInput("marks: no such time, level or stream")


def _chunk(body: ChunkBody, facts: Facts, now: int) -> LogChunk:
    is_likely = facts.claimed_at <= body.first_at <= now + AHEAD_MS
    return LogChunk(
        run_id=body.run_id,
        job=facts.job,
        attempt=facts.attempt,
        fence=body.fence,
        seq=body.seq,
        first_at=body.first_at if is_likely else facts.claimed_at,
        marks=body.marks,
        body=without_zero(body.body),
    )
