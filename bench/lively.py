"""A store of the size that `backlog.fill` makes, as varied as one that many people use.

It has jobs, queues, workers, failures with dead letters, schedules, a graph, logs, an audit log,
and statistics over the whole time.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random

from bench.backlog import DAY_MS, HISTORY_DAYS, make_days
from bench.probe import now_ms
from bench.schedule_load import dialect_of, run_sql
from rota.engine.insight.statistics import add, next_part
from rota.engine.jobs.definitions import define
from rota.engine.logs import append, index
from rota.engine.schedules.compiled import CompiledSchedules, rules_version
from rota.engine.schedules.definitions import put
from rota.ids import new_id
from rota.model.graphs.graph import Graph, Node
from rota.model.jobs.spec import GraphTarget, JobSpec, PythonTarget
from rota.model.logs.log import LogChunk
from rota.model.schedules.definitions import Cron, Every, Schedule
from rota.store.base import Store, Tx
from rota.store.open import open_store

JOBS = 200
QUEUES = 20
WORKERS = 20
RUNNING = 200
SCHEDULES = 1_000
LOGS = 20_000
ACTS = 100_000
GRAPH = "flow"

SPELLING = {
    "sqlite": {
        "numbers": "(with recursive n(i) as (select 1 union all select i + 1 from n"
        " where i < {count}) select i from n)",
        "id": "printf('%08x-%04x-7000-8000-%012x', {ms} >> 16, {ms} & 65535, i)",
    },
    "postgres": {
        "numbers": "generate_series(1, {count}) as n(i)",
        "id": "cast(lpad(to_hex(cast({ms} as bigint)), 12, '0') || '70008'"
        " || lpad(to_hex(i), 15, '0') as uuid)",
    },
}
JOB = f"'job' || (i % {JOBS})"
QUEUE = f"case when i % 2 = 0 then 'default' else 'q' || (i % {QUEUES}) end"
LIVE = f"""
insert into rota.run (
    id, namespace, job, version, queue, priority, state, rank, args, at_most_once, created_at,
    due_at, ready_at
)
select {{id}}, 'default', {JOB}, 1, {QUEUE}, 0,
       case when i % 4 = 0 then 'queued' else 'scheduled' end,
       case when i % 4 = 0 then {{now}} + i end, '{{{{"order": 1}}}}', false, {{now}},
       {{now}} + 3600000 + i, {{now}} + 3600000 + i
  from {{numbers}}
"""
HELD = f"""
insert into rota.run (
    id, namespace, job, version, queue, priority, state, args, at_most_once, created_at, due_at,
    ready_at, attempt, fence, worker_id, started_at
)
select {{id}}, 'default', {JOB}, 1, {QUEUE}, 0, 'running', '{{{{}}}}', false, {{now}}, {{now}},
       {{now}}, 1, 1,
       (select w.id from rota.worker as w where w.name = 'worker' || (1 + i % {WORKERS})), {{now}}
  from {{numbers}}
"""
CREW = """
insert into rota.worker (
    id, namespace, name, host, pid, queues, jobs, slots, running, version, started_at, seen_at,
    lease_until
)
select {id}, 'default', 'worker' || i, 'host' || i, 1, '["default"]', '[]', 16, 10, '1', {now},
       {now}, {now} + 86400000
  from {numbers}
"""
ENDED = f"""
insert into rota.run_history (
    id, namespace, job, version, queue, priority, state, args, at_most_once, created_at, due_at,
    ready_at, attempt, failures, crashes, fence, started_at, finished_at, result, error
)
select {{id}}, 'default', {JOB}, 1, {QUEUE}, 0,
       case when i % 100 = 1 then 'failed' when i % 200 = 2 then 'cancelled'
            when i % 200 = 4 then 'skipped' else 'success' end,
       '{{{{"order": 1}}}}', false, {{end}}, {{end}}, {{end}}, 1,
       case when i % 100 = 1 then 1 else 0 end, 0, 1, {{end}} + i % 90, {{end}} + i % 900 + 90, '1',
       case when i % 100 = 1 then
       '{{{{"type":"KeyError","message":"no such order","traceback":"none"}}}}' end
  from {{numbers}}
