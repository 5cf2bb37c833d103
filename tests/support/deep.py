"""Stores with a deep backlog, and the query plans of statements there.

The plans are those of the text that really runs, with parameters: on PostgreSQL after ANALYZE, on
SQLite with the figures that each store is born with (migration 26).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import psycopg
from psycopg import sql

from rota.engine.runs.lists import LOWEST
from rota.ids import new_id
from rota.rules.admission.lanes import SPAN
from rota.store.open import open_store
from rota.store.postgres import dialect as postgres_dialect
from rota.store.sqlite import dialect as sqlite_dialect
from rota.store.statements import load
from tests.contract.builders import HOME, START_MS, Clock
from tests.support.postgres import PostgresServer

DEPTH = 20_000
HELD = 200
BATCH = 100

FILL = """
insert into rota.run (
    id, namespace, job, version, queue, priority, state, rank, args, at_most_once, created_at,
    due_at, ready_at, expires_at, fence, attempt, worker_id, started_at, schedule_id
)
select {id}, 'default', 'noop', 1, 'default', 0, s.state,
       case when s.state = 'queued' then {start} + n.n end, '{{}}', false, {start},
       {start} + n.n, {start} + n.n + case when s.state = 'scheduled' then {day} else 0 end,
       case when n.n % 2 = 0 then {start} + n.n + {day} end,
       case when s.state = 'running' then 1 else 0 end,
       case when s.state = 'running' then 1 else 0 end,
       case when s.state = 'running' then {worker} end,
       case when s.state = 'running' then {start} end,
       case when n.n % 4 = 0 then {id} end
  from ({numbers}) as n
 cross join (select 'queued' as state union all select 'scheduled' union all select 'running') as s
 where s.state <> 'running' or n.n <= {held}
"""
HISTORY = """
insert into rota.run_history (
    id, namespace, job, version, queue, priority, state, args, at_most_once, created_at, due_at,
    ready_at, attempt, failures, crashes, fence, finished_at
)
select {id}, 'default', 'noop', 1, 'default', 0,
       case when n.n % 5 = 0 then 'failed' else 'success' end, '{{}}', false, {start}, {start},
       {start}, 1, 0, 0, 1, {start} + n.n
  from ({numbers}) as n
"""
LABELS = """
insert into rota.run_label (run_id, name, namespace, kind, value)
select id, {label}, 'default', 'text', {value}
  from rota.run_history
"""
SCHEDULES = """
insert into rota.schedule (
    id, namespace, name, job, spec, origin, changed_at, created_at, rules_version, cursor_at,
    next_at, look_at
)
select {id}, 'default', 's' || n.n, 'job' || (n.n % 500), '{{}}', 'code', {start}, {start}, '1',
       {start}, {start} + n.n, case when n.n % 3 > 0 then {start} + n.n end
  from ({numbers}) as n
