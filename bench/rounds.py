"""Play the rounds: raw limit and Rota by turns, step by step, each on a fresh store."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from bench.beside import measure_beside
from bench.engine import PostgresEngine, SqliteEngine
from bench.measures import STEPS, Figures, StoreName, Subject, medians
from bench.raw_claimers import connect
from bench.raw_postgres import RawPostgres
from bench.raw_sqlite import RawSqlite
from bench.sizes import Sizes
from bench.up import measure_up
from tests.support.postgres import PostgresServer

Tell = Callable[[str], None]


class Site(Protocol):
    """The place of stores: a folder or a server."""

    name: StoreName

    def raw(self, sizes: Sizes) -> Subject: ...
    def rota(self, sizes: Sizes) -> Subject: ...
    def fresh(self) -> tuple[str, Path]: ...
    def settle(self) -> None:
        """Wait until the last round is written out, so that this one begins at rest."""


def steps(sizes: Sizes) -> int:
    """Return how often `play` reports its progress."""
    return sizes.rounds * (2 * len(STEPS) + 1) + 1


def play(site: Site, sizes: Sizes, tell: Tell) -> tuple[Figures, Figures]:
    """Run all measures on one store; return Rota's figures and the raw limit's, as medians."""
    ours: list[Figures] = []
    limits: list[Figures] = []
    for number in range(1, sizes.rounds + 1):
        label = f"{site.name}, round {number}/{sizes.rounds}"
        with _both(site, sizes) as (raw, engine):
            site.settle()
            for step in STEPS:
                for subject, who, figures in ((raw, "raw", limits), (engine, "Rota", ours)):
                    tell(f"{label}: {step} {who}")
                    figures.append(getattr(subject, step)())
        tell(f"{label}: rota up")
        url, folder = site.fresh()
        ours.append(measure_up(url, sizes, folder=folder))
    tell(f"{site.name}: claims beside {sizes.backlog:,} future and finished runs")
    ours.append(measure_beside(site.fresh()[0], site.fresh()[0], sizes))
    return medians(ours), medians(limits)


@contextmanager
def _both(site: Site, sizes: Sizes) -> Iterator[tuple[Subject, Subject]]:
    raw = site.raw(sizes)
    engine = site.rota(sizes)
    try:
        yield raw, engine
    finally:
        raw.close()
        engine.close()


class SqliteSite:
    """Each store is a file in a folder of its own."""

    name: StoreName = "sqlite"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def raw(self, sizes: Sizes) -> Subject:
        return RawSqlite(_subfolder(self._folder), sizes)

    def rota(self, sizes: Sizes) -> Subject:
        return SqliteEngine(_subfolder(self._folder), sizes)

    def fresh(self) -> tuple[str, Path]:
        folder = _subfolder(self._folder)
        return f"sqlite:///{folder}/rota.db", folder

    def settle(self) -> None:
        """Do nothing: a closed file has no work in the background."""


class PostgresSite:
    """Each store is a database of one server, reached over TCP."""

    name: StoreName = "postgres"

    def __init__(self, folder: Path, server: PostgresServer) -> None:
        self._folder = folder
        self._server = server

    def raw(self, sizes: Sizes) -> Subject:
        url, folder = self.fresh()
        return RawPostgres(url, sizes, binaries=self._server.binaries, folder=folder)

    def rota(self, sizes: Sizes) -> Subject:
        url, folder = self.fresh()
        return PostgresEngine(url, sizes, folder=folder)

    def fresh(self) -> tuple[str, Path]:
        name = self._server.create_database().partition("?")[0].rpartition("/")[2]
        return self._server.url(name, tcp=True), _subfolder(self._folder)

    def settle(self) -> None:
        with connect(self._server.url("postgres")) as connection:
            connection.execute(b"checkpoint")


def _subfolder(folder: Path) -> Path:
    made = folder / secrets.token_hex(4)
    made.mkdir()
    return made
