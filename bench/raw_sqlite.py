"""The raw limit of SQLite: plain statements in batches, one thread, no engine.

The real schema, the same settings, the same rows, the same SQLite; nothing else.
"""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from threading import Lock, Thread
from typing import Any

import apsw

from bench.measures import Figures, latency_figures
from bench.sizes import CHUNK, CLIENTS, Sizes
from rota.ids import new_id
from rota.store.open import open_store
from rota.store.sqlite.store import PRAGMAS

GROUP = 500
"""Runs claimed and finished in one commit."""

INSERT = """
insert into rota_run (
    id, namespace, job, version, queue, priority, state, rank, args, at_most_once,
    created_at, due_at, ready_at
) values (?, 'default', 'noop', 1, 'default', 0, 'queued', ?, '{}', 0, ?, ?, ?)
"""
CLAIM = """
update rota_run
   set state = 'running', attempt = attempt + 1, fence = fence + 1, worker_id = ?, started_at = ?
 where id in (
        select id
          from rota_run as run
         where state = 'queued' and namespace = 'default' and queue = 'default'
         order by rank, id
         limit ?
       )
returning id, fence, job, args
"""
KEEP = """
insert into rota_run_history (
    id, namespace, job, version, queue, priority, args, policy, at_most_once, key, rerun_of,
    created_at, due_at, ready_at, attempt, worker_id, started_at, progress, progress_note,
    state, failures, crashes, fence, finished_at, result, error
)
select id, namespace, job, version, queue, priority, args, policy, at_most_once, key, rerun_of,
       created_at, due_at, ready_at, attempt, worker_id, started_at, progress, progress_note,
       'success', failures, crashes, fence, ?, '1', error
  from (select value ->> 0 as our_id, value ->> 1 as our_fence from json_each(?))
 cross join rota_run as run
 where id = our_id and fence = our_fence and state = 'running'
"""
REMOVE = """
delete from rota_run
 where rowid in (
        select run.rowid
          from (select value ->> 0 as our_id, value ->> 1 as our_fence from json_each(?))
         cross join rota_run as run
         where id = our_id and fence = our_fence and state = 'running'
       )
"""


class RawSqlite:
    """The bare database behind the same measures as Rota."""

    def __init__(self, folder: Path, sizes: Sizes) -> None:
        path = folder / "raw.db"
        open_store(f"sqlite:///{path}").close()
        self._sizes = sizes
        self._worker = new_id()
        self._held: list[tuple[Any, ...]] = []
        self._lock = Lock()
        self._connection = apsw.Connection(str(path))
        for pragma in PRAGMAS:
            self._connection.execute(pragma).fetchall()

    def close(self) -> None:
        self._connection.close()

    def submit_single_1(self) -> Figures:
        begin = time.perf_counter()
        self._insert_singly(self._sizes.singles)
        return {"submit_single_1": self._sizes.singles / (time.perf_counter() - begin)}

    def submit_single_8(self) -> Figures:
        """Let threads take turns on one connection: one writer, and nobody shares a commit."""
        each = self._sizes.singles // CLIENTS
        threads = [Thread(target=self._insert_singly, args=(each,)) for _ in range(CLIENTS)]
        begin = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return {"submit_single_8": each * CLIENTS / (time.perf_counter() - begin)}

    def submit_bulk(self) -> Figures:
        begin = time.perf_counter()
        for count in _chunks(self._sizes.jobs):
            self._insert_many(count)
        return {"submit_bulk": self._sizes.jobs / (time.perf_counter() - begin)}

    def drain(self) -> Figures:
        begin = time.perf_counter()
        done = self._drain()
        return {"drain": done / (time.perf_counter() - begin)}

    def end_to_end(self) -> Figures:
        """Insert and claim in one thread by turns: there is one writer anyway."""
        begin = time.perf_counter()
        for count in _chunks(self._sizes.jobs):
            self._insert_many(count)
            for _ in range(0, count, GROUP):
                self._exchange()
        self._drain()
        return {"end_to_end": self._sizes.jobs / (time.perf_counter() - begin)}

    def latency(self) -> Figures:
        """Measure from before the insert to after the commit of the claim."""
        waits: list[float] = []
        for _ in range(self._sizes.latency):
            begin = time.monotonic_ns()
            self._insert_singly(1)
            self._exchange()
            waits.append(time.monotonic_ns() - begin)
            self._drain()
            time.sleep(random.uniform(0.01, 0.02))
        return latency_figures(waits)

    def _insert_singly(self, count: int) -> None:
        for _ in range(count):
            row = _row()
            with self._lock:
                self._connection.execute(INSERT, row)

    def _insert_many(self, count: int) -> None:
        rows = [_row() for _ in range(count)]
        self._connection.execute("begin immediate")
        self._connection.executemany(INSERT, rows)
        self._connection.execute("commit")

    def _drain(self) -> int:
        done = 0
        while count := self._exchange():
            done += count
        return done

    def _exchange(self) -> int:
        """Finish the held group and claim the next in one commit; return the number claimed."""
        now = _now_ms()
        # One statement for the group: row by row costs 2.5 us more a run.
        held = json.dumps([(run_id, fence) for run_id, fence, *_ in self._held])
        self._connection.execute("begin immediate")
        if self._held:
            self._connection.execute(KEEP, (now, held))
            self._connection.execute(REMOVE, (held,))
        self._held = self._connection.execute(CLAIM, (self._worker, now, GROUP)).fetchall()
        self._connection.execute("commit")
        return len(self._held)


def _row() -> tuple[str, int, int, int, int]:
    now = _now_ms()
    return new_id(), now, now, now, now


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _chunks(total: int) -> list[int]:
    return [min(CHUNK, total - at) for at in range(0, total, CHUNK)]