"""
LETTERS = """
insert into rota.dead_letter (
    run_id, namespace, job, version, fingerprint, error_type, message, died_at
)
select id, namespace, job, 1, job, 'KeyError', 'no such order', finished_at
  from rota.run_history
 where state = 'failed'
"""
AUDIT = """
insert into rota.act (
    id, namespace, at, who, verb, subject, detail
)
select {id}, 'default', {now} + i, 'token ann' || (i % 7), 'cancel', 'run ' || i, '{{}}'
  from {numbers}
"""


def fill(url: str, count: int) -> None:
    """Fill an empty store, with `count` future runs and as many ended ones."""
    store = open_store(url)
    try:
        store.write(_jobs)
        store.write(_schedules)
        if dialect_of(url) == "postgres":
            make_days(url)
        for statement in _statements(url, count):
            run_sql(url, statement)
        _logs(store)
        if dialect_of(url) == "postgres":
            run_sql(url, "vacuum analyze")
        _count(store, url)
    finally:
        store.close()


def _statements(url: str, count: int) -> Iterator[str]:
    now, span = now_ms(), HISTORY_DAYS * DAY_MS
    end = f"({now} - {span} + cast(i as bigint) * {span // count})"
    spelled = SPELLING[dialect_of(url)]

    def made(text: str, many: int, at: str) -> str:
        return text.format(
            id=spelled["id"].format(ms=at),
            numbers=spelled["numbers"].format(count=many),
            now=now,
            end=end,
        )

    yield made(CREW, WORKERS, f"({now} - 9000000 + i)")
    yield made(LIVE, count, f"({now} - 3600000 + i)")
    yield made(HELD, RUNNING, f"({now} - 1800000 + i)")
    yield made(ENDED, count, end)
    yield made(AUDIT, ACTS, f"({now} - 3600000 + i)")
    yield LETTERS


def _jobs(tx: Tx) -> None:
    for number in range(JOBS):
        target = PythonTarget(ref="bench.shop:noop")
        queue = "default" if number % 2 == 0 else f"q{number % QUEUES}"
        spec = JobSpec(name=f"job{number}", target=target, queue=queue)
        define(tx, spec, namespace="default", origin="api")
    nodes = tuple(
        Node(name=f"n{at}", job="job0", after=(f"n{at - 1}",) if at else ()) for at in range(20)
    )
    flow = JobSpec(name=GRAPH, target=GraphTarget(graph=Graph(name=GRAPH, nodes=nodes)))
    define(tx, flow, namespace="default", origin="api")


def _schedules(tx: Tx) -> None:
    """Add schedules: most daily, some hourly, a few each minute, as is common."""
    known = CompiledSchedules(rules_version(), Random(1).random)
    for number in range(SCHEDULES):
        minute, hour = number % 60, number % 24
        trigger: Every | Cron = Cron(f"{minute} {hour} * * *")
        if number % 40 == 0:
            trigger = Every("1m")
        elif number % 20 == 1:
            trigger = Cron(f"{minute} * * * *")
        put(
            tx,
            f"s{number}",
            Schedule(trigger=trigger),
            namespace="default",
            job=f"job{number % JOBS}",
            origin="api",
            who="bench",
            compiled=known,
            new_id=new_id,
        )


def _logs(store: Store) -> None:
    now = now_ms()
    for first in range(0, LOGS, 1_000):
        chunks = [
            LogChunk(
                run_id=new_id(), job=f"job{number % JOBS}", attempt=1, fence=1, seq=1,
                first_at=now - number, marks="[5,0,1,0]",
                body=f"begin\norder {number} was read\npaid by card\nparcel {number % 50}\nend",
            )
            for number in range(first, first + 1_000)
        ]  # fmt: skip
        store.write(partial(append, chunks=chunks, namespace="default"))
        store.write(lambda tx: index(tx, limit=1_000))


def _count(store: Store, url: str) -> None:
    """Count statistics from the first of these days on, as a janitor would have."""
    start = now_ms() - (HISTORY_DAYS + 1) * DAY_MS
    run_sql(url, f"insert into rota.counted (name, until) values ('runs', {start})")
    while store.write(_count_some):
        pass


def _count_some(tx: Tx) -> bool:
    for _ in range(100):
        part = next_part(tx)
        if part is None:
            return False
        add(tx, part)
    return True
