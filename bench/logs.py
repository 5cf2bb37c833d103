"""What logging costs: end-to-end throughput with 0 and with 5 printed lines a run.

`python -m bench.logs`: rounds of both in turn in one process, so that the machine is the same
for both; the median counts. The promise is a ratio of 0.8.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import click

from rota.app import App, Job
from rota.cli.serving import SWITCH_INTERVAL_S
from rota.engine.inspect import counts
from rota.model.states import LIVE
from tests.support.postgres import PostgresServer

LINES = 5
CHUNK = 1000
LOOK_S = 0.01
PROMISED = 0.8
SETTINGS = {"shared_buffers": "512MB"}


class Ratio(NamedTuple):
    """Runs per second without and with lines."""

    silent: float
    printing: float

    @property
    def kept(self) -> float:
        return self.printing / self.silent


class Shop:
    """An app with a job that says nothing and one that prints."""

    def __init__(self, url: str) -> None:
        self.app = App(url)
        self._done: list[int] = []  # not a number: += loses some between threads

        @self.app.job(retries=0)
        def silent(number: int) -> None:  # a payload like any other
            self._done.append(number)

        @self.app.job(retries=0)
        def printing(number: int) -> None:
            for line in range(LINES):
                print(f"resized image {line} of customer {number} to 800x600 pixels")
            self._done.append(number)

        self.silent: Job[[int], None] = silent
        self.printing: Job[[int], None] = printing

    def rate(self, job: Job[[int], None], runs: int) -> float:
        """Runs per second from the first submit to the last record."""
        self._done.clear()
        began = time.perf_counter()
        for at in range(0, runs, CHUNK):
            job.submit_many(range(at, min(runs, at + CHUNK)))
        while len(self._done) < runs or self._live():
            time.sleep(LOOK_S)
        return runs / (time.perf_counter() - began)

    def _live(self) -> int:
        far = 2**62
        found = self.app.store.read(lambda tx: counts(tx, namespace=self.app.namespace, since=far))
        return sum(number for state, number in found.items() if state in LIVE)


def measure(url: str, *, runs: int, rounds: int) -> Ratio:
    """The medians of some rounds, silent and printing in turn."""
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    shop = Shop(url)
    worker = shop.app.worker()
    worker.start()
    rates: dict[str, list[float]] = {"silent": [], "printing": []}
    try:
        shop.rate(shop.printing, CHUNK)
        for _ in range(rounds):
            rates["silent"].append(shop.rate(shop.silent, runs))
            rates["printing"].append(shop.rate(shop.printing, runs))
    finally:
        worker.stop()
        shop.app.close()
    return Ratio(*(statistics.median(rates[name]) for name in ("silent", "printing")))


@click.command()
@click.option("--runs", default=5000, show_default=True)
@click.option("--rounds", default=5, show_default=True)
def main(runs: int, rounds: int) -> int:
    """Print runs/s with 0 and 5 lines a run, and what is kept."""
    with tempfile.TemporaryDirectory() as folder:
        _tell("SQLite", measure(f"sqlite:///{Path(folder)}/rota.db", runs=runs, rounds=rounds))
    with PostgresServer(fsync=True, settings=SETTINGS) as server:
        _tell("PostgreSQL", measure(server.create_database(), runs=runs, rounds=rounds))
    return 0


def _tell(store: str, ratio: Ratio) -> None:
    verdict = "kept" if ratio.kept >= PROMISED else "missed"
    print(
        f"{store:<11} {ratio.silent:>8,.0f} runs/s silent  {ratio.printing:>8,.0f} with {LINES}"
        f" lines  ratio {ratio.kept:.2f} (promised {PROMISED}: {verdict})"
    )


if __name__ == "__main__":
    sys.exit(main())
