"""`python -m bench`: Rota's figures beside the raw limit of each store, in one table."""

from __future__ import annotations

import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
import psycopg
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from bench import cron
from bench.apart import measure_apart
from bench.conditions import conditions, lines
from bench.measures import STORES, StoreName
from bench.rounds import PostgresSite, Site, SqliteSite, play, steps
from bench.sizes import FULL, QUICK, SMALL, SMALLEST, Sizes
from bench.table import Results
from rota.cli.serve.serving import SWITCH_INTERVAL_S
from tests.support.postgres import PostgresServer

JSON_PATH = Path("build/bench.json")
SETTINGS = {"shared_buffers": "512MB"}
APART = {
    "logs: what printing costs": "bench.logs",
    "schedules: how late they fire": "bench.schedules",
    "priority: urgent behind slow": "bench.urgent",
    "queues: runs that cannot start": "bench.blocked",
    "graphs: chains, fans, maps": "bench.flows",
    "HTTP: one server process": "bench.http",
    "workers without a database": "bench.remote",
    "behind PgBouncer": "bench.pooler",
}
WIDTH = 110
"""The width of the table if the output is not a terminal."""


class Bench:
    """One benchmark of the chosen stores."""

    def __init__(self, folder: Path, sizes: Sizes, stores: Sequence[StoreName]) -> None:
        self.results = Results()
        self.conditions = conditions(folder, sizes)
        self._folder = folder
        self._sizes = sizes
        self._stores = stores
        self._only = stores[0] if len(stores) == 1 else None

    def run(self, console: Console) -> None:
        columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
        # No thread that redraws by itself: it would be measured, too.
        with Progress(*columns, console=console, auto_refresh=False, transient=True) as progress:
            bar = progress.add_task(
                "", total=len(self._stores) * steps(self._sizes) + len(APART) + 1
            )

            def tell(what: str) -> None:
                progress.update(bar, advance=1, description=what, refresh=True)

            for name in self._stores:
                with self._site(name) as site:
                    ours, limits = play(site, self._sizes, tell)
                    self.results.add(name, ours=ours, limits=limits)
            for what, module in APART.items():
                tell(what)
                apart = measure_apart(module, self._folder, jobs=self._sizes.jobs, only=self._only)
                for name, figures in apart.items():
                    self.results.ours[name] |= figures
            tell("cron: next times beside croniter and cronsim")
            rounds = 1 if self._sizes.jobs < SMALL else cron.ROUNDS
            self.results.cron = cron.measure(rounds)

    @contextmanager
    def _site(self, name: StoreName) -> Iterator[Site]:
        if name == "sqlite":
            yield SqliteSite(self._folder)
            return
        with PostgresServer(fsync=True, settings=SETTINGS) as server:
            with psycopg.connect(server.url()) as connection:
                version = connection.info.server_version
            told = ", ".join(f"{key} = {value}" for key, value in SETTINGS.items())
            self.conditions["postgres"] = (
                f"PostgreSQL {version // 10_000}.{version % 10_000} "
                f"(as it comes, fsync on, {told}, on the same machine)"
            )
            yield PostgresSite(self._folder, server)


@click.command()
@click.option("--quick", is_flag=True, help="One small round: to see that it works.")
@click.option("--only", type=click.Choice(STORES), help="Measure one store only.")
@click.option("--jobs", type=click.IntRange(min=SMALLEST), help="Runs a burst.")
@click.option("--rounds", type=click.IntRange(min=1), help="Rounds whose median is shown.")
@click.option("--check", is_flag=True, help="Exit with 1 when a promised ratio is missed.")
@click.option("--json", "json_path", type=Path, default=JSON_PATH, show_default=True)
def main(
    *,
    quick: bool,
    only: StoreName | None,
    jobs: int | None,
    rounds: int | None,
    check: bool,
    json_path: Path,
) -> None:
    """Measure Rota and, in the same run, the raw limit of the database."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that every process is ended
    sys.setswitchinterval(SWITCH_INTERVAL_S)  # as in every worker process
    console = Console() if sys.stdout.isatty() else Console(width=WIDTH)
    sizes = (QUICK if quick else FULL).changed(jobs=jobs, rounds=rounds)
    with tempfile.TemporaryDirectory(prefix="rota-bench-") as folder:
        bench = Bench(Path(folder), sizes, (only,) if only else STORES)
        bench.run(console)
    bench.results.write(json_path, bench.conditions)  # first: a closed pipe must not cost it
    bench.results.print(console)
    cron.show(bench.results.cron, console)
    for line in lines(bench.conditions):
        console.print(line, highlight=False)
    console.print(f"Written to {json_path}", highlight=False)
    missed = [*bench.results.missed_ratios(), *cron.missed(bench.results.cron)]
    if check and missed:
        console.print(f"Missed: {'; '.join(missed)}", style="red", highlight=False)
        sys.exit(1)


if __name__ == "__main__":
    main()
