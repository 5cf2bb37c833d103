"""Logs: lines of runs are appended in chunks, read in order, searched by words.

Appending does not check leases: the last words of a lost attempt are evidence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

import msgspec

from rota.clock import moment
from rota.engine.runs.find import find, find_all
from rota.engine.wakeup_keys import LOGGED
from rota.errors import BadInput, UnknownRun
from rota.ids import is_id
from rota.model.logs.log import LEVELS, SPAN_MS, STREAMS, FoundLine, Level, LogChunk
from rota.rules.shared_log_rows import first_near, split
from rota.store.base import Row, Tx

PAGE, FIRST_PAGE = 200, 25
"""Chunks per statement when lines are read or searched; a few may hold what a search is for."""
INDEX_CHARS = 60_000
"""The characters that are indexed at a time: some 5 ms, in which nobody writes to SQLite."""
_WORD = re.compile(r"[^\W_]+")
_marks = msgspec.json.Decoder(list[int])


class LogCursor(msgspec.Struct, frozen=True):
    """The last position of a reader in the lines of one claim."""

    fence: int
    seq: int


def append(
    tx: Tx, chunks: Sequence[LogChunk], *, namespace: str, is_repeated: bool = False
) -> None:
    """Store chunks. If `is_repeated`, chunks that are stored already stay as they are."""
    if is_repeated:
        parts = [part for chunk in chunks for part in split(chunk)]
        chunks = _without_stored(tx, parts, namespace=namespace)
    tx.insert("append_logs", chunks, namespace=namespace)
    tx.notify((LOGGED,))


def read(
    tx: Tx, run_id: str, *, namespace: str, seen: Sequence[LogCursor] = (), limit: int = PAGE
) -> list[FoundLine]:
    """Return lines of a run by claim and number, from up to `limit` chunks after `seen`.

    Raises UnknownRun when there is neither a line nor a run; lines may outlive their run.
    """
    if not is_id(run_id):
        raise UnknownRun(run_id)
    rows = tx.all(
        "read_logs",
        run_id=run_id,
        namespace=namespace,
        batch=msgspec.json.encode(seen).decode(),
        limit=limit,
    )
    chunks = [*map(_chunk, rows), *_in_sheaves(tx, run_id, namespace=namespace)]
    if not chunks and not seen:
        find(tx, run_id, namespace=namespace)
    seen_by_fence = {each.fence: each.seq for each in seen}
    fresh = [each for each in chunks if each.seq > seen_by_fence.get(each.fence, 0)]
    fresh.sort(key=lambda each: (each.fence, each.seq))
    return [line for chunk in fresh[:limit] for line in lines_in(chunk)]


def before_last(tx: Tx, run_id: str, *, namespace: str, lines: int) -> list[LogCursor]:
    """Return the cursors after which the last `lines` or a few more are left: whole chunks.

    They follow from the numbers alone: nobody reads a million lines for the last ten.
    """
    cursors = []
    for fence, last in sorted(ends(tx, run_id, namespace=namespace).items(), reverse=True):
        cursors.append(LogCursor(fence, max(last - lines, 0) if lines > 0 else last))
        lines -= last
    return cursors


def search(  # noqa: PLR0913  # one filter each, all named
    tx: Tx,
    text: str,
    *,
    namespace: str,
    job: str | None = None,
    since: int = 0,
    level: Level = "debug",
    limit: int = 100,
) -> list[FoundLine]:
    """Return up to `limit` lines that hold all words of the text, the newest first.

    Words are letters and digits, whole, in any case and order; BadInput when there is none.
    """
    words = sorted(set(_words(text)))
    if not words:
        raise BadInput(f"{text!r} has no word to search for")
    at: dict[str, object] = {"namespace": namespace, "job": job, "since": since - SPAN_MS}
    asks = [
        ("search_fresh_logs", at | {"words": json.dumps(words, ensure_ascii=False)}),
        ("search_logs", at | {"match": " ".join(f'"{word}"' for word in words)}),
    ]
    matches: list[FoundLine] = []
    earliest = moment(since)
    for statement, params in asks:
        lines = _matches(tx, statement, params, words=set(words), level=level)
        matches += islice((line for line in lines if line.at >= earliest), limit)
    matches.sort(key=lambda line: (line.at, line.run_id, line.fence, line.seq), reverse=True)
    return matches[:limit]


def reached_lines(
    tx: Tx, lines: Sequence[FoundLine], *, namespace: str, reaches: Callable[[str], bool]
) -> list[FoundLine]:
    """Return the lines of runs in queues that the caller may see; a deleted run is in none."""
    runs = find_all(tx, [*{line.run_id for line in lines}], namespace=namespace)
    visible = {run_id for run_id, run in runs.items() if reaches(run.queue)}
    return [line for line in lines if line.run_id in visible]


def index(tx: Tx, *, limit: int, chars: int = INDEX_CHARS) -> int:
    """Index the words of chunks up to a number and a length; return how many were indexed."""
    return tx.execute("index_logs", limit=limit, chars=chars)


def ends(tx: Tx, run_id: str, *, namespace: str) -> dict[int, int]:
    """Return the first number of the last chunk of each claim."""
    seq_by_fence = {part.fence: part.seq for part in _in_sheaves(tx, run_id, namespace=namespace)}
    for row in tx.all("log_ends", run_id=run_id, namespace=namespace):
        seq_by_fence[row["fence"]] = row["seq"]
    return seq_by_fence


def _in_sheaves(tx: Tx, run_id: str, *, namespace: str) -> list[LogChunk]:
    """Return the lines of a run that share a row with those of others."""
    at = {"run_id": run_id, "first_id": first_near(run_id), "holds": f"%{run_id}%"}
    rows = tx.all("read_sheaves", **at, namespace=namespace)
    return [part for row in rows for part in split(_chunk(row)) if part.run_id == run_id]


def _without_stored(tx: Tx, chunks: Sequence[LogChunk], *, namespace: str) -> list[LogChunk]:
    """Return the new chunks. Chunks of a claim come in order, so its last stored one decides."""
    stored: dict[tuple[str, int], int] = {}
    for run_id in {chunk.run_id for chunk in chunks}:
        for fence, seq in ends(tx, run_id, namespace=namespace).items():
            stored[run_id, fence] = seq
    return [each for each in chunks if each.seq > stored.get((each.run_id, each.fence), 0)]


def _matches(
    tx: Tx, statement: str, params: Mapping[str, object], *, words: set[str], level: Level
) -> Iterator[FoundLine]:
    """Yield the lines with all words, from chunks that hold all the words somewhere."""
    least, offset, page = LEVELS.index(level), 0, FIRST_PAGE
    while rows := tx.all(statement, limit=page, offset=offset, **params):
        for row in rows:
            for line in reversed(list(lines_in(_chunk(row)))):
                if LEVELS.index(line.level) >= least and words <= set(_words(line.text)):
                    yield line
        offset += page
        page = PAGE


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def lines_in(chunk: LogChunk) -> Iterator[FoundLine]:
    """Yield the lines of one chunk, of one run or several."""
    for part in split(chunk):
        marks = _marks.decode(part.marks)
        runs = zip(marks[::4], marks[1::4], marks[2::4], marks[3::4], strict=True)
        marked = (mark for count, *mark in runs for _ in range(count))
        texts = part.body.split("\n")
        for number, (text, (after_ms, level, stream)) in enumerate(zip(texts, marked, strict=True)):
            yield FoundLine(
                run_id=part.run_id,
                job=part.job,
                attempt=part.attempt,
                fence=part.fence,
                seq=part.seq + number,
                at=moment(part.first_at + after_ms),
                level=LEVELS[level],
                stream=STREAMS[stream],
                text=text,
            )


def _chunk(row: Row) -> LogChunk:
    last_id = row["last_id"]
    ids = {"run_id": str(row["run_id"]), "last_id": None if last_id is None else str(last_id)}
    return LogChunk(**{**row, **ids})
