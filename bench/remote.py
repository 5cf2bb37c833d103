"""A worker without a database, beside one with: `python -m bench.remote [--quick]`.

Both are `rota worker` with the same jobs; one talks to the store, the other to one server process
by HTTP. Runs are submitted straight to the store, so that only the worker's way differs. The two
alternate, each on its own store; the median counts. All share one machine.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import click

from bench.apart import tell
from bench.engine import Engine
from bench.flows import sites
from bench.measures import STORES, Figures, StoreName
from bench.programs import rota
from bench.sizes import Sizes, chosen
from bench.wire import server

FULL = Sizes(jobs=20_000, latency=300, rounds=3)
QUICK = Sizes(jobs=2_000, latency=50, rounds=1)
LEAST = Sizes(jobs=200, latency=10, rounds=1)


class Direct(Engine):
    """Rota with a worker that has a login of the database."""

    def __init__(self, url: str, sizes: Sizes, *, folder: Path) -> None:
        super().__init__(url, sizes)
        self._folder = folder

    @contextmanager
    def working(self, processes: int) -> Iterator[object]:
        with self._worker("--url", self.url, "--processes", str(processes)) as program:
            self.probe.await_workers(processes)
            yield program

    @contextmanager
    def _worker(self, *words: str) -> Iterator[object]:
        with rota(["worker", "bench.shop:app", *words], folder=self._folder) as program:
            yield program


class Remote(Direct):
    """Rota with a worker that has a token of one server process."""

    def __init__(self, url: str, sizes: Sizes, *, folder: Path) -> None:
        super().__init__(url, sizes, folder=folder)
        given = self.app.tokens.create("bench", roles=("worker",), queues=("default",))
        self._token = folder / "worker.token"
        self._token.touch(mode=0o600)
        self._token.write_text(given.secret or "")
        self._beside = folder / "server"
        self._beside.mkdir()

    @contextmanager
    def working(self, processes: int) -> Iterator[object]:
        with server(self.url, self._beside) as port:
            words = ("--server", f"http://127.0.0.1:{port}", "--token-file", str(self._token))
            with self._worker(*words, "--processes", str(processes)) as program:
                self.probe.await_workers(processes)
                yield program


def measure(urls: tuple[str, str], folder: Path, sizes: Sizes) -> Figures:
    """Measure both by turns, on empty stores."""
    places = folder / "direct", folder / "remote"
    for place in places:
        place.mkdir()
    direct = Direct(urls[0], sizes, folder=places[0])
    remote = Remote(urls[1], sizes, folder=places[1])
    rounds: list[Figures] = []
    try:
        for _ in range(sizes.rounds):
            found: Figures = {}
            for name, each in (("direct", direct), ("remote", remote)):
                figures = each.latency() | each.end_to_end()
                found |= {f"{name}_{key}": value for key, value in figures.items()}
            rounds.append(found)
    finally:
        direct.close()
        remote.close()
    figures = {name: median(each[name] for each in rounds) for name in rounds[0]}
    return figures | {"remote_kept": figures["remote_end_to_end"] / figures["direct_end_to_end"]}


@click.command()
@click.option("--quick", is_flag=True, help="Less of everything: to see that it works.")
@click.option("--only", type=click.Choice(STORES))
@click.option("--json", "json_path", type=Path, help="Write the figures into this file, too.")
def main(*, quick: bool, only: StoreName | None, json_path: Path | None) -> None:
    """Measure a worker through a server beside one with the database."""
    sizes = chosen(FULL, QUICK, LEAST, is_quick=quick)
    found: dict[StoreName, Figures] = {}
    with sites(only) as urls, TemporaryDirectory(prefix="rota-bench-") as name:
        for store, pair in urls.items():
            folder = Path(name) / store
            folder.mkdir()
            found[store] = measure(pair, folder, sizes)
            tell(store, found[store])
    if json_path is not None:
        json_path.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
