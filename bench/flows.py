"""Runs of graphs, end to end, with one worker: `python -m bench.flows [--quick]`.

A chain of 20 nodes, a fan of 200 with a join, 10,000 graphs of 10 nodes, a map of 100,000 items.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import psycopg

from rota import App
from rota.cli.serving import SWITCH_INTERVAL_S
from tests.support.postgres import PostgresServer

QUICK = "--quick" in sys.argv
ROUNDS = 5 if QUICK else 20
GRAPHS = 500 if QUICK else 10_000
ITEMS = 5_000 if QUICK else 100_000
CHAIN, FAN, SIZE = 20, 200, 10
LIMIT_S = 300.0


def make_app(url: str) -> App:
    app = App(url)

    @app.job
    def noop(x: int = 0) -> int:
        return x

    @app.job
    def total(xs: list[int]) -> int:
        return len(xs)

    @app.graph
    def chain() -> int:
        last = noop(0)
        for _ in range(CHAIN - 1):
            last = noop(last)
        return last

    @app.graph
    def fan() -> int:
        root = noop(1)
        return total([noop(root) for _ in range(FAN)])

    @app.graph
    def small() -> int:
        root = noop(1)
        middle = [noop(root) for _ in range(SIZE - 2)]
        return total(middle)

    @app.graph
    def spread(n: int) -> int:
        return total(noop.map(numbers(n)))

    @app.job
    def numbers(n: int) -> list[int]:
        return list(range(n))

    return app


def times(submit: Callable[[], Any]) -> list[float]:
    """Seconds from submit to result, one after the other."""
    took = []
    for _ in range(ROUNDS + 2):
        begin_s = time.perf_counter()
        submit().result(LIMIT_S)
        took.append(time.perf_counter() - begin_s)
    return took[2:]


def _tidy(url: str) -> None:
    """What autovacuum does in its own time."""
    if url.startswith("postgres"):
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("vacuum analyze")


def _wait_until_idle(app: App) -> None:
    """Ask how many runs are left; a client for each of them would be what is measured."""
    end_s = time.perf_counter() + LIMIT_S
    while app.store.read(lambda tx: tx.all("count_live", namespace=app.namespace)):
        if time.perf_counter() > end_s:
            raise TimeoutError("the graphs have not ended")
        time.sleep(0.05)


def measure(url: str, told: Callable[[str], None]) -> None:
    app = make_app(url)
    # Plans that were made for empty tables are kept until the first ANALYZE, which in a database
    # that is in use was long ago.
    app.graphs["small"].submit_many([() for _ in range(GRAPHS)])
    _tidy(url)
    worker = app.worker(slots=16)
    begin_s = time.perf_counter()
    worker.start()
    try:
        _wait_until_idle(app)
        took_s = time.perf_counter() - begin_s
        told(f"{GRAPHS:,} graphs of {SIZE} nodes: {GRAPHS * SIZE / took_s:,.0f} nodes/s")
        _tidy(url)
        hop_ms = median(times(app.graphs["chain"].submit)) * 1000 / CHAIN
        told(f"chain of {CHAIN}: {hop_ms:.2f} ms a hop")
        fan_ms = median(times(app.graphs["fan"].submit)) * 1000
        told(f"fan of {FAN} and a join: {fan_ms:.0f} ms")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        begin_s = time.perf_counter()
        found = app.graphs["spread"].submit(ITEMS).result(LIMIT_S)
        took_s = time.perf_counter() - begin_s
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
        told(f"map of {found:,} items: {took_s:.1f} s, {grown} MB more memory at most")
    finally:
        worker.stop()
        app.close()


@contextmanager
def stores() -> Iterator[dict[str, str]]:
    with tempfile.TemporaryDirectory() as folder, PostgresServer(fsync=True) as server:
        yield {
            "sqlite": f"sqlite:///{Path(folder)}/rota.db",
            "postgres": server.create_database(),
        }


def main() -> None:
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    with stores() as found:
        for name, url in found.items():
            measure(url, lambda line, name=name: print(f"{name:>8}: {line}", flush=True))  # type: ignore[misc]


if __name__ == "__main__":
    main()
