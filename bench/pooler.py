"""PgBouncer beside a direct connection: `python -m bench.pooler [--quick]`.

Workers and client have the plain address of the pooler and no other setting. Both ways alternate,
each on its own database; the median counts. All share one machine. SQLite has no pooler.
"""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import click

from bench.apart import tell
from bench.measures import STORES, Figures, StoreName
from bench.probe import Probe
from bench.remote import Direct
from bench.sizes import Sizes, chosen
from tests.support.pgbouncer import PgBouncer
from tests.support.postgres import PostgresServer, database_of

FULL = Sizes(jobs=20_000, latency=300, rounds=3)
QUICK = Sizes(jobs=2_000, latency=50, rounds=1)
LEAST = Sizes(jobs=200, latency=10, rounds=1)
SETTINGS = {"shared_buffers": "512MB"}
POOL = 20
"""The default of PgBouncer."""


class Pooled(Direct):
    """Rota behind the pooler; counts are read from the server itself."""

    def __init__(self, url: str, pooled: str, sizes: Sizes, *, folder: Path) -> None:
        super().__init__(pooled, sizes, folder=folder)
        self.probe.close()
        self.probe = Probe(url)


def measure(server: PostgresServer, bouncer: PgBouncer, folder: Path, sizes: Sizes) -> Figures:
    """Measure both ways by turns, on empty databases."""
    names = [database_of(server.create_database()) for _ in range(2)]
    urls = [server.url(name, tcp=True) for name in names]
    places = folder / "direct", folder / "pooled"
    for place in places:
        place.mkdir()
    direct = Direct(urls[0], sizes, folder=places[0])
    pooled = Pooled(urls[1], bouncer.url(names[1]), sizes, folder=places[1])
    rounds: list[Figures] = []
    try:
        for _ in range(sizes.rounds):
            found: Figures = {}
            for name, each in (("beside_pooler", direct), ("pooled", pooled)):
                figures = each.latency() | each.end_to_end()
                found |= {f"{name}_{key}": value for key, value in figures.items()}
            rounds.append(found)
    finally:
        direct.close()
        pooled.close()
    figures = {name: median(each[name] for each in rounds) for name in rounds[0]}
    kept = figures["pooled_end_to_end"] / figures["beside_pooler_end_to_end"]
    return {n: v for n, v in figures.items() if n.startswith("pooled")} | {"pooled_kept": kept}


@click.command()
@click.option("--quick", is_flag=True, help="Less of everything: to see that it works.")
@click.option("--only", type=click.Choice(STORES))
@click.option("--json", "json_path", type=Path, help="Write the figures into this file, too.")
def main(*, quick: bool, only: StoreName | None, json_path: Path | None) -> None:
    """Measure Rota behind PgBouncer in transaction mode."""
    sizes = chosen(FULL, QUICK, LEAST, is_quick=quick)
    found: dict[StoreName, Figures] = {}
    if only != "sqlite":
        with (
            TemporaryDirectory(prefix="rota-bench-") as name,
            PostgresServer(fsync=True, settings=SETTINGS) as server,
            PgBouncer(server, pool=POOL) as bouncer,
        ):
            found["postgres"] = measure(server, bouncer, Path(name), sizes)
        tell("postgres", found["postgres"])
    if json_path is not None:
        json_path.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
