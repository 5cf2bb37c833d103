"""Put many schedules into a store at once by plain SQL, before anybody works there."""

from __future__ import annotations

import time
from typing import Any

import apsw
import psycopg

from rota.engine.schedules.compiled import rules_version

FILL = """
insert into rota.schedule (
    id, namespace, name, job, spec, origin, changed_at, created_at, rules_version, cursor_at,
    last_at, next_at, look_at
)
select {id}, 'default', '{prefix}' || n.n, 'tick', {spec}, 'api', {now}, {now}, '{version}',
       {at} - {every}, {at} - {every}, {at}, {at}
  from ({numbers}) as n
"""
# Ids in the order of their making, as those of Rota are.
SPELLING = {
    "sqlite": {
        "id": "'{prefix}-' || printf('%012x', n.n)",
        "numbers": "with recursive n (n) as (select 0 union all select n + 1 from n"
        " where n < {count} - 1) select n from n",
        "clock": "time(n.n % {cycle}, 'unixepoch')",
    },
    "postgres": {
        "id": "cast(lpad(to_hex(n.n), 12, '0') || '7000' ||"
        " substr(md5('{prefix}'), 1, 16) as uuid)",
        "numbers": "select n from generate_series(0, {count} - 1) as n",
        "clock": "to_char((n.n % {cycle}) * interval '1 second', 'HH24:MI:SS')",
    },
}
# Indexes are made afterwards, and a table that is emptied in the same transaction needs no log.
BEFORE = """
truncate rota.schedule;
drop index rota.schedule_look;
drop index rota.schedule_calendar;
alter table rota.schedule drop constraint schedule_pkey;
alter table rota.schedule drop constraint schedule_namespace_name_key
"""
AFTER = """
alter table rota.schedule add primary key (id);
alter table rota.schedule add unique (namespace, name);
create index schedule_look on rota.schedule (look_at) where look_at is not null;
create index schedule_calendar on rota.schedule (namespace, calendar) where calendar is not null
"""


def dialect_of(url: str) -> str:
    return "sqlite" if url.startswith("sqlite") else "postgres"


def filling(url: str, prefix: str, count: int, *, cycle_s: int, at: str) -> str:
    """Return the statement that makes them; `at` is the next instant of number n, as SQL."""
    spelled = SPELLING[dialect_of(url)]
    facts = {"count": count, "cycle": cycle_s, "prefix": prefix}
    own = {key: text.format(**facts) for key, text in spelled.items()}
    spec = (
        f"""'{{"trigger":{{"type":"every","every":"{cycle_s}s","anchor":"1970-01-01T' || """
        f"""{own.pop("clock")} || 'Z"}}}}'"""
    )
    now = round(time.time() * 1000)
    return FILL.format(
        prefix=prefix, spec=spec, version=rules_version(), every=cycle_s * 1000, now=now, at=at,
        **own,
    )  # fmt: skip


def load(url: str, count: int, *, cycle_s: int, at: str) -> None:
    """Load all schedules into a store that has none and that nobody uses yet."""
    fill = filling(url, "many", count, cycle_s=cycle_s, at=at)
    if dialect_of(url) == "sqlite":
        run_sql(url, fill)
        return
    with psycopg.connect(url) as session:
        session.execute(b"set local maintenance_work_mem = '512MB'")
        for statement in (*BEFORE.split(";"), fill, *AFTER.split(";")):
            session.execute(statement.encode())
    run_sql(url, "vacuum analyze rota.schedule")


def run_sql(url: str, text: str) -> list[tuple[Any, ...]]:
    """Return the rows of one statement, without the store's own code."""
    if dialect_of(url) == "sqlite":
        connection = apsw.Connection(url.removeprefix("sqlite:///"))
        connection.set_busy_timeout(60_000)
        try:
            connection.pragma("cache_size", -400_000)
            return [tuple(row) for row in connection.execute(text.replace("rota.", "rota_"))]
        finally:
            connection.close()
    with psycopg.connect(url, autocommit=True) as session:
        cursor = session.execute(text.encode())
        return cursor.fetchall() if cursor.description else []
