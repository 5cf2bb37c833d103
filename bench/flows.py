"""Runs of graphs, end to end: `python -m bench.flows [--quick]`.

One worker runs a chain of 20 nodes, and a fan of 200 with a join. Two processes run 10,000 graphs
of 10 nodes on PostgreSQL. A separate process, whose memory can be measured, maps 100,000 items.
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
from bench.flow_jobs import CHAIN, SIZE, make_app
from bench.measures import STORES, Figures, StoreName
from bench.probe import BenchFailed, Probe, now_ms
from bench.programs import rota
from bench.sizes import FULL_FLOWS, LEAST_FLOWS, QUICK_FLOWS, FlowSizes, chosen
from rota import App
from rota.cli.serve.serving import SWITCH_INTERVAL_S
from tests.support.postgres import PostgresServer

LIMIT_S = 300.0
PROCESSES = 2
"""The number of worker processes on PostgreSQL, as in the other measures of throughput."""


def times(submit: Callable[[], Any], rounds: int) -> list[float]:
    """Return the seconds from submit to result, one run after the other."""
    took = []
    for _ in range(rounds + 2):
        begin_s = time.perf_counter()
        submit().result(LIMIT_S)
        took.append(time.perf_counter() - begin_s)
    return took[2:]


def _tidy(url: str) -> None:
    """Do the maintenance that autovacuum would do later."""
    if url.startswith("postgres"):
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("vacuum analyze")


@contextmanager
def working(app: App) -> Iterator[None]:
    """Run a worker in this process: it has the shortest path to the next node."""
    worker = app.worker(slots=16)
    worker.start()
    try:
        yield
    finally:
        worker.stop()


@contextmanager
def working_hard(app: App, url: str, folder: Path) -> Iterator[None]:
    """Run as many workers as pay off: one for SQLite, which has one writer; two for a server."""
    if url.startswith("sqlite"):
        with working(app):
            yield
        return
    arguments = ["worker", "bench.flow_jobs:app", "--url", url, "--processes", str(PROCESSES)]
    with rota(arguments, folder=folder):
        yield


def measure_many(app: App, url: str, folder: Path, graphs: int) -> float:
    """Return nodes per second, from before the workers start to the end of the last graph."""
    runs = app.graphs["small"].submit_many([() for _ in range(graphs)])
    # Plans that were made for empty tables are kept until the first ANALYZE, which in a database
    # that is in use was long ago.
    _tidy(url)
    probe = Probe(url)
    begin_ms, begin_s = now_ms(), time.perf_counter()
    with working_hard(app, url, folder):
        probe.await_ended(runs[-1].id, limit_s=LIMIT_S)
        took_s = time.perf_counter() - begin_s
    done = probe.count_done("small", since_ms=begin_ms)
    probe.close()
    if done != graphs:
        raise BenchFailed(f"{done:,} of {graphs:,} graphs are recorded as done")
    return graphs * SIZE / took_s


def measure(url: str, map_url: str, sizes: FlowSizes, *, folder: Path) -> Figures:
    """Return all figures of one store, given two empty ones of its kind."""
    app = make_app(url)
    try:
        nodes = measure_many(app, url, folder, sizes.graphs)
        _tidy(url)
        with working(app):
            hop_s = median(times(app.graphs["chain"].submit, sizes.rounds)) / CHAIN
            fan_s = median(times(app.graphs["fan"].submit, sizes.rounds))
    finally:
        app.close()
    return {
        "graph_hop_ms": hop_s * 1000,
        "graph_fan_ms": fan_s * 1000,
        "graph_nodes": nodes,
        **measure_map(map_url, sizes.items),
    }


def measure_map(url: str, items: int) -> Figures:
    command = [sys.executable, "-m", "bench.flows", "--map", url, "--items", str(items)]
    ended = subprocess.run(command, check=True, capture_output=True, text=True)
    figures: Figures = json.loads(ended.stdout)
    return figures


def run_map(url: str, items: int) -> Figures:
    """Run one map after a small one; return peak memory, and the growth."""
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
    """Return the peak memory of this process; getrusage would include its parent's."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


@contextmanager
def sites(only: StoreName | None) -> Iterator[dict[StoreName, tuple[str, str]]]:
    """Yield two empty stores of each kind."""
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
    sizes = chosen(FULL_FLOWS, QUICK_FLOWS, LEAST_FLOWS, is_quick=quick)
    found: dict[StoreName, Figures] = {}
    checks = graphs.measure(rounds=sizes.checks)
    with sites(only) as urls:
        for store, (url, other_url) in urls.items():
            with tempfile.TemporaryDirectory(prefix="rota-bench-") as folder:
                found[store] = measure(url, other_url, sizes, folder=Path(folder)) | checks
            tell(store, found[store])
    if json_path is not None:
        json_path.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
