"""Runs that cannot start, at the head of a queue: `python -m bench.blocked [--quick]`.

A million of them stand before others. Their job is unknown to the worker, behind an open breaker,
in a maintenance window, or a graph that has as many runs as it may. The speed of the other runs is
given as a share of the speed in an empty queue.
"""

from __future__ import annotations

import json
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import click
import psycopg

from bench.apart import tell
from bench.flows import sites
from bench.measures import STORES, Figures, StoreName
from bench.probe import now_ms
from bench.sizes import chosen
from rota import App
from rota.cli.serve.serving import SWITCH_INTERVAL_S
from rota.clock import to_datetime
from rota.engine.jobs.definitions import define
from rota.model.jobs.spec import JobSpec, PythonTarget
from rota.rules.admission.lanes import SPAN
from rota.store.open import file_of

FULL, QUICK, LEAST = 1_000_000, 50_000, 1_000
"""The number of blocked runs."""
BURST = 2_000
BURSTS, FEW_BURSTS, WARM_UP = 75, 5, 3
LIMIT_S = 600.0
HOUR_MS = 3_600_000
WAITING = """
insert into {s}run (
    id, namespace, job, version, queue, priority, state, rank, args, at_most_once,
    created_at, due_at, ready_at
)
select {id}, 'default', '{job}', 1, 'default', 0, 'queued', {at}, '{{}}', {false}, {at}, {at}, {at}
  from {numbers}
"""


class Queue:
    """One worker, empty runs to carry out, and one reason for blocked runs."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.app = app = App(url)
        self.is_over = threading.Event()

        @app.job
        def noop(_: int) -> None:
            pass

        @app.job
        def held() -> None:
            pass

        @app.job
        def last_long() -> None:
            self.is_over.wait(LIMIT_S)

        @app.graph(max_runs=1)
        def one_at_once() -> None:
            last_long()

        self.noop, self.held, self.graph = noop, held, one_at_once

    def unknown(self) -> str:
        spec = JobSpec(name="unknown", target=PythonTarget(ref="elsewhere:unknown"))
        self.app.store.write(lambda tx: define(tx, spec, namespace=self.app.namespace))
        return "unknown"

    def breaker(self) -> str:
        self.held.submit().wait(LIMIT_S)
        self.app.breakers.open("held")
        return "held"

    def window(self) -> str:
        self.held.submit().wait(LIMIT_S)
        start, end = (to_datetime(now_ms() + ms).isoformat() for ms in (-HOUR_MS, HOUR_MS))
        self.app.blackouts.put("closed", kind="drain", start=start, end=end, job="held")
        return "held"

    def max_runs(self) -> str:
        self.graph.submit()
        return "one_at_once"

    def rate(self) -> float:
        """Return empty runs per second, from submit to end, of one burst."""
        begun_s = time.perf_counter()
        for run in self.noop.submit_many(range(BURST))[-20:]:
            run.wait(LIMIT_S)
        return BURST / (time.perf_counter() - begun_s)

    def await_free_head(self) -> float:
        """Return the seconds until claims no longer meet the blocked runs."""
        begun_s = time.perf_counter()
        asked = f"select 1 from {{s}}run where state = 'queued' and rank < {SPAN} limit 1"
        while run_sql(self.url, asked):
            if time.perf_counter() - begun_s > LIMIT_S:
                raise TimeoutError("runs that cannot start are still at the head of the queue")
            time.sleep(0.05)
        return time.perf_counter() - begun_s


def run_sql(url: str, text: str) -> list[tuple[object, ...]]:
    path = file_of(url)
    if path is None:
        with psycopg.connect(url, autocommit=True) as session:
            cursor = session.execute(text.replace("{s}", "rota.").encode())
            return cursor.fetchall() if cursor.description else []
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(30_000)
    try:
        return [tuple(row) for row in connection.execute(text.replace("{s}", "rota_"))]
    finally:
        connection.close()


def fill(url: str, job: str, count: int) -> None:
    """Put `count` runs of a job at the head of the queue."""
    at = now_ms() - HOUR_MS
    if file_of(url) is None:
        numbers, false = f"generate_series(1, {count}) as n(i)", "false"
        new_id = (
            f"cast(lpad(to_hex(cast({at} as bigint)), 12, '0') || '70008'"
            " || lpad(to_hex(i), 15, '0') as uuid)"
        )
    else:
        numbers = (
            "(with recursive n(i) as (select 1 union all"
            f" select i + 1 from n where i < {count}) select i from n)"
        )
        false = "0"
        new_id = f"printf('%08x-%04x-7000-8000-%012x', {at} >> 16, {at} & 65535, i)"
    words = {"id": new_id, "job": job, "at": at, "false": false, "numbers": numbers, "s": "{s}"}
    run_sql(url, WAITING.format(**words))


def measure(empty_url: str, url: str, kind: str, count: int) -> Figures:
    """Measure how much blocked runs slow others, and for how long claims meet them.

    Rounds alternate with a queue that is blocked in the same way but empty, so that other load on
    the machine affects both.
    """
    with working(empty_url) as empty, working(url) as blocked:
        getattr(empty, kind)()
        block: Callable[[], str] = getattr(blocked, kind)
        fill(url, block(), count)
        took_s = blocked.await_free_head()
        if file_of(url) is None:
            # What autovacuum does in its own time would otherwise happen amid the measure.
            run_sql(url, "vacuum analyze {s}run")
        for _ in range(WARM_UP):
            empty.rate()
            blocked.rate()
        bursts = FEW_BURSTS if count == LEAST else BURSTS
        parts = [blocked.rate() / empty.rate() for _ in range(bursts)]
    for each in (empty_url, url):
        for table in ("run", "breaker", "blackout"):
            run_sql(each, f"delete from {{s}}{table}")
        if file_of(each) is None:
            run_sql(each, "vacuum analyze")
    return {f"blocked_{kind}": statistics.median(parts), f"blocked_{kind}_s": took_s}


@contextmanager
def working(url: str) -> Iterator[Queue]:
    """Yield a queue with its worker."""
    queue = Queue(url)
    worker = queue.app.worker(slots=4)
    worker.start()
    try:
        yield queue
    finally:
        queue.is_over.set()
        worker.hurry()
        worker.stop()
        queue.app.close()


@click.command()
@click.option("--quick", is_flag=True, help="Fewer runs in the way.")
@click.option("--only", type=click.Choice(STORES))
@click.option("--json", "json_path", type=Path, help="Write the figures into this file, too.")
def main(*, quick: bool, only: StoreName | None, json_path: Path | None) -> None:
    """Print the speed of other runs beside that in an empty queue."""
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    count = chosen(FULL, QUICK, LEAST, is_quick=quick)
    found: dict[StoreName, Figures] = {}
    with sites(only) as urls:
        for store, (empty_url, url) in urls.items():
            found[store] = {}
            for kind in ("unknown", "breaker", "window", "max_runs"):
                found[store] |= measure(empty_url, url, kind, count)
            tell(store, found[store])
    if json_path is not None:
        json_path.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
