"""The cost of logging: end-to-end throughput with 0 and with 5 printed lines a run.

`python -m bench.logs`: rounds of both alternate in one process, so that the machine is equal for
both; the median counts. The promise is a ratio of 0.8.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from statistics import median

import click

from bench.apart import tell
from bench.flows import sites
from bench.measures import STORES, Figures, StoreName
from bench.sizes import chosen
from rota.app import App, Job
from rota.cli.serve.serving import SWITCH_INTERVAL_S
from rota.engine.runs.find import counts
from rota.model.states import LIVE

LINES = 5
CHUNK = 1000
LOOK_S = 0.01
LAST = 1000
"""Runs whose lines may still be unstored at the end of a round: one in forty."""
FULL, QUICK, LEAST = (40_000, 9), (1_000, 1), (200, 1)
"""Runs a round, and rounds."""


class Shop:
    """An app with a silent job and one that prints."""

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
        self.worker = self.app.worker()

    def rate(self, job: Job[[int], None], runs: int) -> float:
        """Return runs per second from the first submit to the last record and stored line."""
        self._done.clear()
        began = time.perf_counter()
        for at in range(0, runs, CHUNK):
            job.submit_many(range(at, min(runs, at + CHUNK)))
        while len(self._done) < runs or self._live() or self._is_logging():
            time.sleep(LOOK_S)
        return runs / (time.perf_counter() - began)

    def _is_logging(self) -> bool:
        """Whether more than the last lines are unstored; these wait for others."""
        book = self.worker._log_flusher._book  # noqa: SLF001  # nobody else asks
        return len(book) > LAST

    def _live(self) -> int:
        far = 2**62
        found = self.app.store.read(lambda tx: counts(tx, namespace=self.app.namespace, since=far))
        return sum(number for state, number in found.items() if state in LIVE)


def measure(url: str, *, runs: int, rounds: int) -> Figures:
    """Return the share of throughput with printing: the median of alternating pairs."""
    shop = Shop(url)
    shop.worker.start()
    silent: list[float] = []
    printing: list[float] = []
    try:
        shop.rate(shop.printing, CHUNK)
        for _ in range(rounds):
            silent.append(shop.rate(shop.silent, runs))
            printing.append(shop.rate(shop.printing, runs))
    finally:
        shop.worker.stop()
        shop.app.close()
    kept = [some / most for some, most in zip(printing, silent, strict=True)]
    return {"logging": median(printing), "logging_kept": median(kept)}


@click.command()
@click.option("--quick", is_flag=True, help="Fewer runs.")
@click.option("--only", type=click.Choice(STORES))
@click.option("--json", "json_path", type=Path, help="Write the figures into this file, too.")
def main(*, quick: bool, only: StoreName | None, json_path: Path | None) -> None:
    """Print runs/s with 0 and 5 lines a run, and the share that is left."""
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    runs, rounds = chosen(FULL, QUICK, LEAST, is_quick=quick)
    found: dict[StoreName, Figures] = {}
    with sites(only) as urls:
        for store, (url, _) in urls.items():
            found[store] = measure(url, runs=runs, rounds=rounds)
            tell(store, found[store])
    if json_path is not None:
        json_path.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
