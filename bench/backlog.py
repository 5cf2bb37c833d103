"""Fill a store by plain SQL: future runs in the live table, finished ones in history."""

from __future__ import annotations

import apsw
import psycopg

from bench.probe import now_ms
from rota.store.open import file_of, open_store

DAY_MS = 86_400_000
HISTORY_DAYS = 6
"""Days of history, within the default retention of a week."""

FUTURE = """
insert into {s}run (
    id, namespace, job, version, queue, priority, state, rank, args, at_most_once,
    created_at, due_at, ready_at
)
select {id}, 'default', 'noop', 1, 'default', 0, 'scheduled', null, '{{}}', {false},
       {now}, {now} + 3600000 + i, {now} + 3600000 + i
  from {numbers}
"""
FINISHED = """
insert into {s}run_history (
    id, namespace, job, version, queue, priority, state, args, at_most_once, created_at, due_at,
    ready_at, attempt, failures, crashes, fence, started_at, finished_at, result
)
select {id}, 'default', 'noop', 1, 'default', 0, 'success', '{{}}', {false}, {end}, {end},
       {end}, 1, 0, 0, 1, {end}, {end}, '1'
  from {numbers}
"""


def fill(url: str, count: int) -> None:
    """Add `count` runs of each kind, then leave the tables as they are after a quiet hour."""
    path = file_of(url)
    if path is None:
        _fill_postgres(url, count)
    else:
        _fill_sqlite(str(path), count)


def _fill_postgres(url: str, count: int) -> None:
    make_days(url)
    words = {
        "s": "rota.",
        "false": "false",
        "numbers": f"generate_series(1, {count}) as n(i)",
    }
    time_id = (
        "cast(lpad(to_hex(cast({ms} as bigint)), 12, '0') || '70008'"
        " || lpad(to_hex(i), 15, '0') as uuid)"
    )
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in _statements(words, time_id, count):
            connection.execute(statement.encode())
        # What autovacuum does in its own time would otherwise happen amid the measure.
        connection.execute("vacuum analyze rota.run")
        connection.execute("vacuum analyze rota.run_history")
        connection.execute("checkpoint")


def make_days(url: str) -> None:
    """Create the partitions that a janitor would have made on each of the past days."""
    for ago in range(HISTORY_DAYS + 1, -1, -1):
        then = now_ms() - ago * DAY_MS
        store = open_store(url, clock=lambda then=then: then)  # type: ignore[misc]  # bound now
        store.rotate(keep_good_ms=30 * DAY_MS, keep_bad_ms=30 * DAY_MS)
        store.close()


def _fill_sqlite(path: str, count: int) -> None:
    words = {
        "s": "rota_",
        "false": "0",
        "numbers": (
            "(with recursive n(i) as (select 1 union all"
            f" select i + 1 from n where i < {count}) select i from n)"
        ),
    }
    time_id = "printf('%08x-%04x-7000-8000-%012x', {ms} >> 16, {ms} & 65535, i)"
    connection = apsw.Connection(path)
    connection.execute("pragma synchronous = off")
    for statement in _statements(words, time_id, count):
        connection.execute(statement)
    connection.execute("pragma wal_checkpoint(truncate)").fetchall()
    connection.close()


def _statements(words: dict[str, str], time_id: str, count: int) -> list[str]:
    """Return the statements; ids are in order of creation, finished runs older than future ones."""
    now = now_ms()
    span = HISTORY_DAYS * DAY_MS
    end = f"({now} - {span} + cast(i as bigint) * {span // count})"
    future_id = time_id.format(ms=f"({now} - 3600000 + i)")
    return [
        FUTURE.format(**words, id=future_id, now=now),
        FINISHED.format(**words, id=time_id.format(ms=end), end=end),
    ]
