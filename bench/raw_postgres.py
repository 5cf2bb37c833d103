"""The raw limit of PostgreSQL: COPY, then plain claims and fenced finishes, no engine.

The real schema, the same rows, the same server and address.
"""

from __future__ import annotations

import random
import time
from pathlib import Path

from bench.measures import Figures, latency_figures
from bench.pgbench import insert_rate
from bench.raw_claimers import CHANNEL, WAIT_S, Tally, claiming, connect, listening
from bench.sizes import CHUNK, CLIENTS, Sizes
from rota.ids import new_id
from rota.store.open import open_store

COPY = """
copy rota.run (
    id, namespace, job, version, queue, priority, state, rank, args, at_most_once,
    created_at, due_at, ready_at
) from stdin
"""
INSERT_AND_NOTIFY = f"""
with told as (
    insert into rota.run (
        id, namespace, job, version, queue, priority, state, rank, args, at_most_once,
        created_at, due_at, ready_at
    )
    select cast(%s as uuid), 'default', 'noop', 1, 'default', 0, 'queued', t.now, '{{}}', false,
           t.now, t.now, t.now
      from (select cast(extract(epoch from statement_timestamp()) * 1000 as bigint) as now) as t
)
select pg_notify('{CHANNEL}', '')
"""


class RawPostgres:
    """The bare database behind the same measures as Rota."""

    def __init__(self, url: str, sizes: Sizes, *, binaries: Path, folder: Path) -> None:
        open_store(url).close()
        self._url = url
        self._sizes = sizes
        self._binaries = binaries
        self._folder = folder
        self._connection = connect(url)
        self._submitted = 0

    def close(self) -> None:
        self._connection.close()

    def submit_single_1(self) -> Figures:
        return {"submit_single_1": self._insert_singly(clients=1, total=self._sizes.singles)}

    def submit_single_8(self) -> Figures:
        rate = self._insert_singly(clients=CLIENTS, total=self._sizes.singles * 2)
        return {"submit_single_8": rate}

    def submit_bulk(self) -> Figures:
        begin = time.perf_counter()
        self._copy_all()
        return {"submit_bulk": self._sizes.jobs / (time.perf_counter() - begin)}

    def drain(self) -> Figures:
        with claiming(self._url, self._submitted) as tally:
            begin_ns = _all_ready(tally)
        done, self._submitted = self._submitted, 0
        return {"drain": done / (tally.ended_ns.value - begin_ns) * 1e9}

    def end_to_end(self) -> Figures:
        with claiming(self._url, self._sizes.jobs) as tally:
            begin_ns = _all_ready(tally)
            self._copy_all()
        self._submitted = 0
        return {"end_to_end": self._sizes.jobs / (tally.ended_ns.value - begin_ns) * 1e9}

    def latency(self) -> Figures:
        """Measure from before the insert to after the commit of the claim, in another process."""
        sent: dict[str, int] = {}
        with listening(self._url, self._sizes.latency) as listener:
            for _ in range(self._sizes.latency):
                run_id = new_id()
                sent[run_id] = time.monotonic_ns()
                self._connection.execute(INSERT_AND_NOTIFY.encode(), (run_id,))
                time.sleep(random.uniform(0.01, 0.02))
            if not listener.poll(WAIT_S):
                raise TimeoutError("the raw listener has not claimed all runs")
            claimed: dict[str, int] = listener.recv()
        return latency_figures([claimed[run_id] - at for run_id, at in sent.items()])

    def _insert_singly(self, *, clients: int, total: int) -> float:
        self._submitted += total // clients * clients
        return insert_rate(
            self._binaries, self._url, clients=clients, total=total, folder=self._folder
        )

    def _copy_all(self) -> None:
        for at in range(0, self._sizes.jobs, CHUNK):
            lines = [_line() for _ in range(min(CHUNK, self._sizes.jobs - at))]
            with self._connection.cursor() as cursor, cursor.copy(COPY) as copy:
                copy.write("".join(lines))
        self._submitted += self._sizes.jobs


def _all_ready(tally: Tally) -> int:
    tally.ready.wait(WAIT_S)
    return time.monotonic_ns()


def _line() -> str:
    now = time.time_ns() // 1_000_000
    return (
        f"{new_id()}\tdefault\tnoop\t1\tdefault\t0\tqueued\t{now}\t{{}}\tf\t{now}\t{now}\t{now}\n"
    )
