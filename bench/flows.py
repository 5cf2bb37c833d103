"""Runs of graphs, end to end, with one worker: `python -m bench.flows [--quick]`.

A chain of 20 nodes, a fan of 200 with a join, 10,000 graphs of 10 nodes; and in a process of its
own, so that its memory can be told, a map of 100,000 items.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import click
import psycopg

from bench import graphs
from bench.apart import tell
from bench.measures import STORES, Figures, StoreName
from bench.sizes import FULL_FLOWS, QUICK_FLOWS, FlowSizes
from rota import App
from rota.cli.serving import SWITCH_INTERVAL_S
from tests.support.postgres import PostgresServer

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


def times(submit: Callable[[], Any], rounds: int) -> list[float]:
    """Seconds from submit to result, one after the other."""
    took = []
    for _ in range(rounds + 2):
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


def measure(url: str, map_url: str, sizes: FlowSizes) -> Figures:
    """All figures of one store, for two empty ones of its kind."""
    app = make_app(url)
    # Plans that were made for empty tables are kept until the first ANALYZE, which in a database
    # that is in use was long ago.
    app.graphs["small"].submit_many([() for _ in range(sizes.graphs)])
    _tidy(url)
    worker = app.worker(slots=16)
    begin_s = time.perf_counter()
    worker.start()
    try:
        _wait_until_idle(app)
        took_s = time.perf_counter() - begin_s
        _tidy(url)
        hop_s = median(times(app.graphs["chain"].submit, sizes.rounds)) / CHAIN
        fan_s = median(times(app.graphs["fan"].submit, sizes.rounds))
    finally:
        worker.stop()
        app.close()
    return {
        "graph_hop_ms": hop_s * 1000,
        "graph_fan_ms": fan_s * 1000,
        "graph_nodes": sizes.graphs * SIZE / took_s,
        **measure_map(map_url, sizes.items),
    }


def measure_map(url: str, items: int) -> Figures:
    command = [sys.executable, "-m", "bench.flows", "--map", url, "--items", str(items)]
    ended = subprocess.run(command, check=True, capture_output=True, text=True)
    figures: Figures = json.loads(ended.stdout)
    return figures


def run_map(url: str, items: int) -> Figures:
    """One map, after a small one; the most memory that it took, and how much that is more."""
    app = make_app(url)
    worker = app.worker(slots=16)
    worker.start()
    try:
        app.graphs["spread"].submit(100).result(LIMIT_S)
        before_mb = _peak_mb()
        begin_s = time.perf_counter()
        found = app.graphs["spread"].submit(items).result(LIMIT_S)
        took_s = time.perf_counter() - begin_s
        if found != items:
            raise SystemExit(f"the map gave {found:,} results of {items:,}")
        peak_mb = _peak_mb()
        return {"map_s": took_s, "map_peak_mb": peak_mb, "map_more_mb": peak_mb - before_mb}
    finally:
        worker.stop()
        app.close()


def _peak_mb() -> float:
    """Of this process alone; getrusage begins with the peak of whoever started it."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


@contextmanager
def sites(only: StoreName | None) -> Iterator[dict[StoreName, tuple[str, str]]]:
    """Two empty stores of each kind."""
    found: dict[StoreName, tuple[str, str]] = {}
    with tempfile.TemporaryDirectory(prefix="rota-bench-") as folder:
        if only != "postgres":
            found["sqlite"] = (f"sqlite:///{folder}/one.db", f"sqlite:///{folder}/other.db")
        if only == "sqlite":
            yield found
            return
        with PostgresServer(fsync=True) as server:
            found["postgres"] = (server.create_database(), server.create_database())
            yield found


@click.command()
@click.option("--quick", is_flag=True, help="Fewer and smaller graphs.")
@click.option("--only", type=click.Choice(STORES))
@click.option("--json", "json_path", type=Path, help="Write the figures into this file, too.")
@click.option("--map", "map_url", hidden=True, help="Only the map, on this store.")
@click.option("--items", type=int, default=1_000, hidden=True)
def main(
    *, quick: bool, only: StoreName | None, json_path: Path | None, map_url: str | None, items: int
) -> None:
    """Measure runs of graphs."""
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    if map_url is not None:
        print(json.dumps(run_map(map_url, items)))
        return
    sizes = QUICK_FLOWS if quick else FULL_FLOWS
    found: dict[StoreName, Figures] = {}
    checks = graphs.measure(rounds=sizes.checks)
    with sites(only) as urls:
        for store, (url, other_url) in urls.items():
            found[store] = measure(url, other_url, sizes) | checks
            tell(store, found[store])
    if json_path is not None:
        json_path.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