"""
SPELLING = {
    "sqlite": {
        # As long as an id, and spread like one.
        "id": "lower(hex(randomblob(4))||'-'||hex(randomblob(2))||'-'||hex(randomblob(2))||'-'||"
        "hex(randomblob(2))||'-'||hex(randomblob(6)))",
        "numbers": "with recursive n (n) as (select 1 union all select n + 1 from n"
        f" where n < {DEPTH}) select n from n",
    },
    "postgres": {
        "id": "gen_random_uuid()",
        "numbers": f"select n from generate_series(1, {DEPTH}) as n",
    },
}


def parameters(ids: list[str]) -> dict[str, Any]:
    """Return parameters for all hot statements; each takes those that it names."""
    worker = ids[0]
    rows = [{"run_id": i, "id": i, "fence": 1, "verb": "succeed", "kind": "error"} for i in ids]
    return {
        "now": START_MS + DEPTH // 2,
        "namespace": HOME,
        "queue": "default",
        "jobs": '["noop", "mail"]',
        "worker_id": worker,
        "held": False,
        "span": SPAN,
        "start": SPAN,
        "end": 2 * SPAN,
        "shift": SPAN,
        "limit": BATCH,
        "id": worker,
        "ids": json.dumps(ids),
        "name": "s1",
        "first": "s1",
        "reached": None,
        "app": "shop",
        "event": "orders.closed",
        "ahead_ms": 0,
        "within_ms": 2,
        "reason": "",
        "fence": 1,
        "state": None,
        "job": None,
        "fingerprint": None,
        "queues": None,
        "schedule": None,
        "error": None,
        "text": None,
        "arg": None,
        "value": "c7",
        "prefix": "",
        "after": LOWEST,
        "from_at": START_MS,
        "to_at": START_MS + 1,
        "parent": None,
        "since": None,
        "until": None,
        "whole": None,
        "before": None,
        "floor": LOWEST,
        "far": 500,
        "most": 5_001,
        "ahead": 1_000,
        "names": '["noop", "mail"]',
        "acted": False,
        "batch": json.dumps(
            [{"job": "noop", "version": 1, "note": "", "name": "a"} | row for row in rows]
        ),
    }


def fill(kind: str, worker: str) -> list[str]:
    spelled = SPELLING[kind] | {
        "start": str(START_MS),
        "day": "86400000",
        "held": str(HELD),
        "worker": f"'{worker}'" if kind == "sqlite" else f"cast('{worker}' as uuid)",
    }
    texts = [FILL.format(**spelled), HISTORY.format(**spelled), SCHEDULES.format(**spelled)]
    lease = (
        "insert into rota.worker (id, namespace, name, host, pid, queues, slots, version,"
        f" started_at, seen_at, lease_until) values ('{new_id()}', 'default', 'w', 'h', 1, '[]',"
        f" 8, '0', {START_MS}, {START_MS}, {START_MS + 86_400_000})"
    )
    labels = [
        LABELS.format(label="'team'", value="'billing'"),
        LABELS.format(label="'customer'", value="'c' || (finished_at % 1000)"),
    ]
    return [*texts, *labels, lease]


@contextmanager
def deep_sqlite_store(folder: Path) -> Iterator[apsw.Connection]:
    path = folder / "rota.db"
    open_store(f"sqlite:///{path}", clock=Clock()).close()
    connection = apsw.Connection(str(path))
    for text in fill("sqlite", new_id()):
        connection.execute(text.replace("rota.", "rota_"))
    yield connection
    connection.close()


@contextmanager
def deep_postgres_store(
    server: PostgresServer, *, is_analyzed: bool = True
) -> Iterator[psycopg.Connection]:
    """Fill a store; without `is_analyzed` it is as in its first minute, before any ANALYZE."""
    url = server.create_database()
    open_store(url, clock=Clock()).close()
    with psycopg.connect(url, autocommit=True) as connection:
        if not is_analyzed:
            connection.execute("alter table rota.run set (autovacuum_enabled = off)")
        for text in fill("postgres", new_id()):
            connection.execute(text.encode())
        if is_analyzed:
            connection.execute("vacuum analyze rota.run")
            connection.execute("analyze")
        yield connection
    server.drop_database(url)


def sqlite_plan(connection: apsw.Connection, name: str, /, **said: Any) -> list[str]:
    """Return the lines of the plan of each statement in the text."""
    ids = [row[0] for row in connection.execute("select id from rota_run limit 100")]
    statement = load(sqlite_dialect.DIALECT)[name]
    known = dict.fromkeys(statement.params) | parameters(ids)
    lines = []
    for part in statement.text.split(";"):
        rows = connection.execute(f"explain query plan {part}", known | said)
        lines += [str(row[3]).replace("rota_", "") for row in rows]
    return lines


def postgres_plan(
    connection: psycopg.Connection, name: str, mode: str, /, *, room: str = "", **said: Any
) -> list[dict[str, Any]]:
    """Return all nodes of the plan: for these parameters, or the one kept for all (`generic`)."""
    ids = [str(row[0]) for row in connection.execute("select id from rota.run limit 100")]
    known = parameters(ids) | said
    order: list[str] = []

    def numbered(match: re.Match[str]) -> str:
        if match[1] not in order:
            order.append(match[1])
        return f"${order.index(match[1]) + 1}"

    text = re.sub(r"%\((\w+)\)s", numbered, load(postgres_dialect.DIALECT)[name].text)
    connection.execute(f"set plan_cache_mode = force_{mode}_plan".encode())
    connection.execute(f"{room or 'set role none'}".encode())
    connection.execute(f"prepare looked_at as {text}".encode(), prepare=False)
    try:
        values = sql.SQL(", ").join(sql.Literal(known[each]) for each in order)
        given = sql.SQL("({})").format(values) if order else sql.SQL("")
        asked = sql.SQL("explain (format json) execute looked_at {}").format(given)
        row = connection.execute(asked).fetchone()
    finally:
        connection.execute("deallocate looked_at")
        connection.execute("reset role")
    assert row is not None
    return list(_nodes(row[0][0]["Plan"]))


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("Plans", ()):
        yield from _nodes(child)
