"""Processes that claim and finish in plain SQL, for the raw limit of PostgreSQL.

They are processes and not threads, so that Python's lock is no part of the limit.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.types.string import TextLoader

from rota.ids import new_id

PROCESSES = 2
BATCH = 500
"""As big as the batches of our courier; with 250 a drain is a quarter slower."""
WAIT_S = 120.0
CHANNEL = "raw"

CLAIM = b"""
with picked as materialized (
    select id
      from rota.run
     where state = 'queued' and namespace = 'default' and queue = 'default'
     order by rank, id
     limit %s
     for update skip locked
)
update rota.run
   set state = 'running', attempt = attempt + 1, fence = fence + 1,
       worker_id = cast(%s as uuid),
       started_at = cast(extract(epoch from statement_timestamp()) * 1000 as bigint)
 where id = any (array(select id from picked))
returning id, fence, job, args
"""
FINISH = b"""
with gone as (
    delete from rota.run as run
     using unnest(cast(%s as uuid[]), cast(%s as bigint[])) as v(id, fence)
     where run.id = v.id and run.fence = v.fence and run.state = 'running'
    returning run.*
)
insert into rota.run_history (
    id, namespace, job, version, queue, priority, args, policy, at_most_once, key, rerun_of,
    created_at, due_at, ready_at, attempt, worker_id, started_at, progress, progress_note,
    state, failures, crashes, fence, finished_at, result, error
)
select id, namespace, job, version, queue, priority, args, policy, at_most_once, key, rerun_of,
       created_at, due_at, ready_at, attempt, worker_id, started_at, progress, progress_note,
       'success', failures, crashes, fence,
       cast(extract(epoch from statement_timestamp()) * 1000 as bigint), '1', error
  from gone
"""

_spawn = multiprocessing.get_context("spawn")


def connect(url: str) -> psycopg.Connection[Any]:
    """Return a connection that prepares at once and leaves ids as text."""
    connection = psycopg.connect(url, autocommit=True)
    connection.prepare_threshold = 0
    connection.adapters.register_loader("uuid", TextLoader)
    return connection


class Claimer:
    """One connection that finishes its runs and claims the next batch in one commit."""

    def __init__(self, url: str) -> None:
        self._connection = connect(url)
        self._worker = new_id()
        self.held: list[tuple[Any, ...]] = []

    def exchange(self, limit: int) -> int:
        """Finish the held runs, claim the next, and return how many were finished."""
        ids, fences = [row[0] for row in self.held], [row[1] for row in self.held]
        if ids:
            self._connection.execute(b"begin")
            self._connection.execute(FINISH, (ids, fences))
        self.held = self._connection.execute(CLAIM, (limit, self._worker)).fetchall()
        if ids:  # a claim alone is a transaction by itself
            self._connection.execute(b"commit")
        return len(ids)


class Tally:
    """The number of runs that all processes have finished together, and the time of the last."""

    def __init__(self) -> None:
        self.ready = _spawn.Barrier(PROCESSES + 1)
        self.done = _spawn.Value("q", 0)
        self.ended_ns = _spawn.Value("q", 0)


@contextmanager
def claiming(url: str, total: int) -> Iterator[Tally]:
    """Start processes that connect and wait at `ready`; they end when all runs are finished."""
    tally = Tally()
    processes = [
        _spawn.Process(target=_claim_all, args=(url, total, tally), daemon=True)
        for _ in range(PROCESSES)
    ]
    for process in processes:
        process.start()
    try:
        yield tally
        for process in processes:
            process.join(WAIT_S)
            if process.exitcode != 0:
                raise RuntimeError(f"a raw claimer ended with {process.exitcode}")
    finally:
        for process in processes:
            process.kill()


def _claim_all(url: str, total: int, tally: Tally) -> None:
    claimer = Claimer(url)
    tally.ready.wait(WAIT_S)
    while tally.done.value < total:
        finished = claimer.exchange(BATCH)
        with tally.done.get_lock():
            tally.done.value += finished
            if finished:
                tally.ended_ns.value = time.monotonic_ns()
        if not claimer.held:
            time.sleep(0.001)


@contextmanager
def listening(url: str, count: int) -> Iterator[Any]:
    """Start a process that claims on notifications and sends the times of all claims at the end."""
    ours, theirs = _spawn.Pipe()
    process = _spawn.Process(target=_claim_when_told, args=(url, count, theirs), daemon=True)
    process.start()
    try:
        if not ours.poll(WAIT_S):
            raise TimeoutError("the raw listener does not start")
        ours.recv()
        yield ours
    finally:
        process.kill()


def _claim_when_told(url: str, count: int, parent: Any) -> None:
    claimer = Claimer(url)
    claimer.exchange(1)  # prepares the statement
    claimed: dict[str, int] = {}
    with connect(url) as connection:
        connection.execute(f"listen {CHANNEL}")
        parent.send("ready")
        for _ in connection.notifies():
            claimer.exchange(1)
            now = time.monotonic_ns()
            claimed.update((row[0], now) for row in claimer.held)
            while claimer.held:
                claimer.exchange(1)
                claimed.update((row[0], time.monotonic_ns()) for row in claimer.held)
            if len(claimed) == count:
                break
    parent.send(claimed)
