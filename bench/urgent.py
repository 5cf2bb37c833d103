"""An urgent run behind slow ones: `python -m bench.urgent [--quick]`.

Two workers with one slot each have just done many short runs, so they prefetch more runs when 1,000
slow ones are next. The wait of an urgent run is given in durations of a slow one: it has to wait
for a slow run in progress, but never for a second one.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import click

from bench.apart import tell
from bench.flows import sites
from bench.measures import STORES, Figures, StoreName
from bench.sizes import chosen
from rota import App
from rota.cli.serve.serving import SWITCH_INTERVAL_S
from rota.runtime.worker import Worker

SLOW_S = 0.1
SLOW = 1_000
SHORT = 1_000
LIMIT_S = 60.0
FULL, QUICK, LEAST = 15, 5, 2
"""The number of urgent runs to submit."""


class Shop:
    """Jobs of three kinds; the urgent one reports when it began."""

    def __init__(self, url: str) -> None:
        self.app = app = App(url)
        self.began_s: list[float] = []

        @app.job
        def short(_: int) -> None:
            pass

        @app.job
        def slow(_: int) -> None:
            time.sleep(SLOW_S)

        @app.job(priority=100)
        def urgent() -> None:
            self.began_s.append(time.perf_counter())

        self.short, self.slow, self.urgent = short.with_options(priority=50), slow, urgent

    def wait_s(self) -> float:
        """Return the time from submit to begin of an urgent run among slow ones."""
        self.short.submit_many(range(SHORT))[-1].wait(LIMIT_S)
        submitted_s = time.perf_counter()
        self.urgent.submit().result(LIMIT_S)
        return self.began_s[-1] - submitted_s


def measure(url: str, *, rounds: int) -> Figures:
    """Return the longest wait of an urgent run."""
    shop = Shop(url)
    workers: list[Worker] = [shop.app.worker(slots=1) for _ in range(2)]
    try:
        for worker in workers:
            worker.start()
        shop.slow.submit_many(range(SLOW))
        waits_s = [shop.wait_s() for _ in range(rounds)]
    finally:
        for worker in workers:
            worker.hurry()
            worker.stop()
        shop.app.close()
    return {"urgent_wait_ms": max(waits_s) * 1000, "urgent_turns": max(waits_s) / SLOW_S}


@click.command()
@click.option("--quick", is_flag=True, help="Fewer urgent runs.")
@click.option("--only", type=click.Choice(STORES))
@click.option("--json", "json_path", type=Path, help="Write the figures into this file, too.")
def main(*, quick: bool, only: StoreName | None, json_path: Path | None) -> None:
    """Print how long an urgent run waits, and how many slow runs that is."""
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    rounds = chosen(FULL, QUICK, LEAST, is_quick=quick)
    found: dict[StoreName, Figures] = {}
    with sites(only) as urls:
        for store, (url, _) in urls.items():
            found[store] = measure(url, rounds=rounds)
            tell(store, found[store])
    if json_path is not None:
        json_path.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
