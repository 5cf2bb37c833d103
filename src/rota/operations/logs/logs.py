"""Operations on log lines: read those of a run, search those of all runs."""

from __future__ import annotations

from typing import Annotated

import msgspec

from rota.engine.logs import LogCursor, before_last, reached_lines, read, search
from rota.engine.runs.find import now_ms
from rota.errors import BadInput
from rota.model.logs.log import FoundLine, Level, LogLine
from rota.model.view import Page
from rota.operations.caller import Caller
from rota.operations.operation import reads
from rota.operations.runs.visible import visible_run
from rota.operations.wire import QueryName
from rota.rules.text.duration import parse_duration
from rota.store.base import Tx

LONGEST = 200
"""The most characters of a search text."""
MOST_LAST = 10_000
"""The most lines before the end at which a reader may begin."""


@reads("/runs/{run_id}/logs")
def show_logs(
    tx: Tx, caller: Caller, run_id: str, *, after: str | None = None, last: int | None = None
) -> Page[LogLine]:
    """List the lines that the handler printed and logged; `after` is the `next` of the last page.

    `last=100` begins some 100 lines before the end, or a few more.
    """
    if last is not None and (after or not 1 <= last <= MOST_LAST):
        raise BadInput(f"last={last}: give 1 to {MOST_LAST:,} lines, and no `after` with it")
    if not caller.sees_all_queues:
        visible_run(tx, caller, run_id)
    home = caller.namespace
    seen = before_last(tx, run_id, namespace=home, lines=last) if last else _seen(after)
    lines = read(tx, run_id, namespace=home, seen=seen)
    ends = {each.fence: each.seq for each in seen} | {line.fence: line.seq for line in lines}
    mark = ",".join(f"{claim}.{seq}" for claim, seq in ends.items())
    return Page(items=[_of_run(line) for line in lines], next=mark if lines else None)


@reads("/logs")
def search_logs(  # noqa: PLR0913  # one filter each, all named
    tx: Tx,
    caller: Caller,
    q: str,
    *,
    job: Annotated[str | None, QueryName("jobId")] = None,
    since: str | None = None,
    level: Level = "debug",
    limit: Annotated[int, msgspec.Meta(ge=1, le=MOST_LAST)] = 100,
) -> Page[FoundLine]:
    """Lines that hold all words of `q`, the newest first.

    `since` is how far to look back, such as `1h`; `level` the least that counts.
    """
    if not 0 < len(q) <= LONGEST:
        raise BadInput(f"q: give 1 to {LONGEST} characters to search for")
    ago_ms = None if since is None else parse_duration(since)
    lines = search(
        tx,
        q,
        namespace=caller.namespace,
        job=job,
        since=0 if ago_ms is None else now_ms(tx) - ago_ms,
        level=level,
        limit=limit,
    )
    if not caller.sees_all_queues:
        lines = reached_lines(tx, lines, namespace=caller.namespace, reaches=caller.sees)
    return Page(items=lines)


def _of_run(line: FoundLine) -> LogLine:
    return LogLine(
        attempt=line.attempt,
        fence=line.fence,
        seq=line.seq,
        at=line.at,
        level=line.level,
        stream=line.stream,
        text=line.text,
    )


def _seen(mark: str | None) -> list[LogCursor]:
    if not mark:
        return []
    try:
        pairs = [each.split(".") for each in mark.split(",")]
        return [LogCursor(int(claim), int(seq)) for claim, seq in pairs]
    except ValueError as error:
        raise BadInput(f"after={mark!r:.64} is not the `next` of a page of lines") from error
